import type { RecordDefinition } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { Filing } from '../marts/filings.ts';

/** Rows of an older snapshot, which may lack a column, or hold what was a value of it then. */
const record: RecordDefinition = {
  ...Filing,
  name: 'int_filing_before', about: 'One row per filing of the snapshot before that today\'s reads show, or that an amendment names, as it was then.',
  columns: Filing.columns.map(({ name, kind, sql, about, absent = 'the snapshot before did not have it' }) => ({ name, kind, sql, about, absent })),
};

export default defineModel({ record, audits: [] });
