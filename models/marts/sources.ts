import { defineRecord, oneOf, percent, words } from '../../lib/record.ts';
import { OUTDATED_REASONS } from '../../sources/days.ts';
import { defineMart } from '../contract.ts';
import { SourceRead } from '../inputs.ts';

const NOT_OF_A_COUNTY = 'its rows are not of one county, or it has none';

/** Reasons of the status "degraded". The model finds the first, the pipeline the others. */
export const DEGRADED_REASONS = words(
  'low_join_rate no_recent_rows column_went_blank page_unread row_refused no_such_record',
);
export type DegradedReason = (typeof DEGRADED_REASONS)[number];

export const Source = defineRecord('source', 'One row per source, with the result of its latest read.', ['source'], {
  ...SourceRead.schema.shape,
  address_pct: percent('Share of its rows with a street address.', { absent: NOT_OF_A_COUNTY }),
  zip_pct: percent('Share of its rows with a ZIP.', { absent: NOT_OF_A_COUNTY }),
  parcel_pct: percent("Share of its rows whose parcel is in the county's other source.", {
    absent: `${NOT_OF_A_COUNTY}, the county has no parcel layer, or its rows are sales`,
  }),
  stale_reason: oneOf(['older_than_read_interval', ...OUTDATED_REASONS], 'Why the rows are stale.', {
    absent: 'freshness is not stale',
  }),
  freshness: oneOf(['fresh', 'stale', 'never_read'], 'stale: stale_reason says why.'),
});

export default defineMart({ record: Source, publish: { orderBy: ['source'] } });
