/** The three paths of a report: the decision, the figures that decide it with their thresholds, and all inputs. */
import { absent, countText, dollarsText, percentText, ratioText, shareText } from '../../format.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { fold, sub, tag, terms } from '../../layout.ts';
import type { ReportBody } from '../../../routes/report/report.ts';
import { DSCR_STATUSES, PATH_REASONS } from './words.ts';

type Name = keyof ReportBody['paths'];
/** Figures of a path by name. */
type Figures = Readonly<Record<string, string | number | boolean | null>>;
type Write = (value: string) => Piece;

const dollars: Write = (value) => dollarsText(Number(value));
const percent: Write = (value) => percentText(Number(value));
const ratio: Write = (value) => ratioText(Number(value));
const points: Write = (value) => `${value} of 100`;
const share: Write = (value) => shareText(value);
const number: Write = (value) => countText(Number(value));
const oneOf =
  (texts: Readonly<Record<string, string>>): Write =>
  (value) =>
    texts[value] ?? value;

/** Label and unit of each input. */
const INPUTS: Readonly<Record<string, readonly [label: string, write: Write]>> = {
  coverage_scoring: ['Debt coverage after reserves', ratio],
  cap_scoring_pct: ['Cap rate used for the rating', percent],
  noi_scoring: ['Net operating income used for the rating, a year', dollars],
  reserves_per_unit: ['Reserves per unit, a year', dollars],
  annual_debt_service: ['Loan payments, a year', dollars],
  loan_amount: ['Bank loan', dollars],
  minimum_loan: ['Smallest loan that lenders make', dollars],
  dscr_status: ['Debt coverage', oneOf(DSCR_STATUSES)],
  list_price: ['Asking price', dollars],
  units: ['Units', number],
  noi_underwritten: ['Underwritten net operating income, a year', dollars],
  upfront_repairs_per_unit: ['Repairs per unit, paid upfront', dollars],
  arv: ['After-repair value (ARV)', dollars],
  mao: ['Maximum allowable offer (MAO)', dollars],
  motivation_score: ['Signs that the seller is motivated', points],
  distress_score: ['Distress in county records', points],
  motivation_or_distress: ['Seller pressure, the higher of the two', points],
  seller_coverage: ['Debt coverage on seller terms', ratio],
  seller_debt_service: ['Payments on seller terms, a year', dollars],
  market_coverage: ['Debt coverage with a bank loan', ratio],
  needed: ['Needed because the income does not cover a bank loan', oneOf({ true: 'yes', false: 'no' })],
  subject_to: [
    'Taking over the seller’s loan',
    oneOf({ not_evaluated_no_existing_loan_data: 'not evaluated: existing loans are not public' }),
  ],
};

/** Label and unit of each threshold that the table of deciding figures does not show. */
const THRESHOLDS: Readonly<Record<string, readonly [label: string, write: Write]>> = {
  arv_cap_pct: ['Cap rate at which a repaired building sells', percent],
  share_of_arv: ['Share of the ARV that a wholesaler pays', share],
  upfront_repairs_per_unit: ['Repairs per unit, subtracted', dollars],
  fee: ['Wholesaler’s fee', dollars],
  warm_multiple: ['Warm up to this multiple of the MAO', ratio],
  warm_motivation: ['Warm from this motivation score', points],
  market_coverage: ['Income covers a bank loan from', ratio],
};

/** A figure that decides, with the keys of its thresholds. */
interface Deciding {
  readonly input: string;
  readonly hot: string;
  readonly warm: string;
}

const PATHS: readonly {
  readonly name: Name;
  readonly title: string;
  readonly about: string;
  readonly deciding: readonly Deciding[];
}[] = [
  {
    name: 'rental',
    title: 'Rental',
    about: 'Hold it with a bank loan: does the income cover the debt, after reserves?',
    deciding: [
      { input: 'coverage_scoring', hot: 'hot_coverage', warm: 'warm_coverage' },
      { input: 'cap_scoring_pct', hot: 'hot_cap_pct', warm: 'warm_cap_pct' },
    ],
  },
  {
    name: 'wholesale',
    title: 'Wholesale',
    about: 'Assign the contract: is the asking price below what a rehabber could pay?',
    deciding: [],
  },
  {
    name: 'creative_finance',
    title: 'Creative finance',
    about: 'Buy on seller terms: does the income cover the payments, and does the seller have a reason to agree?',
    deciding: [
      { input: 'seller_coverage', hot: 'hot_coverage', warm: 'warm_coverage' },
      { input: 'motivation_or_distress', hot: 'hot_motivation_or_distress', warm: 'warm_motivation_or_distress' },
    ],
  },
];

const TONES = { Hot: 'good', Warm: 'thin', Pass: 'plain' } as const;

/** A figure as text. */
const shown = (write: Write, value: Figures[string] | undefined): Piece =>
  value === null || value === undefined ? absent : write(String(value));

const rowsOf = (values: Figures, labels: Readonly<Record<string, readonly [label: string, write: Write]>>): Html =>
  terms(
    'pairs',
    Object.entries(values).flatMap(([key, value]) => {
      const [label, write] = labels[key] ?? [];
      return write === undefined ? [] : [[label, shown(write, value)]];
    }),
  );

function path(report: ReportBody, { name, title, about, deciding }: (typeof PATHS)[number]): Html {
  const { status, reason, ...figures } = report.paths[name];
  const { inputs, thresholds }: { inputs: Figures; thresholds: Figures } = figures;
  const decide = deciding.map(({ input, hot, warm }): [string, Piece] => {
    const [label, write] = INPUTS[input] ?? [input, number];
    const needed = ['Hot from ', shown(write, thresholds[hot]), ', Warm from ', shown(write, thresholds[warm])];
    return [label, [html`<strong>${shown(write, inputs[input])}</strong>`, sub(needed)]];
  });
  const { list_price: price = null, mao = null } = inputs;
  return html`<section class="panel">
    <h3>${title} ${tag(TONES[status], status)}</h3>
    <p>${about}</p>
    <p><strong>${PATH_REASONS[reason] ?? reason}</strong></p>
    ${decide.length > 0 && terms('pairs', decide)}
    ${price !== null && mao !== null && rowsOf({ list_price: price, mao }, INPUTS)}
    ${fold('All inputs', rowsOf(inputs, INPUTS), rowsOf(thresholds, THRESHOLDS))}
  </section>`;
}

export const threePaths = (report: ReportBody): Html =>
  html`<h2 id="paths">Three paths</h2>
    <div class="trio">${PATHS.map((one) => path(report, one))}</div>`;
