/** The page on underwriting and scores: formulas, with the values of the declared assumption set written into them. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { currentAssumptions } from '../../models/assumptions.ts';
import { DRIFT } from '../../models/drift.ts';
import { PROPERTIES } from '../../models/properties.ts';

const { id, rows } = currentAssumptions();
const values = new Map(rows.map((r) => [r.key, r.value]));

/** A declared value. @throws where no assumption is called so */
function v(key: string): string {
  const value = values.get(key);
  if (value === undefined) throw new Error(`no assumption is called ${key}`);
  return value.replace(/(\.\d{12})\d+$/u, '$1');
}

/**
 * A deal worked from end to end: what a site shows, and the figures that follow. A test underwrites it with the models
 * and holds every figure against these.
 */
export const WORKED = {
  listing: { list_price: '740000.00', units: 8, year_built: 1974, cap_rate: '7.40' },
  rent: '1250.00',
  first_price: '747474.75',
  steps: [
    ['gross_potential_rent', '105600.00', '8 x 1,250 x 0.88 x 12'],
    ['effective_gross_income', '98208.00', '105,600 x 0.93'],
    ['expense_ratio_pct', '45.00', '8 units, built between the two years of the age adjustment'],
    ['noi_underwritten', '54014.40', '98,208 x 0.55'],
    ['cap_rate_underwritten', '7.30', '54,014.40 / 740,000'],
    ['noi', '54760.00', '740,000 x 7.40 %, derived from the advertised cap rate'],
    ['cap_gap_pct', '0.10', '7.40 - 7.30'],
    ['loan_amount', '555000.00', '740,000 x 0.75'],
    ['monthly_payment', '3692.43', '555,000 x 0.006653024952'],
    ['annual_debt_service', '44309.16', '12 x 3,692.43'],
    ['dscr', '1.24', '54,760 / 44,309.16'],
    [
      'noi_scoring',
      '54014.40',
      'min(54,014.40, (54,760 + 54,014.40) / 2): the claim is above the underwriting and counts for nothing',
    ],
    ['cap_scoring_pct', '7.30', '54,014.40 / 740,000'],
    ['coverage_scoring', '1.16', '(54,014.40 - 300 x 8) / 44,309.16'],
    ['price_reduction_pct', '1.00', '(747,474.75 - 740,000) / 747,474.75'],
    ['motivation_score', '6', '6 x 1.00, and nothing for days'],
    ['deal_score_yield', '19', '35 x (7.30 - 4) / 6 = 19.25'],
    ['deal_score_coverage', '11', '30 x (1.16 - 0.90) / 0.70 = 11.14'],
    ['deal_score_motivation', '1', '20 x 6 / 100 = 1.2'],
    ['deal_score_distress', '0', 'no county record at this address'],
    ['deal_score', '31', '19 + 11 + 1 + 0'],
    ['rental_status', 'Warm', 'coverage 1.16 and cap rate 7.30 %'],
    ['confidence_score', '0.93', '0.15 + 0.15 + 0.20 + 0.08 + 0.15 + 0.15 + 0.05'],
    ['offer_high', '675000.00', '54,014.40 / 8 % = 675,180, down to a multiple of 500'],
    ['offer_low', '598000.00', 'the same under stress'],
  ],
} as const;

const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...lines.map((l) => `| ${l.map((c) => c.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n');
const code = (...lines: readonly string[]): string => ['```', ...lines, '```'].join('\n');

function saleRules(): string {
  const rules = parse(readFileSync(new URL('../../models/reference/ohio_sale_rules.csv', import.meta.url), 'utf8'), {
    columns: true,
  }) as Record<string, string>[];
  return table(
    ['sale', 'opening_bid_basis', 'law', 'rule, as read on the day beside it'],
    rules.map((r) => [
      r['sale_kind'] ?? '',
      `\`${r['opening_bid_basis'] ?? ''}\``,
      r['statute_ref'] ?? '',
      `${r['rule'] ?? ''} (${r['checked_on'] ?? ''})`,
    ]),
  );
}

