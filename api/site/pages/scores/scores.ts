/** /scores: how scores are computed, with the values of the assumption set. */
import { barChart } from '../../charts.ts';
import { html, type Html } from '../../html.ts';
import { code, wideTable, cardTable } from '../../layout.ts';
import { countText, words } from '../../format.ts';
import { activeDeals } from '../../../routes/deals.ts';
import { figuresOf } from '../../../routes/figures.ts';
import type { PageContext, Page } from '../../page.ts';
import { readAccuracies, SOURCES } from '../../../../models/calibration/accuracy.ts';

const COLUMNS = [
  { label: 'Buildings' },
  { label: 'Source of their NOI' },
  { label: 'Number', isNumeric: true },
  { label: 'Our NOI over theirs', isNumeric: true },
  { label: 'Simple proxy over theirs', isNumeric: true },
  { label: 'Earned less than ours', isNumeric: true },
  { label: 'Earned less than our middle', isNumeric: true },
];

const share = (percent: number | null): string => (percent === null ? '' : `${percent}%`);

/** How far the underwriting is from known income, and how to read it. It is the same for every snapshot. */
function realNoi(): Html {
  const rows = readAccuracies().filter(({ by }) => by === 'units' || by === 'cap');
  return html`<h2 id="real-noi">How close is it to what owners earned?</h2>
    <p>
      We underwrote buildings whose income is known and divided our NOI by theirs. 1.10 means that our NOI is at least
      10% too high for half of them. For owners, it is measured in areas whose answers were not used. The owners
      answered one national survey, about 2011. The assessor’s figures are a model of his own, not income; the loans are
      too few.
    </p>
    ${cardTable(
      'Our NOI over known NOI: median, and who earned less',
      COLUMNS,
      rows.map((row) => [
        row.group,
        SOURCES[row.source],
        countText(row.n),
        html`<strong>${(row.held_out ?? row.ours_over_real)?.toFixed(2) ?? ''}</strong>`,
        row.shortcut_over_real?.toFixed(2) ?? '',
        share(row.below_ours_pct),
        share(row.below_middle_pct),
      ]),
    )}
    <p>
      <strong>A high cap rate of ours is mostly our optimism:</strong> the underwriting knows place, size, year and
      bedrooms. It cannot know the rent roll, the quality and condition of the units, staff, or a bad year. The middle
      of the range corrects for it. Ask the seller for twelve months of rents and bills.
    </p>`;
}

/** Groups of assumptions; a key belongs to the first group whose pattern matches. */
const GROUPS: readonly (readonly [title: string, keys: RegExp])[] = [
  ['Sensitivity grid of the report', /^grid_/],
  ['Condition and stressed coverage', /^(condition_|upfront_repairs_|taper_|stress_(coverage|variable|monthly)_)/],
  ['Offers', /^(target_cap_pct|offer_|stress_)/],
  ['Confidence', /^confidence_/],
  ['Deal score', /^(score_|line_|material_gap|claim_contradiction)/],
  ['Motivation and distress', /^(motivation_|distress_)/],
  ['Paths', /^(minimum_units|rental_|wholesale_|creative_)/],
  ['Loans', /^(loan_|minimum_loan|closing_cost_|seller_)/],
  ['Leads', /^(lead_|auction_|tax_)/],
  ['Limits of the proxy', /^proxy_/],
  ['Rent and expenses', /./],
];

function assumptions(context: PageContext): Html {
  const rows = context.request.snapshot
    .all('assumptions')
    .sort((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));
  const groups = Map.groupBy(rows, (row) => GROUPS.find(([, keys]) => keys.test(String(row['key'])))?.[0] ?? '');
  return html`${[...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([title, group]) =>
        html`<details>
          <summary>${title} (${group.length})</summary>
          ${wideTable(
            `Assumptions: ${title}`,
            html`<table class="declared">
              <thead>
                <tr>
                  <th>Key</th>
                  <th class="num">Value</th>
                  <th>Kind and basis</th>
                </tr>
              </thead>
              <tbody>
                ${group.map(
                  (route) =>
                    html`<tr>
                      <th>${String(route['key'])}</th>
                      <td>${String(route['value']).slice(0, 12)} ${words(String(route['unit']))}</td>
                      <td>${String(route['kind'])}: ${String(route['basis'])}</td>
                    </tr>`,
                )}
              </tbody>
            </table>`,
          )}
        </details>`,
    )}`;
}

