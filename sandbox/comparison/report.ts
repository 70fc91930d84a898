/** The report of `make reconcile`: one line per table and group of fields, with its first differences. */
import { AnyOf, isEqual, ROWS, type Comparison, type Difference } from './compare.ts';

/** Differences shown below a line, of each kind. */
const SHOWN = 3;

const text = (value: unknown): string =>
  value instanceof AnyOf ? value.values.map(text).join(' or ') : (JSON.stringify(value) ?? 'nothing');

function differenceText({ key, field, expected, found, page }: Difference): string {
  const rows = (count: unknown): string => (count === 1 ? '1 row' : `${String(count)} rows`);
  const values =
    field === null
      ? `expected ${rows(expected)}, found ${rows(found)}`
      : `${field}: expected ${text(expected)}, found ${text(found)}`;
  return `${key}  ${values}${page === null ? '' : `  (${page})`}`;
}

function shown(kind: string, differences: readonly Difference[]): string[] {
  const lines = differences.slice(0, SHOWN).map((difference) => `      ${kind} ${differenceText(difference)}`);
  const more = differences.length - lines.length;
  return more > 0 ? [...lines, `      ${kind}: ${more} more`] : lines;
}

const nameOf = ({ what, group }: Comparison): string => `${what}: ${group}`;

/** Lines of the table, each followed by its first differences. */
export function formatComparisons(comparisons: readonly Comparison[]): string[] {
  const width = Math.max(0, ...comparisons.map((comparison) => nameOf(comparison).length));
  const cells = (...values: readonly (string | number)[]): string =>
    values.map((value) => String(value).padStart(10)).join('');
  return [
    `  ${'table: fields'.padEnd(width)}${cells('compared', 'differing', 'missing', 'extra')}`,
    ...comparisons.flatMap((comparison) => {
      const { compared, differing, missing, extra } = comparison;
      return [
        `  ${nameOf(comparison).padEnd(width)}${cells(compared, differing.length, missing.length, extra.length)}`,
        ...shown('differing', differing),
        ...shown('missing', missing),
        ...shown('extra', extra),
      ];
    }),
  ];
}

/** One sentence: whether the snapshot equals the truth. */
export function verdict(comparisons: readonly Comparison[]): string {
  const rows = comparisons.filter(({ group }) => group === ROWS).reduce((sum, { compared }) => sum + compared, 0);
  const different = comparisons.filter((comparison) => !isEqual(comparison));
  if (different.length === 0) return `Equal: ${rows} true rows are published as they are, and no others.`;
  return (
    `Different in ${different.length} of ${comparisons.length} lines: ${different.map(nameOf).join('; ')}. ` +
    'Keys are of the world (properties L…, T…, A…) or of the pages; paths are below DATA_DIR.'
  );
}
