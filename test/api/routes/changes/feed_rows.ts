/** A snapshot with a change feed of two days, for tests of `updated_since`. */
import { rowOf, uuid, type Row } from '../../support/snapshot_fixtures.ts';

export const BEGIN = '2026-11-17T12:00:00Z';
/** Instants of the snapshots with changes. The second is later than the clock of the manifest, as after a repeat. */
export const [FIRST, SECOND] = ['2026-11-19T12:00:00Z', '2026-11-20T12:00:01Z'];

const LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings'] as const;
type ListName = (typeof LISTS)[number];

const OHIO = { state: 'OH', county: 'Cuyahoga County, OH', county_fips: '39035', city: 'Cleveland', zip: '44113' };

/** A change. `record` is the number of the record. */
export type Changed = Row & { readonly list: ListName; readonly record: number };

const valuesOf = ({ change = 'new', reason = null, fields = null, list, record, ...given }: Changed): Row => ({
  list,
  record_id: uuid(record),
  change,
  reason,
  changed_fields: fields,
  changed_at: SECOND,
  as_of: '2026-11-20',
  ...(reason === 'sold' && list === 'leads' ? {} : OHIO),
  ...given,
});

export const changeRows = (changes: readonly Changed[]): Row[] =>
  changes.map((change, i) => rowOf('changes', i + 1, valuesOf(change)));

/** The feeds of all lists. */
export const feedRows = (given: Row = {}): Row[] =>
  LISTS.map((list, i) =>
    rowOf('change_feeds', i + 1, { list, changes_through: SECOND, complete_since: BEGIN, begins: false, ...given }),
  );
