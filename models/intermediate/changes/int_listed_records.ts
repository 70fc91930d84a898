import { defineRecord, type RecordDefinition } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Change } from '../../marts/changes.ts';

/** A record of a list, with the hash of its compared fields: an unsigned number in DuckDB. */
export function hashedRecord(name: string, about: string): RecordDefinition {
  const { columns, ...record } = defineRecord(name, about, ['list', 'record_id'], {
    ...fieldsOf(Change, ['list', 'record_id']),
  });
  const content = { name: 'content', kind: 'integer', sql: 'UBIGINT', about: 'Hash of its compared fields.' } as const;
  return { ...record, columns: [...columns, content] };
}

export default defineModel({
  record: hashedRecord('int_listed_record', "One row per record of today's lists but the filings."),
});
