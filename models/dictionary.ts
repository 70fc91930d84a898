/** The data dictionary of published tables, as Markdown: for the docs and for a release. */
import type { Cause, Column } from '../lib/record.ts';
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

/** Name, type, unit, meaning and accepted values. Text has no type here, and no decimal with a unit (14,2). */
function meaningOf(column: Column, typeOf: TypeOf): string {
  const type = typeOf(column).replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ');
  const unit = column.unit === 'UTC' ? undefined : column.unit;
  const isUsual = type === (unit === undefined ? 'VARCHAR' : 'DECIMAL(14,2)');
  const facts = [isUsual ? '' : type, unit ?? ''].filter(Boolean);
  return `\`${column.name}\`${facts.map((fact) => ` ${fact}`).join('')}: ${column.about}${valuesOf(column)}`;
}

function causeName(cause: Cause): string {
  if (typeof cause === 'string') return `\`${cause}\``;
  return 'of' in cause ? `\`${cause.of}\` says why` : `\`${cause.code}\``;
}

/** Codes of the reasons of absence, or the columns that name them; words where a field has no codes. */
const absenceOf = ({ absent, causes }: Column): string | undefined => causes?.map(causeName).join(', ') ?? absent;

function nullOf(column: Column): string {
  const absent = absenceOf(column);
  return absent === undefined ? '' : ` Null: ${absent}.`;
}

const named = (columns: readonly Column[]): string => columns.map(({ name }) => `\`${name}\``).join(', ');

/**
 * The columns of a table, and the reasons of absence that several of them have.
 * @param isShared the meaning of the column is stated in front of the tables
 * @param isNullShared so is its reason of absence
 */
function columnLines(
  columns: readonly Column[],
  typeOf: TypeOf,
  isShared: (column: Column) => boolean,
  isNullShared: (column: Column) => boolean,
): readonly string[] {
  const open = columns.filter((column) => column.absent !== undefined && !isNullShared(column));
  const reasons = [...Map.groupBy(open, absenceOf)].filter(
    ([, absent]) => absent.length >= ABSENT_TOGETHER || absent.some(isShared),
  );
  const isTogether = new Set(reasons.map(([reason]) => reason));
  return [
    columns
      .filter((column) => !isShared(column))
      .map((column) => `- ${meaningOf(column, typeOf)}${isTogether.has(absenceOf(column)) ? '' : nullOf(column)}`)
      .join('\n'),
    reasons.map(([reason, absent]) => `- Null of ${named(absent)}: ${reason ?? ''}.`).join('\n'),
  ];
}

/**
 * Sections of Markdown: the shared columns, then for each table the meaning of a row, key and columns.
 * @param typeOf column type in the file that is described
 */
export function dictionarySections(models: readonly Mart[], typeOf: TypeOf): readonly string[] {
  const all = models.flatMap(({ contract }) => contract.record.columns);
  const byMeaning = Map.groupBy(all, (column) => meaningOf(column, typeOf));
  const same = (column: Column): readonly Column[] => byMeaning.get(meaningOf(column, typeOf)) ?? [];
  const isShared = (column: Column): boolean => same(column).length >= SHARED_BY;
  const isNullShared = (column: Column): boolean =>
    isShared(column) && same(column).every((other) => absenceOf(other) === absenceOf(column));
  return [
    '## Shared columns',
    [...byMeaning]
      .flatMap(([meaning, [column]]) =>
        column !== undefined && isShared(column) ? [`- ${meaning}${isNullShared(column) ? nullOf(column) : ''}`] : [],
      )
      .join('\n'),
    ...models.flatMap(({ name, contract: { record, publish } }) => [
      `## ${name}`,
      [
        `${record.about} Key: ${record.key.map((column) => `\`${column}\``).join(', ')}.`,
        ...Object.entries(publish.references ?? {}).map(
          ([column, target]) => `\`${column}\` references \`${target}\`.`,
        ),
        ...(record.columns.some(isShared) ? [`Shared: ${named(record.columns.filter(isShared))}.`] : []),
      ].join(' '),
      ...columnLines(record.columns, typeOf, isShared, isNullShared),
    ]),
  ];
}
