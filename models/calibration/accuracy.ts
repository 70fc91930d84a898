/** How close our figures are to what buildings earned, as README, docs and site show it. The server reads it too. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { table } from '../../lib/markdown.ts';

/** Written by `make calibrate`, the page between two marks. */
export const ACCURACY_CSV = new URL('accuracy.csv', import.meta.url);
export const ACCURACY_PAGE = new URL('../../docs/calibration.md', import.meta.url);
const MARKED = /(?<=<!-- accuracy -->\n\n)[^]*(?=\n\n<!-- end of accuracy -->)/u;

const optional = z.union([z.literal('').transform(() => null), z.coerce.number()]);

/** A group of buildings. Ratios are medians where the owner earned something; percents count each owner's weight. */
const Accuracy = z.object({
  /** The source of the NOI that ours is compared with. */
  source: z.enum(['owners', 'assessor', 'loans']),
  by: z.enum(['units', 'year', 'cap', 'all', 'transfer']),
  group: z.string(),
  n: z.coerce.number().int(),
  ours_over_real: optional,
  /** The same in places on which no table was fitted. */
  held_out: optional,
  shortcut_over_real: optional,
  below_ours_pct: optional,
  below_middle_pct: optional,
  below_low_pct: optional,
  within_pct: optional,
});
export type Accuracy = z.infer<typeof Accuracy>;

/** The nature of each source. */
export const SOURCES: Readonly<Record<Accuracy['source'], string>> = {
  owners: 'owners’ statements, one national survey of 2011',
  assessor: 'the model of Cook County’s assessor',
  loans: 'statements and lenders’ figures of securitized loans',
};

export const readAccuracies = (): readonly Accuracy[] =>
  z.array(Accuracy).parse(parse(readFileSync(ACCURACY_CSV, 'utf8'), { columns: true }));

/** The sizes of buildings of one source, smallest first. */
export const bySize = (source: Accuracy['source']): readonly Accuracy[] =>
  readAccuracies().filter((row) => row.by === 'units' && row.source === source);

const ratio = (value: number | null): string => value?.toFixed(2) ?? '';
const percent = (value: number | null): string => (value === null ? '' : `${value} %`);

/** docs/calibration.md with the table of these rows. */
export const pageWith = (rows: readonly Accuracy[]): string =>
  readFileSync(ACCURACY_PAGE, 'utf8').replace(MARKED, () =>
    table(
      [
        'source',
        'buildings',
        'n',
        'ours over theirs',
        'held out',
        'earned less than ours',
        'than our middle',
        'in range',
      ],
      rows.map((row) => [
        row.source,
        row.group,
        String(row.n),
        ratio(row.ours_over_real),
        ratio(row.held_out),
        percent(row.below_ours_pct),
        percent(row.below_middle_pct),
        percent(row.within_pct),
      ]),
    ),
  );
