/**
 * Sections of a report: the claim, from HUD's rent to NOI and cash flow step by step, the offer with its limits, and
 * the three paths with the figures that decide them.
 */
import { html, type Html, type Piece } from '../../html.ts';
import {
  absent,
  dollars,
  percent,
  shareText,
  day,
  dollarsText,
  points,
  ratio,
  percentText,
  ratioText,
} from '../../format.ts';
import { cardTable, externalLink, listed, num, sub, outcome, tag, terms } from '../../components.ts';
import type { ReportBody } from '../../../routes/report.ts';
import {
  CONTRACTS,
  IN_PLACE,
  lineName,
  lineBasis,
  MIXES,
  RENTS,
  RANGES,
  RISKS,
  SOURCES,
  TAX_AFTER,
  TAX_AT_SALE,
  TAX_BILLS,
  TAX_RATES,
  TAX_RULES,
  CLAIMS,
  OFFERS,
  RELIABILITIES,
  UNDERWRITE_REASONS,
  PATH_REASONS,
} from './words.ts';
import { barChart, type Bar } from '../../charts.ts';

type Deal = ReportBody['deal'];
type ByBedrooms = Deal['rent_steps']['market']['rents'];

const BEDROOMS: readonly (readonly [key: keyof ByBedrooms, label: string])[] = [
  ['br_0', 'no bedroom'],
  ['br_1', 'one bedroom'],
  ['br_2', 'two bedrooms'],
  ['br_3', 'three bedrooms'],
  ['br_4', 'four or more bedrooms'],
];

/** "41% with one bedroom, 59% with two bedrooms", or units if the listing states them. */
const mixText = ({ basis, weights }: Deal['rent_steps']['mix']): string =>
  BEDROOMS.flatMap(([key, label]) => {
    const weight = weights[key];
    if (weight === null || Number(weight) === 0) return [];
    return [`${basis === 'listing' ? String(Number(weight)) : shareText(weight)} with ${label}`];
  }).join(', ');

function ratiosText(ratios: ByBedrooms): string {
  const known = BEDROOMS.flatMap(([key]) => ratios[key] ?? []).sort((a, b) => Number(a) - Number(b));
  const [least, most] = [known[0], known.at(-1)];
  if (least === undefined || most === undefined) return '';
  return `${least === most ? '' : `${shareText(least)} to `}${shareText(most)} of HUD’s rents`;
}

/** Place and year of a step, with a link to the source if there is one. */
function placeOf(url: string | null, ...parts: readonly (Piece | null)[]): Piece {
  const known = parts.filter((piece) => piece !== null);
  if (known.length === 0) return absent;
  return url === null ? listed(known) : externalLink(url, listed(known));
}

function rentSteps(deal: Deal): Html {
  const { mix, in_place: inPlace, contract } = deal.rent_steps;
  const fiscalYear = deal.rent_fiscal_year === null ? null : `fiscal year ${deal.rent_fiscal_year}`;
  return html`<h2 id="rent">From HUD’s rent to contract rent</h2>
    ${cardTable(
      'Rent of a unit for a month, step by step',
      ['Step', num('Rent'), 'Based on', 'Place and year'],
      [
        [
          'Rent of two bedrooms',
          dollars(deal.market_rent_2br),
          RENTS[deal.rent_basis],
          placeOf(deal.rent_source_url, deal.rent_area_name, fiscalYear),
        ],
        [
          'Rent for the bedrooms of the building',
          dollars(deal.market_rent_mix),
          [MIXES[mix.basis], sub(mixText(mix))],
          absent,
        ],
        [
          'Rent that sitting tenants pay',
          dollars(deal.rent_in_place),
          [IN_PLACE[inPlace.basis], sub(ratiosText(inPlace.ratios))],
          placeOf(inPlace.source_url, inPlace.area, inPlace.year),
        ],
        [
          html`<strong>Contract rent</strong>, without utilities that tenants pay`,
          dollars(deal.contract_rent),
          [
            CONTRACTS[contract.basis],
            contract.utility_share !== null && sub(`utilities are ${shareText(contract.utility_share)} of the rent`),
          ],
          placeOf(contract.source_url, contract.area, contract.year),
        ],
      ],
    )}`;
}

