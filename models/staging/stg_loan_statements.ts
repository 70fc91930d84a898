import { defineRecord } from '../../lib/record.ts';
import { LoanStatement } from '../../sources/rows/loan_statement.ts';
import { defineModel, warnIf } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

const MODEL = 'stg_loan_statements';

export default defineModel({
  record: defineRecord(
    'stg_loan_statement',
    'One row per trust, loan, property and month of the statements of multifamily loans.',
    ['source', 'trust', 'asset_number', 'property_number', 'reported_on'],
    {
      ...LoanStatement.schema.shape,
      ...fieldsOf(Provenance, ['source', 'source_url', 'observed_at', 'page_sha256']),
    },
  ),
  audits: [
    warnIf(
      MODEL,
      'noi_adds_up',
      'the underwritten NOI is revenue less expenses, to the dollar',
      'abs(underwritten_revenue - underwritten_expenses - underwritten_noi) > 1',
    ),
    warnIf(MODEL, 'statement_in_order', 'a statement begins before it ends', 'recent_starts_on > recent_ends_on'),
  ],
});
