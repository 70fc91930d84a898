import { date, defineRecord, flag, instant, integer, oneOf } from '../../lib/record.ts';
import { defineModel, never } from '../contract.ts';

/** Lists of the API whose changes are published. */
export const CHANGE_LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings'] as const;

export const ChangeFeed = defineRecord(
  'change_feed',
  'One row per list whose changes are published: since when they are complete, and how many this snapshot has.',
  ['list'],
  {
    list: oneOf(CHANGE_LISTS, 'List of the API.'),
    as_of: date('The data clock: day of the snapshot. The list has the records that the API lists on that day.'),
    changes_through: instant(
      "Instant of this snapshot's changes: the run's clock, or a second after the snapshot before if the clock has " +
        'not moved on since. The next request asks for the changes after it.',
    ),
    complete_since: instant(
      'All changes after this instant are in changes. It is that of the first snapshot with changes of the list, and ' +
        'no longer ago than the declared days (assumption change_days).',
    ),
    begins: flag('True if the snapshot before had no changes of the list, so that they begin with this one.'),
    records: integer('Records of the list in this snapshot.', { unit: 'records' }),
    new_records: integer('Records of the list that the snapshot before did not list.', { unit: 'records' }),
    changed_records: integer('Records of both lists with another value in a compared field.', { unit: 'records' }),
    gone_records: integer('Records of the previous list that the list no longer has.', { unit: 'records' }),
  },
);

export default defineModel({
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
    notReleased: 'it is the feed of the API; CHANGES.md compares releases',
  },
});
