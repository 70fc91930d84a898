import { defineRecord, oneOf } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { SourceRead } from '../inputs.ts';

export const Source = defineRecord(
  'source',
  'One row per source: what it is, how its latest read went, and how old its rows are.',
  ['source'],
  {
    ...SourceRead.schema.shape,
    freshness: oneOf(['fresh', 'stale', 'never_read'], 'fresh: the rows are no older than the days between two reads.'),
  },
);

export default defineModel({
  record: Source,
  audits: [
    {
      name: 'sources.rows_add_up',
      about: 'rows in are rows out, rejects and merged duplicates',
      blocking: true,
      sql: 'SELECT * FROM sources WHERE rows_in <> rows_out + rows_rejected + rows_merged',
    },
    {
      // A first run without a network has nothing to say: an empty snapshot would say that there are no deals.
      name: 'sources.something_was_read',
      about: 'at least one source has been read well, now or before',
      blocking: true,
      sql: 'SELECT * FROM sources WHERE NOT EXISTS (SELECT 1 FROM sources WHERE last_good_at IS NOT NULL)',
    },
  ],
  publish: { orderBy: ['source'] },
});
