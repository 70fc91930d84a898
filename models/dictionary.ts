/** The data dictionary of published tables, as Markdown: for the docs and for a release. */
import type { Column } from '../lib/record.ts';
import type { storedType } from '../lib/stored_types.ts';
import type { Mart } from './index.ts';

/** A column is described once, in front of the tables, if this many tables have it with the same meaning. */
const SHARED_BY = 2;
/** A table states a reason of absence once, behind its columns, if this many of them have it. */
const ABSENT_TOGETHER = 3;

type TypeOf = typeof storedType;

/** Accepted values that the meaning does not name. */
const valuesOf = ({ about, values }: Column): string =>
  values === undefined || values.every((value) => new RegExp(`\\b${value}\\b`, 'u').test(about))
    ? ''
    : ` One of: ${values.join(', ')}.`;

/** Name, type, unit, meaning and accepted values. */
function meaningOf(column: Column, typeOf: TypeOf): string {
  const type = typeOf(column).replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ');
  const facts = [type === 'VARCHAR' ? '' : type, column.unit === 'UTC' ? '' : (column.unit ?? '')].filter(Boolean);
  return `\`${column.name}\`${facts.map((fact) => ` ${fact}`).join('')}: ${column.about}${valuesOf(column)}`;
}

const lineOf = (column: Column, typeOf: TypeOf): string =>
  `- ${meaningOf(column, typeOf)}${column.absent === undefined ? '' : ` Null: ${column.absent}.`}`;

const named = (columns: readonly Column[]): string => columns.map(({ name }) => `\`${name}\``).join(', ');

/** The columns of a table, and the reasons of absence that several of them have. */
function columnLines(columns: readonly Column[], typeOf: TypeOf): readonly string[] {
  const reasons = [...Map.groupBy(columns, ({ absent }) => absent)].filter(
    ([reason, absent]) => reason !== undefined && absent.length >= ABSENT_TOGETHER,
  );
  const isTogether = new Set(reasons.map(([reason]) => reason));
  return [
    columns.map((c) => (isTogether.has(c.absent) ? `- ${meaningOf(c, typeOf)}` : lineOf(c, typeOf))).join('\n'),
    ...reasons.map(([reason, absent]) => `${named(absent)} are null: ${reason ?? ''}.`),
  ];
}

/**
 * Sections of Markdown: the shared columns, then for each table the meaning of a row, key and columns.
 * @param typeOf column type in the file that is described
 */
export function dictionarySections(models: readonly Mart[], typeOf: TypeOf): readonly string[] {
  const columns = models.flatMap(({ contract }) => contract.record.columns);
  const shared = [...Map.groupBy(columns, (column) => lineOf(column, typeOf))]
    .filter(([, same]) => same.length >= SHARED_BY)
    .map(([line]) => line);
  const isShared = (column: Column): boolean => shared.includes(lineOf(column, typeOf));
  return [
    '## Shared columns',
    shared.join('\n'),
    ...models.flatMap(({ name, contract: { record, publish } }) => [
      `## ${name}`,
      [
        `${record.about} Key: ${record.key.map((column) => `\`${column}\``).join(', ')}.`,
        ...Object.entries(publish.references ?? {}).map(
          ([column, target]) => `\`${column}\` references \`${target}\`.`,
        ),
        ...(publish.isLarge ? ['The DuckDB file does not declare it, because the table is large.'] : []),
        ...(record.columns.some(isShared) ? [`Shared: ${named(record.columns.filter(isShared))}.`] : []),
      ].join(' '),
      ...columnLines(
        record.columns.filter((column) => !isShared(column)),
        typeOf,
      ),
    ]),
  ];
}