const sections = (): readonly string[] => [
  '# Underwriting, scores and leads',
  `Written by \`make docs\` from the declared assumption set \`${id}\` and the models; do not edit. Column notes are in the [data dictionary](data-dictionary.md).`,
  "What a broker claims and what HUD's rents support stand side by side on every deal. Scores rest on the second alone: a claim can lower a score and never lift it. " +
    "Every figure can be made again from the record it stands on and the values below; the report of a deal prints each as a formula with its inputs, and the snapshot's table `assumptions` holds the values it was built with. " +
    'An operator may set other values in `ASSUMPTIONS_FILE`: the set id then carries a hash of what differs, and the snapshots of before keep theirs.',

  '## Rounding',
  'Money, percents and ratios have two decimals, rounded half away from zero at the point where they are shown. What follows from a shown figure is computed from the shown figure. Gross potential rent and effective income are the exception: NOI is computed from them unrounded. There is no binary float anywhere; DuckDB divides decimals as floats, so the models divide whole numbers instead.',

  '## Income',
  code(
    `gross_potential_rent   = units x market_rent_2br x (1 - ${v('utility_share')}) x ${v('months_per_year')}`,
    `effective_gross_income = gross_potential_rent x (1 - ${v('vacancy')})`,
    'noi_underwritten       = effective_gross_income x (1 - expense ratio)',
    'cap_rate_underwritten  = noi_underwritten / list_price',
    'cap_gap_pct            = cap_rate - cap_rate_underwritten',
  ),
  `\`market_rent_2br\` is HUD's Fair Market Rent of two bedrooms as HUD publishes it, of the ZIP where there is one, else of the HUD area: gross rent at about the 40th percentile, a proxy and not a rent roll. ${v('utility_share')} of it is taken to be utilities. NOI excludes reserves, as a broker's does.`,
  table(
    ['units', 'expense ratio'],
    [
      [`up to ${v('small_units_max')}`, v('expense_ratio_2_4')],
      [`up to ${v('medium_units_max')}`, v('expense_ratio_5_12')],
      [`up to ${v('large_units_max')}`, v('expense_ratio_13_50')],
      ['more', v('expense_ratio_51_up')],
    ],
  ),
  `Built before ${v('old_before_year')}: ${v('expense_old_adjustment')} is added; in ${v('new_from_year')} or later: ${v('expense_new_adjustment')}; year unknown: nothing.`,
  `\`noi\` is the broker's stated NOI, else what the advertised cap rate implies, else the underwritten one; \`noi_source\` says which. Where NOI and cap rate are both published, \`claim_consistency\` says whether they agree to within ${v('claim_tolerance')} points.`,

  "## Does HUD's rent fit?",
  `\`underwrite_reliability\` is \`ok\` where price per unit lies between ${v('proxy_low_multiple')} and ${v('proxy_high_multiple')} monthly rents. Above, it is \`proxy_out_of_range\`: a better or larger unit than the proxy, not a bad deal. Below, it is \`unknown\`: a typing error or a ruin. So it is where price, units or rent is missing. Where it is not \`ok\`, there are no points for yield or coverage and all three paths pass the deal over, with the reason in \`underwrite_reason\`.`,

  '## Debt',
  code(
    `loan_amount         = list_price x ${v('loan_to_value')}`,
    `monthly_payment     = loan_amount x ${v('loan_monthly_factor')}      (${v('loan_rate_pct')} % over ${v('loan_years')} years)`,
    'annual_debt_service = 12 x monthly_payment',
    'dscr                = noi / annual_debt_service                 (whose NOI: noi_source)',
    'dscr_underwritten   = noi_underwritten / annual_debt_service',
    'debt_yield_pct      = noi / loan_amount',
    'break_even_occupancy_pct = (effective_gross_income - noi_underwritten + annual_debt_service) / gross_potential_rent',
  ),
  `\`dscr_status\` is \`not_applicable\` for fewer than ${v('minimum_units')} units, for land, and for a loan below $${v('minimum_loan')}; \`insufficient_data\` where price or NOI is missing. A loan that small has yield and coverage points all the same, computed at the declared terms: coverage tells whether the income carries the debt, whoever lends it; without them a price that rises over the limit would lift the score. Only \`dscr\` itself, and the list of hot deals, leave it out.`,

  '## What scores use',
  code(
    'noi_scoring      = min(noi_underwritten, (claim + noi_underwritten) / 2), or noi_underwritten without a claim',
    'cap_scoring_pct  = noi_scoring / list_price',
    `coverage_scoring = (noi_scoring - ${v('reserves_per_unit')} x units) / annual_debt_service`,
  ),
  "A claim above the underwriting is ignored. A claim below it pulls the figure half way down, since a broker's low figure is evidence against the proxy. Reserves make coverage a figure of its own; without them it would be the cap rate again.",

  '## Deal score, 0 to 100',
  table(
    ['part', 'formula'],
    [
      [
        '`deal_score_yield`',
        `${v('score_yield_weight')} x (cap_scoring_pct - ${v('score_yield_from_pct')}) / ${v('score_yield_span_pct')}, from 0 to ${v('score_yield_weight')}`,
      ],
      [
        '`deal_score_coverage`',
        `${v('score_coverage_weight')} x (coverage_scoring - ${v('score_coverage_from')}) / ${v('score_coverage_span')}, from 0 to ${v('score_coverage_weight')}`,
      ],
      ['`deal_score_motivation`', `${v('score_motivation_weight')} x motivation_score / 100`],
      ['`deal_score_distress`', `${v('score_distress_weight')} x distress_score / 100`],
    ],
  ),
  `Each part is a whole number, and the four add up. \`motivation_score\` counts only what this service saw itself: ${v('motivation_points_per_cut_pct')} points for each percent of price cut, up to ${v('motivation_cut_max')}, and up to ${v('motivation_days_max')} for days on the feed, all of them after ${v('motivation_days_full')} days. ` +
    `\`distress_score\`: a tax delinquency ${v('distress_tax')} and ${v('distress_tax_points_per_pct')} for each percent that it is of the price, up to ${v('distress_tax_amount_max')}; a sheriff sale ${v('distress_sale')}, and ${v('distress_sale_soon')} more within ${v('distress_sale_soon_days')} days; ${v('distress_max')} at most.`,

  '## Three paths',
  table(
    ['path', 'Hot', 'Warm'],
    [
      [
        'rental',
        `coverage_scoring >= ${v('rental_hot_coverage')} and cap_scoring_pct >= ${v('rental_hot_cap_pct')}`,
        `>= ${v('rental_warm_coverage')} and >= ${v('rental_warm_cap_pct')}`,
      ],
      [
        'wholesale',
        `list_price <= MAO = ${v('wholesale_share')} x noi_underwritten / ${v('wholesale_arv_cap_pct')} % - ${v('wholesale_repairs_per_unit')} x units - ${v('wholesale_fee')}`,
        `list_price <= ${v('wholesale_warm_multiple')} x MAO and motivation >= ${v('wholesale_warm_motivation')}`,
      ],
      [
        'creative finance',
        `coverage at seller terms (${v('seller_down_share')} down, ${v('seller_rate_pct')} % over ${v('seller_years')} years) >= ${v('creative_hot_coverage')}, and motivation or distress >= ${v('creative_hot_motivation')}`,
        `>= ${v('creative_warm_coverage')}, and >= ${v('creative_warm_motivation')}`,
      ],
    ],
  ),
  'Anything else is Pass. Each rationale carries its thresholds and inputs. `GET /api/deals/hot` follows another rule, that of the advertised cap rate, so a deal may be in it and be a Pass here: both are shown.',

  '## Confidence, 0 to 1',
  table(
    ['part', 'earns'],
    [
      [
        '`price_verified`',
        `${v('confidence_price_fresh')} within ${v('confidence_fresh_days')} days, ${v('confidence_price_recent')} within ${v('confidence_recent_days')}, else ${v('confidence_price_old')}`,
      ],
      ['`units_known`', v('confidence_units')],
      [
        '`rent_proxy`',
        `${v('confidence_rent_zip')} for the rent of the ZIP, ${v('confidence_rent_metro')} for that of the area; only where it fits`,
      ],
      [
        '`noi_source`',
        `stated ${v('confidence_noi_stated')}, derived ${v('confidence_noi_derived')}, underwritten ${v('confidence_noi_underwritten')}`,
      ],
      [
        '`agreement`',
        `gap within ${v('confidence_gap_small_points')} point ${v('confidence_gap_small')}, within ${v('confidence_gap_medium_points')} ${v('confidence_gap_medium')}, no claim ${v('confidence_gap_none')}; only where it fits`,
      ],
      [
        '`reliability`',
        `ok ${v('confidence_reliable')}, unknown ${v('confidence_reliability_unknown')}, out of range 0`,
      ],
      ['`year_built`', v('confidence_year_built')],
    ],
  ),

  '## Offer range',
  code(
    `high = the least of list_price, N / ${v('target_cap_pct')} %, N / (${v('offer_coverage')} x ${v('loan_to_value')} x ${v('loan_annual_constant')}), down to a multiple of ${v('offer_step')}`,
    `low  = the least of high and N / ${v('target_cap_pct')} % under stress: rent ${v('stress_rent')}, vacancy +${v('stress_vacancy')}, expense ratio +${v('stress_expenses')}`,
  ),
  "N is `noi_scoring`. Where the proxy does not fit it is the broker's claim, and `offer_status` says `claimed_basis_unverified`.",

  '## Leads',
  `A lead has a street address with a number, a public record read within ${v('lead_max_age_days')} days, and no personal data but what the county prints. Each part is told in \`score_rationale\` with its points; the points add up.`,
  table(
    ['tax delinquency', 'points'],
    [
      ['base', v('tax_base')],
      [
        'amount over county value',
        `${v('tax_value_max')} x (ratio % - ${v('tax_value_from_pct')}) / ${v('tax_value_span_pct')}, from 0 to ${v('tax_value_max')}; value unknown: 1 for each $${v('tax_amount_per_point')}, up to ${v('tax_amount_max')}`,
      ],
      ['years', `${v('tax_points_per_year')} each, up to ${v('tax_years_max')}; unknown 0`],
      [
        'owner elsewhere',
        `other state ${v('tax_absentee_out_of_state')}, same state ${v('tax_absentee_in_state')}; unknown 0`,
      ],
      ['corroboration', `sheriff sale ${v('tax_corroboration_sale')}, listing ${v('tax_corroboration_listing')}`],
      [
        'freshness',
        `${v('tax_fresh')} within ${v('lead_fresh_days')} day, ${v('tax_recent')} within ${v('lead_recent_days')}, else ${v('tax_old')}`,
      ],
    ],
  ),
  table(
    ['sheriff sale', 'points'],
    [
      ['base', v('auction_base')],
      [
        'gap of bid and appraisal',
        `${v('auction_gap_points_per_pct')} for each percent, up to ${v('auction_gap_max')}, and ${v('auction_gap_max')} where no minimum applies. A discount to appraisal, not owner equity: liens are unknown`,
      ],
      [
        'urgency',
        [1, 2, 3, 4]
          .map((s) => `${v(`auction_urgency_${s}`)} within ${v(`auction_days_${s}`)} days`)
          .join(', ')
          .concat(`, later ${v('auction_urgency_5')}`),
      ],
      ['corroboration', `${v('auction_corroboration')} if delinquent in tax too`],
      ['owner elsewhere', v('auction_absentee')],
      [
        'freshness',
        `${v('auction_fresh')} within ${v('lead_fresh_days')} day, ${v('auction_recent')} within ${v('lead_recent_days')}, else ${v('auction_old')}`,
      ],
    ],
  ),
  'Opening bids rest on Ohio law; a published figure wins, only the first sale of a mortgage foreclosure is ever derived (two thirds of the appraisal, rounded up to the cent), and a tax sale never is.',
  saleRules(),

  '## Whose debt it is',
  "A county record scores on a deal only where its normalised address and ZIP are exactly the deal's (`address_exact`), or where its parcel is one that some record places at exactly that address (`parcel_exact`). " +
    'Weaker likenesses are listed in `distress_candidates` and score nothing: overlapping ranges, a unit missing on one side, a county that prints no ZIP, a condominium of the building. ' +
    'The price of this is recall: `912-914 8TH ST` and a record at `912 8TH ST` stay candidates. `make identity` prints precision and recall, over adversarial pairs (`test/identity/addresses.csv`, `parcels.csv`, to be read and added to) and over the current snapshot of the sandbox.',

  '## A deal worked by hand',
  `Eight units of ${WORKED.listing.year_built} for $740,000, first seen at $747,474.75, advertised at ${WORKED.listing.cap_rate} %, where HUD's rent is $1,250. A test underwrites it with the models and holds every line.`,
  table(
    ['figure', 'value', 'how'],
    WORKED.steps.map(([figure, value, how]) => [`\`${figure}\``, value, how]),
  ),

  '## What holds whatever the deal',
  `\`make properties DEALS=10000\` holds these on as many random deals, through the models' own SQL, and prints to how many each applied.`,
  PROPERTIES.map((says, i) => `${i + 1}. ${says}`).join('\n'),
  `One exception is known: a price that rises across the lower limit of ${v('proxy_low_multiple')} monthly rents may lift the score. The limit is there to keep typing errors from the top of the feed.`,
  `Audits hold the same of what is published, row by row, and stop publication. Drift from the snapshot before is judged by a rule of its own (\`models/drift.ts\`): tables that keep their rows may lose none; properties for sale and listed debts warn below ${DRIFT.warnBelowPct} % or above ${DRIFT.warnAbovePct} % of those before, and block below ${DRIFT.blockBelowPct} %.`,

  '## Does the score foretell anything?',
  'Not known yet. `make backtest` measures it over the snapshots of a folder, by decile of the first score, with n and Wilson\'s interval, and says "not enough history" below thirty deals. [What it shows of a simulated quarter](backtest.md) proves the machinery and nothing about the market.',

  `## Every declared value of ${id}`,
  '`evidence`: read in a public source; `proposal`: a declared choice of ours; `computed`: follows from others.',
  table(
    ['key', 'value', 'unit', 'kind', 'basis'],
    rows.map((r) => [`\`${r.key}\``, v(r.key), r.unit.replaceAll('_', ' '), r.kind, r.basis]),
  ),
];

/** docs/underwriting.md. */
export const underwritingPage = (): string => sections().join('\n\n').concat('\n');
