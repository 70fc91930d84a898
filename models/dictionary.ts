/** The data dictionary of published tables, as Markdown: for the docs and for a release. */
import type { Cause, Column } from '../lib/record.ts';
import type { storedType } from '../lib/stored_types.ts';
import type { Mart } from './index.ts';

/** A column is described once, in front of the tables, if this many tables have it with the same meaning. */
const SHARED_BY = 2;
/** Types by the ending of a column's name, which the page states once. */
const TYPE_OF_ENDING: Readonly<Record<string, string>> = { _on: 'DATE', _at: 'TIMESTAMPTZ' };
const DECIMAL_UNITS: ReadonlySet<string> = new Set(['USD', 'percent', 'percentage points']);

type TypeOf = typeof storedType;

/** Accepted values that the meaning does not name. */
const valuesOf = ({ about, values }: Column): string =>
  values === undefined || values.every((value) => new RegExp(`\\b${value}\\b`, 'u').test(about))
    ? ''
    : ` One of: ${values.join(', ')}.`;

/** The type that a column has if its line names none. */
function usualType({ name, unit }: Column): string {
  if (unit !== undefined && unit !== 'UTC') return DECIMAL_UNITS.has(unit) ? 'DECIMAL(14,2)' : 'INTEGER';
  return TYPE_OF_ENDING[name.slice(-3)] ?? 'VARCHAR';
}

function causeName(cause: Cause): string {
  if (typeof cause === 'string') return `\`${cause}\``;
  return 'of' in cause ? `\`${cause.of}\` says why` : `\`${cause.code}\``;
}

/** Codes of the reasons of absence, or the columns that name them; words where a field has no codes. */
const absenceOf = ({ absent, causes }: Column): string | undefined => causes?.map(causeName).join(', ') ?? absent;

/** Name, type, unit, meaning, accepted values and reasons of absence. */
function lineOf(column: Column, typeOf: TypeOf, hasReasons: boolean): string {
  const type = typeOf(column).replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ');
  const facts = [type === usualType(column) ? '' : type, column.unit === 'UTC' ? '' : (column.unit ?? '')];
  const absence = hasReasons ? absenceOf(column) : undefined;
  return [
    `- \`${column.name}\`${facts.map((fact) => (fact === '' ? '' : ` ${fact}`)).join('')}:`,
    ` ${column.about}${valuesOf(column)}`,
    absence === undefined ? '' : ` Null: ${absence}.`,
  ].join('');
}

const named = (columns: readonly Column[]): string => columns.map(({ name }) => `\`${name}\``).join(', ');

/**
 * Sections of Markdown: the shared columns, then for each table the meaning of a row, key and columns.
 * @param typeOf column type in the file that is described
 * @param hasReasons the lines say why a value is null
 */
export function dictionarySections(models: readonly Mart[], typeOf: TypeOf, hasReasons: boolean): readonly string[] {
  const line = (column: Column): string => lineOf(column, typeOf, hasReasons);
  const byLine = Map.groupBy(
    models.flatMap(({ contract }) => contract.record.columns),
    line,
  );
  const isShared = (column: Column): boolean => (byLine.get(line(column))?.length ?? 0) >= SHARED_BY;
  return [
    '## Shared columns',
    [...byLine].flatMap(([text, columns]) => (columns.length >= SHARED_BY ? [text] : [])).join('\n'),
    ...models.flatMap(({ name, contract: { record, publish } }) => [
      `## ${name}`,
      [
        `${record.about} Key: ${record.key.map((column) => `\`${column}\``).join(', ')}.`,
        ...Object.entries(publish.references ?? {}).map(
          ([column, target]) => `\`${column}\` references \`${target}\`.`,
        ),
        ...(record.columns.some(isShared) ? [`Shared: ${named(record.columns.filter(isShared))}.`] : []),
      ].join(' '),
      record.columns
        .filter((column) => !isShared(column))
        .map(line)
        .join('\n'),
    ]),
  ];
}
