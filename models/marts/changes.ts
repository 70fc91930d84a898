import { z } from 'zod';
import { date, defineRecord, instant, json, oneOf, text, uuid } from '../../lib/record.ts';
import { defineMart, never } from '../contract.ts';
import { CHANGE_LISTS } from './change_feeds.ts';

export const CHANGE_KINDS = ['new', 'changed', 'gone'] as const;

/** Why a record left its list. */
export const GONE_REASONS = [
  'sold',
  'under_contract',
  'withdrawn',
  'cured',
  'closed_by_publisher',
  'called_off',
  'postponed',
  'rescheduled',
  'day_passed',
  'unsold',
  'held',
  'not_verified',
  'no_longer_qualifies',
  'other_id',
  'left_the_list',
] as const;

const MEANINGS: Readonly<Record<(typeof GONE_REASONS)[number], string>> = {
  sold:
    'the property of a deal or a sale is sold; a lead, or another lead of its property, is sold to one buyer or ' +
    'being paid for',
  under_contract: 'the deal has a buyer',
  withdrawn: 'its site no longer shows the deal',
  cured: "the county's latest list of unpaid taxes no longer has the debt, or shows that nothing is owed",
  closed_by_publisher: 'its publisher closed the record',
  called_off: 'the sale is cancelled or withdrawn',
  postponed: 'the sale is postponed, and no new day is known yet',
  rescheduled: 'the sale is called off or postponed, and a later sale of the same case and parcel was read',
  day_passed: 'the day of the sale is over, and no result was read',
  unsold: 'the property was offered without a buyer',
  held: 'the sale of a lead was held, with or without a buyer',
  not_verified: 'the record of a lead was not read in the last seven days, or its source is no longer read',
  no_longer_qualifies: 'the record of a lead is still listed, but does not meet the rules of a lead',
  other_id: 'the record continues under another id, because its address or parcel number changed',
  left_the_list: 'its source no longer shows it and does not say why',
};

const NO_PLACE = 'a lead is sold: its change has its id alone; or the record does not have it';

export const Change = defineRecord(
  'change',
  'One row per change of a list between two consecutive snapshots: a record is new, changed or gone.',
  ['id'],
  {
    id: uuid('UUID: version 5 of "change", list, record_id and changed_at.'),
    list: oneOf(CHANGE_LISTS, 'List of the API whose record changed.'),
    record_id: uuid('Id of the record, as in the list.'),
    change: oneOf(
      CHANGE_KINDS,
      'new: listed now and not in the previous snapshot, also if the record returns; changed: listed in both with ' +
        'another value in a compared field; gone: no longer listed.',
    ),
    changed_fields: json(
      z.array(z.string()),
      'Names of the fields with another value, in the order of the record. Fields that follow ' +
        'from the date, from the latest read or from other rows are not compared.',
      { absent: 'change is not changed' },
    ),
    reason: oneOf(
      GONE_REASONS,
      `Reason why the record is gone. ${GONE_REASONS.map((reason) => `${reason}: ${MEANINGS[reason]}`).join('; ')}.`,
      { absent: 'change is not gone' },
    ),
    changed_at: instant('Instant of the snapshot with the change: changes_through of its change_feeds.'),
    as_of: date('Day of the snapshot with the change.'),
    kind: text('signal_type, auction_type or lead_type of the record; of a filing the state of its registry.', {
      absent: 'a deal, or a lead that is sold',
    }),
    state: text('Two-letter state of the record; of a filing that of its registry.', { absent: NO_PLACE }),
    county: text('County as in the record.', { absent: NO_PLACE }),
    county_fips: text('Five-digit county FIPS.', { absent: NO_PLACE }),
    city: text('City as in the record; of a filing that of the business.', { absent: NO_PLACE }),
    zip: text('ZIP as in the record; of a filing that of the business.', { absent: NO_PLACE }),
    metro: text('Metro as in the record.', { absent: `${NO_PLACE}; or its place is of another market` }),
  },
);

/** Changes of this snapshot, and the lists before and after it. Filings only come: see change_feeds.records_add_up. */
const TODAYS = `SELECT changes.list, record_id, change FROM changes
  JOIN change_feeds ON change_feeds.list = changes.list AND change_feeds.changes_through = changes.changed_at`;

export default defineMart({
  record: Change,
  audits: [
    never(
      'changes',
      'fields_as_said',
      'a change has fields exactly if the record changed, and at least one',
      "(changed_fields IS NULL) <> (change <> 'changed') OR json_array_length(changed_fields) = 0",
    ),
    never(
      'changes',
      'reason_as_said',
      'a change has a reason exactly if the record is gone',
      "(reason IS NULL) <> (change <> 'gone')",
    ),
    never(
      'changes',
      'sold_lead_has_id_alone',
      'the change of a sold lead has neither kind nor place, and any other has a state',
      `(list = 'leads' AND coalesce(reason = 'sold', false)) <> (state IS NULL)
        OR state IS NULL AND coalesce(kind, county, county_fips, city, zip, metro) IS NOT NULL`,
    ),
    {
      name: 'changes.sold_leads_say_no_more',
      about: 'the only change of a lead of a sold property is that it is gone',
      blocking: true,
      sql: `SELECT record_id FROM changes JOIN int_sold_lead_ids AS sold ON sold.id = changes.record_id
        WHERE list = 'leads' GROUP BY record_id HAVING count(*) > 1 OR any_value(reason) IS DISTINCT FROM 'sold'`,
    },
    {
      name: 'changes.lead_to_the_lists',
      about: "the previous list with this snapshot's changes is today's list",
      blocking: true,
      sql: `SELECT list, record_id FROM (
          SELECT list, record_id, 1 AS n FROM int_listed_records
            WHERE list IN (SELECT list FROM change_feeds WHERE NOT begins)
          UNION ALL SELECT list, record_id, -1 FROM int_listed_before
          UNION ALL SELECT list, record_id, CASE change WHEN 'new' THEN -1 WHEN 'gone' THEN 1 ELSE 0 END
            FROM (${TODAYS}) WHERE list <> 'filings')
        GROUP BY ALL HAVING sum(n) <> 0`,
    },
    {
      name: 'changes.of_listed_records',
      about: 'a record that is new or changed in this snapshot is listed',
      blocking: true,
      sql: `SELECT * FROM (${TODAYS}) AS today ANTI JOIN (
          SELECT list, record_id FROM int_listed_records UNION ALL SELECT 'filings', id FROM filings) AS listed
        USING (list, record_id) WHERE change <> 'gone'`,
    },
    never(
      'changes',
      'kept_as_said',
      'no change is older than the instant since which the changes are complete, or newer than the snapshot',
      `(SELECT changed_at <= complete_since OR changed_at > changes_through FROM change_feeds
        WHERE change_feeds.list = changes.list)`,
    ),
  ],
  publish: {
    orderBy: ['list', 'changed_at', 'id'],
    notReleased: 'it is the feed of the API; changes.ndjson compares releases',
  },
});
