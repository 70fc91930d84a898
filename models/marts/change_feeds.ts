import { date, defineRecord, flag, instant, integer, oneOf } from '../../lib/record.ts';
import { defineMart, never } from '../contract.ts';

/** Lists of the API whose changes are published. */
export const CHANGE_LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings'] as const;

const ChangeFeed = defineRecord(
  'change_feed',
  'One row per list with published changes: the instant from which they are complete, and their number today.',
  ['list'],
  {
    list: oneOf(CHANGE_LISTS, 'List of the API.'),
    as_of: date('The data clock: day of the snapshot. The list has the records that the API lists on that day.'),
    changes_through: instant(
      "Instant of this snapshot's changes: the run's clock, or one second after the previous snapshot if the clock " +
        'has not advanced. Use it as the next updated_since.',
    ),
    complete_since: instant(
      'All changes after this instant are in changes: the instant of the first snapshot with changes of the list, at ' +
        'most the declared days ago (assumption change_days).',
    ),
    begins: flag('True if this is the first snapshot with changes of the list.'),
    records: integer('Records of the list in this snapshot.', { unit: 'records' }),
    new_records: integer('Records of the list that the previous snapshot did not list.', { unit: 'records' }),
    changed_records: integer('Records of both lists that differ in a compared field.', { unit: 'records' }),
    gone_records: integer('Records of the previous list that the list no longer has.', { unit: 'records' }),
  },
);

export default defineMart({
  record: ChangeFeed,
  audits: [
    {
      name: 'change_feeds.records_add_up',
      about: 'a list has the records of the previous list, with the new ones and without the gone ones',
      blocking: true,
      sql: `SELECT list FROM change_feeds JOIN int_change_feeds AS feeds USING (list)
        WHERE feeds.is_continued AND records <> feeds.records_before + new_records - gone_records`,
    },
    never(
      'change_feeds',
      'clock_in_order',
      'complete_since is not after the snapshot',
      'complete_since > changes_through',
    ),
  ],
  publish: {
    orderBy: ['list'],
    notReleased: 'it is the feed of the API; changes.ndjson compares releases',
  },
});