function expenses(deal: Deal): Html {
  const { expense_lines: lines } = deal;
  if (lines.length === 0)
    return html`<h2 id="expenses">Expenses</h2>
      <p>The income is unknown, and so are the expenses.</p>`;
  return html`<h2 id="expenses">Expenses, line by line</h2>
    ${cardTable(
      'Dollars per year',
      ['Expense', num('Amount'), 'Based on', 'Source, place, date'],
      lines.map((line) => [
        lineName(line),
        dollars(line.amount),
        lineBasis(line, deal.property_tax),
        [SOURCES[line.source] ?? line.source, sub(listed([line.place, line.as_of].filter((piece) => piece !== null)))],
      ]),
    )}
    <p>
      Tables by size say little about one building, so half of these lines, the tax excepted, is replaced by what
      buildings of this size and age typically spend: ${percent(deal.expense_typical_pct)} of the income in all.
      Operating expenses are ${dollars(deal.operating_expenses)}, or ${percent(deal.expense_ratio_pct)}. Reserves of
      ${dollars(deal.reserves)} come after NOI.
    </p>`;
}

function tax({ property_tax: propertyTax, tax_after_reset: after, ...deal }: Deal): Html {
  const factor = Number(propertyTax.class_factor);
  return html`<h2 id="tax">Property tax after a sale</h2>
    <p>
      Today’s tax is ${dollars(propertyTax.current)} (${TAX_BILLS[propertyTax.current_basis]}). At the asking price it
      is ${dollars(propertyTax.at_price)}: ${percent(propertyTax.rate_pct)} of the price
      (${TAX_RATES[propertyTax.rate_basis]})${factor === 1 ? '' : ` times ${factor} for rental buildings`}. After a sale
      a buyer pays <strong>${dollars(after)}</strong> (${TAX_AFTER[propertyTax.after_basis]}); in this state
      ${TAX_AT_SALE[propertyTax.at_sale]}.
      ${TAX_RULES[propertyTax.rule_basis]}${propertyTax.statute === null ? '' : html` (${propertyTax.statute})`}.
      ${
        propertyTax.if_appealed !== null &&
        html`The county assesses the building above the price; an appeal may lower the tax to
        ${dollars(propertyTax.if_appealed)}, which this report does not count.`
      }
      NOI is ${dollars(deal.noi_at_current_tax)} with today’s tax and ${dollars(deal.noi_after_reset)} after a sale.
    </p>`;
}

/** Both underwritings, so that a reader sees how much the method matters. */
const underwritings = (deal: Deal): Html =>
  html`<h2 id="noi">Two underwritings</h2>
    ${cardTable(
      'Net operating income per year',
      ['Underwriting', num('NOI'), num('Cap rate')],
      [
        ['Ours: it counts in scores and offers', dollars(deal.noi_underwritten), percent(deal.cap_rate_underwritten)],
        [
          'Simple proxy: HUD’s 2-bedroom rent for every unit, one expense ratio',
          dollars(deal.noi_hud_2br),
          percent(deal.cap_rate_hud_2br),
        ],
      ],
    )}
    <p><a href="/scores#real-noi">How both compare with what owners earned</a></p>`;

/** The public record of the condition, with its page. */
const recordOf = ({ condition_record_url: url, condition_record_on: on }: ReportBody['deal']): Html =>
  url === null
    ? html` Nobody has inspected the building.`
    : html` ${externalLink(url, `The public record${on === null ? '' : ` of ${on}`}`)}.`;

/** What owners of such buildings earned, and what points to a building in bad condition. */
function risks({ deal }: ReportBody): Html {
  const share =
    deal.score_share_pct === null || Number(deal.score_share_pct) === 100
      ? ''
      : html` ${percent(deal.score_share_pct)} of the points for yield and coverage count.`;
  return html`<h2 id="risks">What owners earned, and the condition</h2>
    <p>${deal.noi_range_note ?? RANGES[deal.noi_range_reason]}</p>
    <p><strong>Condition:</strong> ${RISKS[deal.condition_risk]}${share}${recordOf(deal)}</p>`;
}

/** Every step from rent to NOI, and what can go wrong. */
export const incomeSteps = (report: ReportBody): Html =>
  html`${rentSteps(report.deal)} ${expenses(report.deal)} ${tax(report.deal)} ${underwritings(report.deal)}
  ${risks(report)}`;

type Line = ReportBody['comparison']['lines'][number];
type Bank = ReportBody['debt_terms']['bank'];

/** The limit that determines the size of the loan. */
const LOAN_LIMITS: Readonly<Record<NonNullable<ReportBody['deal']['loan_binding']>, string>> = {
  loan_to_value: 'limited by the price',
  debt_coverage: 'limited by the income',
  minimum_loan: 'the income covers less than the smallest loan',
  none: 'no income is left after reserves',
};

const FIGURES: Readonly<Record<Line['figure'], readonly [title: string, write: (value: string | null) => Html]>> = {
  noi: ['Net operating income', dollars],
  cap_rate_pct: ['Cap rate', percent],
  dscr: ['Debt coverage', ratio],
};

