import { z } from 'zod';
import { date, defineRecord, instant, json, oneOf, text, uuid } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
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

export default defineMart({
  record: Change,
  publish: {
    orderBy: ['list', 'changed_at', 'id'],
    notReleased: 'it is the feed of the API; changes.ndjson compares releases',
  },
});
