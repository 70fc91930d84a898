/** The one place where a row of DuckDB becomes JSON as the record's definition says: as an object, or by SQL as text. */
import type { Column, RecordDefinition } from '../lib/record.ts';
import { identifier } from '../lib/sql.ts';

function converted(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (column.kind) {
    case 'instant': return `${String(value).slice(0, 19).replace(' ', 'T')}Z`;
    case 'json': return JSON.parse(String(value));
    case 'integer': return Number(value);
    case 'flag': return value === true;
    case 'text': case 'enum': case 'date': case 'money': case 'percent': case 'ratio': return String(value);
  }
}

/** A row as `getRowObjectsJson` gives it, as JSON of `record`: the columns that were selected, in the record's order, decimals as exact strings. */
export function toJson(record: RecordDefinition, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(record.columns.filter((c) => c.name in row).map((c) => [c.name, converted(c, row[c.name])]));
}

/** SQL for a value as JSON has it. */
export function valueSql({ name, kind }: Column): string {
  const column = identifier(name);
  switch (kind) {
    case 'money': case 'percent': case 'ratio': case 'date': return `CAST(${column} AS VARCHAR)`;
    case 'instant': return `strftime(${column}, '%Y-%m-%dT%H:%M:%SZ')`;
    case 'text': case 'enum': case 'integer': case 'flag': case 'json': return column;
  }
}

/** The record that a JSON text of ours is of. */
export const parsed = (text: Buffer): Record<string, unknown> => JSON.parse(text.toString('utf8')) as Record<string, unknown>;