/** Claim and underwriting of one figure, on one scale. */
function pair({ figure, claimed, underwritten, difference }: Line): Html {
  const [title, write] = FIGURES[figure];
  const bar = (label: string, value: string | null, tone: Bar['tone']): Bar => ({
    label,
    figure: write(value),
    to: Number(value ?? 0),
    tone,
  });
  const gap = difference === null ? absent : figure === 'cap_rate_pct' ? points(difference) : write(difference);
  return barChart({
    caption: html`<strong>${title}</strong>, claim minus underwriting: ${gap}`,
    head: ['Source', title],
    bars: [bar('Broker’s claim', claimed, 'claimed'), bar('HUD rents', underwritten, 'hud')],
  });
}

export function comparison({ comparison: compared, deal }: ReportBody): Html {
  const reason = compared.reliability_reason === null ? '' : ` ${UNDERWRITE_REASONS[compared.reliability_reason]}`;
  return html`<h2 id="claimed">Claimed and underwritten</h2>
    <p>
      Claim: ${CLAIMS[compared.claim_basis]}. ${RELIABILITIES[compared.reliability]}.${reason} The rent:
      ${RENTS[deal.rent_basis]}${deal.rent_area_name === null ? '' : html`, ${deal.rent_area_name}`}.
      <a href="#rent">From HUD’s rent to ours</a>.
    </p>
    ${compared.lines.map(pair)}`;
}

/** The basis of the loan rate. */
function rateBasis({ rate_on: on, rate_source_url: url, rate_is_made_up: isMadeUp }: Bank, spread: string): Piece {
  if (on === null || url === null) return ' (our assumption, not a rate of the day)';
  const survey = externalLink(url, isMadeUp ? 'a made-up survey' : 'the survey of mortgage rates');
  return [' (', survey, ' of ', day(on), `, plus ${spread} points)`];
}

/** The loan that a lender sizes, and the cash that it leaves to the buyer. */
function sizedLoan({ debt_terms: { sized } }: ReportBody): Html | '' {
  if (sized.loan_amount === null) return '';
  const loan = Number(sized.loan_amount) === 0 ? 'nothing' : dollars(sized.loan_amount);
  const limit = sized.binding === null ? '' : html` (${LOAN_LIMITS[sized.binding]})`;
  return html`A lender that wants coverage of ${sized.coverage} after reserves lends ${loan}${limit}, so a buyer needs
  ${dollars(sized.cash_needed)} in cash and earns ${percent(sized.cash_on_cash_pct)} on it.`;
}

/** Waterfall from potential rent to cash flow after debt; each step starts where the previous one ends. */
export function income(report: ReportBody): Html {
  const { deal, debt_terms: debt, assumptions } = report;
  const {
    gross_potential_rent: gross,
    effective_gross_income: effective,
    noi_underwritten: noi,
    annual_debt_service: service,
  } = deal;
  if (gross === null || effective === null || noi === null)
    return html`<h2 id="cash">From rent to cash flow</h2>
      <p>There is no underwriting. ${UNDERWRITE_REASONS[deal.underwrite_reason ?? 'rent_missing']}</p>`;
  const [all, left, net] = [Number(gross), Number(effective), Number(noi)];
  const cash = net - Number(service ?? 0);
  /** A figure from zero, or a step from one figure down to the next. */
  const bar = (label: Piece, tone: Bar['tone'], to: number, from?: number): Bar => ({
    label,
    figure: dollarsText(from === undefined ? to : from - to),
    to,
    tone,
    ...(from !== undefined && { from }),
  });
  const afterDebt = [
    bar('minus debt service', 'muted', net, cash),
    bar(html`<strong>Cash flow after debt</strong>`, cash < 0 ? 'bad' : 'good', cash),
  ];
  const bars: Bar[] = [
    bar('Rent of all units', 'hud', all),
    bar('minus vacancy', 'muted', all, left),
    bar(['minus expenses (', percent(deal.expense_ratio_pct), ')'], 'muted', left, net),
    bar(html`<strong>Net operating income</strong>`, 'hud', net),
    ...(service === null ? [] : afterDebt),
  ];
  const low = Math.min(0, ...bars.map((b) => Math.min(b.from ?? 0, b.to)));
  return html`<h2 id="cash">From rent to cash flow</h2>
    <p>
      Bank loan: ${dollars(debt.bank.loan_amount)} at ${percent(debt.bank.rate_pct)} over ${debt.bank.years}
      years${rateBasis(debt.bank, assumptions.values['loan_rate_spread'] ?? '0')}. ${sizedLoan(report)}
    </p>
    ${barChart({ caption: 'Dollars per year', head: ['Step', 'Dollars'], bars, low })}`;
}

const LIMITS: Readonly<Record<string, string>> = {
  list_price: 'Asking price',
  target_cap: 'Income at the target cap rate',
  debt_coverage: 'Debt coverage',
};

