/** The three paths of a report: the decision, and the figures that decide it with their thresholds. */
import { absent, dollarsText, percentText, ratioText } from '../../format.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { sub, tag, terms } from '../../layout.ts';
import type { ReportBody } from '../../../routes/report/report.ts';
import { PATH_REASONS } from './words.ts';

type Name = keyof ReportBody['paths'];
/** Figures of a path by name. */
type Figures = Readonly<Record<string, string | number | boolean | null>>;
type Write = (value: string) => Piece;

const dollars: Write = (value) => dollarsText(Number(value));
const percent: Write = (value) => percentText(Number(value));
const ratio: Write = (value) => ratioText(Number(value));
const points: Write = (value) => `${value} of 100`;
/** Label and unit of each figure that decides. */
const INPUTS: Readonly<Record<string, readonly [label: string, write: Write]>> = {
  coverage_scoring: ['Debt coverage after reserves', ratio],
  cap_scoring_pct: ['Cap rate used for the rating', percent],
  list_price: ['Asking price', dollars],
  mao: ['Maximum allowable offer (MAO)', dollars],
  motivation_or_distress: ['Seller pressure, the higher of motivation and distress', points],
  seller_coverage: ['Debt coverage on seller terms', ratio],
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

function path(report: ReportBody, { name, title, about, deciding }: (typeof PATHS)[number]): Html {
  const { status, reason, ...figures } = report.paths[name];
  const { inputs, thresholds }: { inputs: Figures; thresholds: Figures } = figures;
  const decide = deciding.map(({ input, hot, warm }): [string, Piece] => {
    const [label, write] = INPUTS[input] ?? [input, points];
    const needed = ['Hot from ', shown(write, thresholds[hot]), ', Warm from ', shown(write, thresholds[warm])];
    return [label, [html`<strong>${shown(write, inputs[input])}</strong>`, sub(needed)]];
  });
  // A wholesaler compares the price with an offer.
  const offer = ['list_price', 'mao'].flatMap((input): [string, Piece][] => {
    const [label, write] = INPUTS[input] ?? [];
    return label && write && inputs[input] !== undefined ? [[label, shown(write, inputs[input])]] : [];
  });
  return html`<section class="panel">
    <h3>${title} ${tag(TONES[status], status)}</h3>
    <p>${about}</p>
    <p><strong>${PATH_REASONS[reason] ?? reason}</strong></p>
    ${terms('pairs', decide.length > 0 ? decide : offer)}
  </section>`;
}

export const threePaths = (report: ReportBody): Html =>
  html`<h2 id="paths">Three paths</h2>
    <div class="trio">${PATHS.map((one) => path(report, one))}</div>`;
