/** The data dictionary of published tables, as Markdown: for the docs and for a release. */
import type { Column } from '../lib/record.ts';
import type { storedType } from '../lib/stored_types.ts';
import type { Model } from './index.ts';

/** A column is described once, in front of the tables, if this many tables have it with the same meaning. */
const SHARED_BY = 2;

/** Accepted values that the meaning does not name. */
const valuesOf = ({ about, values }: Column): string =>
  values === undefined || values.every((value) => new RegExp(`\\b${value}\\b`, 'u').test(about))
    ? ''
    : ` One of: ${values.join(', ')}.`;

/** One list item: name, type, unit, meaning, accepted values, absence rule. */
function lineOf(column: Column, typeOf: typeof storedType): string {
  const type = typeOf(column).replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ');
  const facts = [type === 'VARCHAR' ? '' : type, column.unit === 'UTC' ? '' : (column.unit ?? '')].filter(Boolean);
  const absent = column.absent === undefined ? '' : ` Null: ${column.absent}.`;
  return `- \`${column.name}\`${facts.map((fact) => ` ${fact}`).join('')}: ${column.about}${valuesOf(column)}${absent}`;
}

/**
 * Sections of Markdown: the shared columns, then for each table the meaning of a row, key, file and columns.
 * @param typeOf column type in the file that is described
 */
export function dictionarySections(models: readonly Model[], typeOf: typeof storedType): readonly string[] {
  const tables = models.map(({ name, contract: { record, publish } }) => ({
    name,
    record,
    publish,
    lines: record.columns.map((column) => ({ name: column.name, line: lineOf(column, typeOf) })),
  }));
  const counts = new Map<string, number>();
  for (const { line } of tables.flatMap(({ lines }) => lines)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const isShared = ({ line }: { readonly line: string }): boolean => (counts.get(line) ?? 0) >= SHARED_BY;
  return [
    '## Shared columns',
    [...counts.keys()].filter((line) => isShared({ line })).join('\n'),
    ...tables.flatMap(({ name, record, publish, lines }) => [
      `## ${name}`,
      [
        `${record.about} Key: ${record.key.map((column) => `\`${column}\``).join(', ')}.`,
        ...Object.entries(publish?.references ?? {}).map(
          ([column, target]) => `\`${column}\` references \`${target}\`.`,
        ),
        ...(publish?.isLarge ? ['The DuckDB file does not declare it, because the table is large.'] : []),
        ...(lines.some(isShared)
          ? [
              `Shared: ${lines
                .filter(isShared)
                .map((c) => `\`${c.name}\``)
                .join(', ')}.`,
            ]
          : []),
      ].join(' '),
      lines
        .filter((c) => !isShared(c))
        .map(({ line }) => line)
        .join('\n'),
    ]),
  ];
}