export function offer({ offer: offered, deal }: ReportBody): Html {
  if (offered.high === null || offered.low === null)
    return html`<h2 id="offer">Offer</h2>
      <p>There is no offer range. ${OFFERS[offered.status]}</p>`;
  const [low, high] = [Number(offered.low), Number(offered.high)];
  return html`<h2 id="offer">Offer</h2>
    <p>
      <strong class="price">${low === high ? dollarsText(high) : `${dollarsText(low)} to ${dollarsText(high)}`}</strong>
      at a target cap rate of ${percent(offered.target_cap_pct)}, on
      ${offered.noi_basis === 'claimed_noi' ? 'the broker’s unverified claim' : 'our NOI'}. The high end is limited by:
      <strong>${LIMITS[offered.high_binding ?? ''] ?? absent}</strong>.
      ${
        offered.low_binding === 'stress'
          ? 'The low end is the offer in the stress case.'
          : 'Low equals high: the stress case changes nothing.'
      }
    </p>
    ${barChart({
      caption: html`Limits of the offer; the line marks the high end`,
      head: ['Limit', 'Dollars'],
      bars: [
        ...offered.constraints.map((limit): Bar => ({
          label: [LIMITS[limit.constraint], limit.binding && [' ', tag('good', 'sets the offer')]],
          figure: dollars(limit.figure),
          to: Number(limit.figure),
          mark: high,
          tone: limit.binding ? 'hud' : 'muted',
        })),
        {
          label: html`<strong>Offer range</strong>`,
          figure: low === high ? dollarsText(high) : html`${dollarsText(low)} –<br />${dollarsText(high)}`,
          from: low,
          to: high,
          mark: high,
          tone: 'good',
        },
      ],
    })}
    ${
      deal.offer_status === 'claimed_basis_unverified' &&
      outcome('thin', 'HUD’s rent does not fit this property, so the range rests on the broker’s unverified claim.')
    }`;
}

/** Figures of a path by name. */
type Figures = Readonly<Record<string, string | number | boolean | null>>;
type Write = (number: number) => string;

const ofHundred: Write = (number) => `${number} of 100`;

/** A figure that decides: its key, label and unit, and the key of its thresholds after "hot_" and "warm_". */
type Deciding = readonly [input: string, label: string, write: Write, threshold?: string];

const PATHS: readonly (readonly [keyof ReportBody['paths'], string, string, readonly Deciding[]])[] = [
  [
    'rental',
    'Rental',
    'Hold it with a bank loan: does the income cover the debt, after reserves?',
    [
      ['coverage_scoring', 'Debt coverage after reserves', ratioText, 'coverage'],
      ['cap_scoring_pct', 'Cap rate used for the rating', percentText, 'cap_pct'],
    ],
  ],
  [
    'wholesale',
    'Wholesale',
    'Assign the contract: is the asking price below what a rehabber could pay?',
    [
      ['list_price', 'Asking price', dollarsText],
      ['mao', 'Maximum allowable offer (MAO)', dollarsText],
    ],
  ],
  [
    'creative_finance',
    'Creative finance',
    'Buy on seller terms: does the income cover the payments, and does the seller have a reason to agree?',
    [
      ['seller_coverage', 'Debt coverage on seller terms', ratioText, 'coverage'],
      [
        'motivation_or_distress',
        'Seller pressure, the higher of motivation and distress',
        ofHundred,
        'motivation_or_distress',
      ],
    ],
  ],
];

const TONES = { Hot: 'good', Warm: 'thin', Pass: 'plain' } as const;

function path({ paths }: ReportBody, [name, title, about, deciding]: (typeof PATHS)[number]): Html {
  const { status, reason, ...figures } = paths[name];
  const { inputs, thresholds }: { inputs: Figures; thresholds: Figures } = figures;
  const rows = deciding.map(([input, label, write, threshold]): [string, Piece] => {
    const shown = (value: Figures[string] = null): Piece => (value === null ? absent : write(Number(value)));
    if (threshold === undefined) return [label, shown(inputs[input])];
    const [hot, warm] = [shown(thresholds[`hot_${threshold}`]), shown(thresholds[`warm_${threshold}`])];
    return [label, [html`<strong>${shown(inputs[input])}</strong>`, sub('Hot from ', hot, ', Warm from ', warm)]];
  });
  return html`<section class="panel">
    <h3>${title} ${tag(TONES[status], status)}</h3>
    <p>${about}</p>
    <p><strong>${PATH_REASONS[reason] ?? reason}</strong></p>
    ${terms('pairs', rows)}
  </section>`;
}

export const threePaths = (report: ReportBody): Html =>
  html`<h2 id="paths">Three paths</h2>
    <div class="trio">${PATHS.map((one) => path(report, one))}</div>`;