async function distribution({ request: { snapshot } }: PageContext): Promise<Html> {
  const counts = new Map<number, number>();
  for (const [score, deals] of (await figuresOf(snapshot, activeDeals())).counts('deal_score')) {
    const tens = Math.min(9, Math.floor(Number(score) / 10));
    counts.set(tens, deals + (counts.get(tens) ?? 0));
  }
  return barChart({
    caption: 'Active deals by score',
    head: ['Score', 'Deals'],
    bars: Array.from({ length: 10 }, (_, i) => 9 - i).map((tens) => ({
      label: `${tens * 10} to ${tens === 9 ? 100 : tens * 10 + 9}`,
      figure: countText(counts.get(tens) ?? 0),
      to: counts.get(tens) ?? 0,
      tone: 'hud' as const,
    })),
  });
}

/** The underwriting. The simple proxy is a figure of its own. */
const BY_LINE = [
  'noi_underwritten = units × contract rent × 12 × (1 − vacancy of the metropolitan area) − expenses',
  'contract rent    = HUD’s rents by bedrooms, adjusted to sitting tenants, less their utilities',
  'expenses         = property tax after a sale + insurance + management + repairs',
  '                   + utilities of the owner + other, half of it the typical ratio',
];

/** Value of an assumption by its key. */
type ValueOf = (key: string) => string;

function underwritingFormula(value: ValueOf): string {
  const [large, more] = [value('expense_ratio_13_50'), value('expense_ratio_51_up')];
  return [
    ...BY_LINE,
    `noi_hud_2br      = units × HUD 2-bedroom rent × (1 − ${value('utility_share')})`,
    `                   × 12 × (1 − ${value('vacancy')}) × (1 − expense ratio)`,
    `expense ratio    = ${value('expense_ratio_2_4')} to ${value('small_units_max')} units,`,
    `                   ${value('expense_ratio_5_12')} to ${value('medium_units_max')},`,
    `                   ${large} to ${value('large_units_max')}, ${more} above;`,
    `                   ${value('expense_old_adjustment')} more if built before ${value('old_before_year')},`,
    `                   ${value('expense_new_adjustment')} if built from ${value('new_from_year')} on`,
    `bank loan        = ${value('loan_to_value')} of the price over ${value('loan_years')} years, paid monthly, at`,
    value('loan_rate_method') === 'survey'
      ? `                   the newest survey rate of 30-year mortgages plus ${value('loan_rate_spread')} points`
      : `                   ${value('loan_rate_pct')}%`,
  ].join('\n');
}

