import { defineRecord, oneOf } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { SourceRead } from '../inputs.ts';

export const Source = defineRecord('source', 'One row per source: what it is, how its latest read went, and how old its rows are.', ['source'], {
  ...SourceRead.schema.shape,
  freshness: oneOf(['fresh', 'stale', 'never_read'], 'fresh: the rows are no older than the days between two reads.'),
});

export default defineModel({
  record: Source,
  audits: [{
    name: 'sources.rows_add_up', about: 'rows in are rows out, rejects and merged duplicates', blocking: true,
    sql: 'SELECT * FROM sources WHERE rows_in <> rows_out + rows_rejected + rows_merged',
  }],
  publish: { orderBy: ['source'] },
});
