/** The one place where a row of DuckDB becomes JSON as the record's definition says. */
import type { Column, RecordDefinition } from '../lib/record.ts';

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