const scoreParts = (value: ValueOf): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Part</th>
        <th scope="col" class="num">Maximum</th>
        <th scope="col">Based on</th>
      </tr>
    </thead>
    <tbody>
      <tr>
        <th scope="row">Yield</th>
        <td class="num">${value('score_yield_weight')}</td>
        <td>
          what owners of such buildings typically earn, over price and repairs: none at
          ${value('score_yield_from_pct')}%, the maximum ${value('score_yield_span_pct')} points higher
        </td>
      </tr>
      <tr>
        <th scope="row">Debt coverage</th>
        <td class="num">${value('score_coverage_weight')}</td>
        <td>
          what owners typically earn, less reserves, over the payments: none up to ${value('score_coverage_from')}, the
          maximum ${value('score_coverage_span')} higher
        </td>
      </tr>
      <tr>
        <th scope="row">Motivation</th>
        <td class="num">${value('score_motivation_weight')}</td>
        <td>price cuts and days on the market, as seen by this service</td>
      </tr>
      <tr>
        <th scope="row">Distress</th>
        <td class="num">${value('score_distress_weight')}</td>
        <td>tax delinquency and sheriff sale at exactly this address</td>
      </tr>
      <tr>
        <th scope="row">Condition</th>
        <td class="num">0</td>
        <td>
          a building condemned, ordered to be vacated or registered as vacant has ${value('condition_score_cap')} points
          at most; an open case on a serious fault takes ${value('condition_case_points')}
        </td>
      </tr>
    </tbody>
  </table>`;

const threePaths = (value: ValueOf): Html =>
  html`<h2>Three paths</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Path</th>
          <th scope="col">Hot</th>
          <th scope="col">Warm</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Rental</th>
          <td>coverage ${value('rental_hot_coverage')} and cap rate ${value('rental_hot_cap_pct')}%</td>
          <td>coverage ${value('rental_warm_coverage')} and cap rate ${value('rental_warm_cap_pct')}%</td>
        </tr>
        <tr>
          <th scope="row">Wholesale</th>
          <td>
            asking at most ${value('wholesale_share')} of the income value at ${value('wholesale_arv_cap_pct')}%, minus
            repairs by age of building and a fee of $${value('wholesale_fee')}
          </td>
          <td>
            asking up to ${value('wholesale_warm_multiple')} times that, with motivation
            ${value('wholesale_warm_motivation')}
          </td>
        </tr>
        <tr>
          <th scope="row">Creative finance</th>
          <td>
            coverage ${value('creative_hot_coverage')} at seller terms, with motivation or distress
            ${value('creative_hot_motivation')}
          </td>
          <td>coverage ${value('creative_warm_coverage')}, with ${value('creative_warm_motivation')}</td>
        </tr>
      </tbody>
    </table>`;

const confidence = (value: ValueOf): Html =>
  html`<h2>Confidence, 0 to 1</h2>
    <p>
      Degree to which the record is verified or computed rather than assumed. Each input has a weight: the price, units,
      year of construction, bedrooms, HUD’s rent, the rent of sitting tenants, utilities, vacancy, the tax bill and
      rate, expenses, the loan rate, the claim, and whether claim and underwriting agree. An input known in part earns
      ${value('confidence_partly')} of it, an assumed one nothing. 1.00 means that all of these are known; insurance,
      repairs and other lines are always estimates and not among them. The condition of the building lowers it.
      <code>confidence_parts</code> has what each earns, and <code>confidence_reasons</code> why some earn less.
    </p>`;

const leadScore = (value: ValueOf): Html =>
  html`<h2>Lead score</h2>
    <p>
      A tax lead starts at ${value('tax_base')} points and gets more for debt relative to the county’s value, months of
      delinquency, an absentee owner, corroboration and freshness. An auction lead starts at ${value('auction_base')}
      and gets more for the equity that published debts leave, and for urgency, which is highest from
      ${value('auction_days_2')} to ${value('auction_days_3')} days before the sale: a letter to the owner takes days.
      Both get points for the kind of property, up to ${value('lead_kind_two_to_four')}, and for each further
      independent kind of distress of the property (a foreclosure filing, a code case, a vacant or condemned building),
      up to ${value('stacked_building')} each. <code>score_rationale</code> lists each part with its points.
    </p>`;

export const scores: Page = {
  path: '/scores',
  label: 'Scores',
  title: 'How scores are computed',
  cache: 'snapshot',
  about: 'The formulas and declared assumptions of every score.',
  async content(context) {
    const { values } = context.meta.assumptions;
    const value: ValueOf = (key) => values[key] ?? '?';
    return html`<h1>How scores are computed</h1>
      <p class="lead">
        A score is a sum of named parts. Each part is a formula over figures of the record and the values declared here,
        so anyone can recompute it; a report prints every step. The current set is
        <code>${context.meta.assumptions.assumption_set_id}</code>.
      </p>
      <h2>Deal score, 0 to 100</h2>
      <div class="split">
        <div>
          ${scoreParts(value)}
          <p>
            <strong>Claims never raise a score.</strong> The scoring NOI is the lower of the underwritten NOI and the
            midpoint between it and the claim. If HUD’s rent does not fit (a price per unit above
            ${value('proxy_high_multiple')} or below ${value('proxy_low_multiple')} monthly rents), yield and coverage
            get no points and every path is Pass. Near these limits, at low prices per unit and at high cap rates the
            points taper: such a price points to a building in bad condition.
          </p>
        </div>
        <div>${await distribution(context)}</div>
      </div>
      <h2>Underwriting</h2>
      ${code('The formulas of underwritten NOI', underwritingFormula(value))} ${realNoi()} ${threePaths(value)}
      ${confidence(value)} ${leadScore(value)}
      <p>
        The weights are declared choices, not findings. <code>make backtest</code> measures whether the score predicts
        later outcomes, over the snapshots of a folder.
      </p>
      <h2 id="assumptions">Every declared value</h2>
      <p>
        <em>evidence</em>: from a public source. <em>proposal</em>: a declared choice. <em>computed</em>: derived from
        other values. <em>override</em>: set by the operator of this server.
      </p>
      ${assumptions(context)}`;
  },
};
