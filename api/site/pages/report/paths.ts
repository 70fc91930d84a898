/** The three paths of a report: the decision, and the figures that decide it with their thresholds. */
import { absent, dollarsText, percentText, ratioText } from '../../format.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { sub, tag, terms } from '../../components.ts';
import type { ReportBody } from '../../../routes/report/report.ts';
import { PATH_REASONS } from './words.ts';

/** Figures of a path by name. */
type Figures = Readonly<Record<string, string | number | boolean | null>>;
type Write = (number: number) => string;

const points: Write = (number) => `${number} of 100`;

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
        points,
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
