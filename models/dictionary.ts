/** The data dictionary of published tables, as Markdown: for the docs and for a release. */
import type { Cause, Column } from '../lib/record.ts';
import type { storedType } from '../lib/stored_types.ts';
import type { Mart } from './index.ts';

/** A column is described once, in front of the tables, if this many tables have it with the same meaning. */
const SHARED_BY = 2;
/** So many shared columns in a row are listed as "first to last". */
const LEAST_RUN = 4;
/** Types by the last word of a column's name, which the page states once. */
const TYPE_OF_ENDING: Readonly<Record<string, string>> = {
  id: 'UUID',
  on: 'DATE',
  date: 'DATE',
  since: 'DATE',
  at: 'TIMESTAMPTZ',
  seen: 'TIMESTAMPTZ',
  verified: 'TIMESTAMPTZ',
};
/** The columns without a type, in words. */
export const USUAL_TYPES =
  'A column without a type is DECIMAL(14,2) in USD or percent, INTEGER in another unit, UUID if it is `id`, DATE if ' +
  'its name ends in `_on`, `_date` or `_since`, TIMESTAMPTZ (UTC) in `_at`, `_seen` or `_verified`, else VARCHAR. A ' +
  'name in `_pct` is in percent. "Also" and "Values" list codes.';
const DECIMAL_UNITS: ReadonlySet<string> = new Set(['USD', 'percent', 'percentage points']);

type TypeOf = typeof storedType;

/** Accepted values that the meaning does not explain. */
function valuesOf({ about, values = [] }: Column): string {
  const others = values.filter((value) => !new RegExp(`\\b${value}(?=[:,])`, 'u').test(about));
  if (others.length === 0) return '';
  return ` ${others.length < values.length ? 'Also' : 'Values'}: ${others.join(', ')}.`;
}

/** The type that a column has if its line names none. */
function usualType({ name, unit }: Column): string {
  if (unit !== undefined && unit !== 'UTC') return DECIMAL_UNITS.has(unit) ? 'DECIMAL(14,2)' : 'INTEGER';
  const [ending = '', ...before] = name.split('_').toReversed();
  return (before.length === 0) === (ending === 'id') ? (TYPE_OF_ENDING[ending] ?? 'VARCHAR') : 'VARCHAR';
}

/** The unit that a line names: that of an instant and of a name in _pct follows from the name. */
const namedUnit = ({ name, unit = '' }: Column): string =>
  unit === 'UTC' || (unit === 'percent' && name.endsWith('_pct')) ? '' : unit;

function causeName(cause: Cause): string {
  if (typeof cause === 'string') return `\`${cause}\``;
  return 'of' in cause ? `\`${cause.of}\` says why` : `\`${cause.code}\``;
}

/** Codes of the reasons of absence, or the columns that name them; words where a field has no codes. */
const absenceOf = ({ absent, causes }: Column): string | undefined => causes?.map(causeName).join(', ') ?? absent;

/** Name, type, unit, meaning, accepted values and reasons of absence. */
function lineOf(column: Column, typeOf: TypeOf, hasReasons: boolean): string {
  const type = typeOf(column).replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ');
  const facts = [type === usualType(column) ? '' : type, namedUnit(column)];
  const absence = hasReasons ? absenceOf(column) : undefined;
  return [
    `- \`${column.name}\`${facts.map((fact) => (fact === '' ? '' : ` ${fact}`)).join('')}:`,
    ` ${column.about}${valuesOf(column)}`,
    absence === undefined ? '' : ` Null: ${absence}.`,
  ].join('');
}

const named = (columns: readonly Column[]): string => columns.map(({ name }) => `\`${name}\``).join(', ');

/**
 * Names of the shared columns of a table, in the order of their list.
 * @param list one column of each line of the list
 */
function sharedNames(list: readonly Column[], isOfTable: (column: Column) => boolean): string {
  const runs: Column[][] = [[]];
  for (const column of list) {
    if (isOfTable(column)) runs.at(-1)?.push(column);
    else runs.push([]);
  }
  return runs
    .filter((run) => run.length > 0)
    .map((run) => (run.length < LEAST_RUN ? named(run) : [run.slice(0, 1), run.slice(-1)].map(named).join(' to ')))
    .join(', ');
}

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
  const list = [...byLine.values()].flatMap(([first]) => (first !== undefined && isShared(first) ? [first] : []));
  const sharedOf = (columns: readonly Column[]): string => {
    const lines = new Set(columns.map(line));
    return sharedNames(list, (column) => lines.has(line(column)));
  };
  return [
    '## Shared columns',
    'Each table names those that it has; "`a` to `b`" is a range of this list. ' +
      'The key of a table is `id` if none is named.',
    list.map(line).join('\n'),
    ...models.flatMap(({ name, contract: { record, publish } }) => [
      `## ${name}`,
      [
        record.about,
        ...(record.key.join() === 'id' ? [] : [`Key: ${record.key.map((column) => `\`${column}\``).join(', ')}.`]),
        ...Object.entries(publish.references ?? {}).map(
          ([column, target]) => `\`${column}\` references \`${target}\`.`,
        ),
        ...(record.columns.some(isShared) ? [`Shared: ${sharedOf(record.columns)}.`] : []),
      ].join(' '),
      record.columns
        .filter((column) => !isShared(column))
        .map(line)
        .join('\n'),
    ]),
  ];
}
