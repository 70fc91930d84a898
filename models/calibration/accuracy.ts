/** How close our figures are to what buildings earned, as README, docs and site show it. The server reads it too. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { table } from '../../lib/markdown.ts';

/** Written by `make calibrate`, the page between two marks. */
export const ACCURACY_CSV = new URL('accuracy.csv', import.meta.url);
export const ACCURACY_PAGE = new URL('../../docs/calibration.md', import.meta.url);
const MARKED = /(?<=<!-- accuracy -->\n\n)[^]*(?=\n\n<!-- end of accuracy -->)/u;

const figure = z.union([z.literal('').transform(() => null), z.coerce.number()]);

/** A group of buildings. Ratios are medians where the owner earned something; percents count each owner's weight. */
const Accuracy = z.object({
  /** The source of the NOI that ours is compared with. */
  source: z.enum(['owners', 'assessor', 'loans']),
  by: z.enum(['units', 'year', 'cap', 'all', 'transfer']),
  group: z.string(),
  n: z.coerce.number().int(),
  ours_over_real: figure,
  /** The same in places on which nothing was fitted. */
  held_out: figure,
  shortcut_over_real: figure,
  below_ours_pct: figure,
  below_middle_pct: figure,
  below_low_pct: figure,
  within_pct: figure,
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

/** docs/calibration.md shows all groups of owners, the only source that figures are fitted on. */
const isShown = ({ source, by }: Accuracy): boolean =>
  source === 'owners' || by === 'all' || (source === 'assessor' && by === 'units');

/** docs/calibration.md with the table of these rows. */
export const pageWith = (rows: readonly Accuracy[]): string =>
  readFileSync(ACCURACY_PAGE, 'utf8').replace(MARKED, () =>
    table(
      ['source', 'buildings', 'n', 'ours / theirs', 'held out', 'shortcut', '< ours', '< middle', '< low', 'in range'],
      rows
        .filter(isShown)
        .map((row) => Object.entries(row).flatMap(([name, value]) => (name === 'by' ? [] : [String(value ?? '')]))),
    ),
  );
