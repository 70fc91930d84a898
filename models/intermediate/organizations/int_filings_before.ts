import type { RecordDefinition } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { Filing } from '../../marts/filings.ts';

/** Rows of an older snapshot may lack a column, or have a value that has since been removed from its list. */
const record: RecordDefinition = {
  ...Filing,
  name: 'int_filing_before',
  about:
    "One row per filing of the previous snapshot that today's reads contain or that an amendment names, unchanged.",
  columns: Filing.columns.map(({ name, kind, sql, about, absent = 'the previous snapshot did not have it' }) => ({
    name,
    kind,
    sql,
    about,
    absent,
  })),
};

export default defineModel({ record });
