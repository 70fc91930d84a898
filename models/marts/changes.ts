import { z } from 'zod';
import { date, defineRecord, instant, json, oneOf, text } from '../../lib/record.ts';
import { defineModel, never } from '../contract.ts';
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

const NO_PLACE = 'a lead is sold: its change has its id alone; or the record does not have it';

export const Change = defineRecord(
  'change',
  'One row per change of a list between two snapshots that follow each other: a record is new, changed or gone.',
  ['id'],
  {
    id: text('UUID: version 5 of "change", list, record_id and changed_at.'),
    list: oneOf(CHANGE_LISTS, 'List of the API whose record changed.'),
    record_id: text('Id of the record, as in the list.'),
    change: oneOf(
      CHANGE_KINDS,
      'new: listed now and not in the previous snapshot, so also a record that returns; changed: listed in both with ' +
        'another value in a compared field; gone: no longer listed.',
    ),
    changed_fields: json(
      z.array(z.string()),
      'Names of the fields with another value, in the order of the record. Fields that change by themselves every day ' +
        'are not compared.',
      { absent: 'change is not changed' },
    ),
    reason: oneOf(
      GONE_REASONS,
      'Why it is gone. sold: a deal or sale with that result, or a lead sold to one buyer or being paid for, as are ' +
        'the other leads of its property; under_contract: a deal with a buyer; withdrawn: a deal that its site no ' +
        'longer shows; cured: nothing is owed any more, by the list; closed_by_publisher: the record is closed; ' +
        'called_off: the sale is cancelled or withdrawn; postponed: without a new day yet; rescheduled: the case has ' +
        'a later sale day; day_passed: the day of the sale is over and no result was read; unsold: offered without ' +
        'a buyer; held: the sale of a lead was held; not_verified: the record of a lead was not read in the last ' +
        'seven days, or its source is no longer read; no_longer_qualifies: the record is listed, and the rules of a ' +
        'lead no longer hold; other_id: the same record has another id ' +
        'now, as its address or parcel number was corrected; left_the_list: the source no longer shows it and does ' +
        'not say why.',
      { absent: 'change is not gone' },
    ),
    changed_at: instant(
      "Instant of the snapshot with the change, by the run's clock: changes_through of change_feeds.",
    ),
    as_of: date('Day of the snapshot with the change.'),
    kind: text('signal_type, auction_type or lead_type of the record; of a filing the state of its registry.', {
      absent: 'a deal, or a lead that is sold',
    }),
    state: text('Two-letter state of the record; of a filing that of its registry.', { absent: NO_PLACE }),
    county: text('County as in the record.', { absent: NO_PLACE }),
    county_fips: text('Five-digit county FIPS.', { absent: NO_PLACE }),
    city: text('City as in the record; of a filing that of the business.', { absent: NO_PLACE }),
    zip: text('ZIP as in the record; of a filing that of the business.', { absent: NO_PLACE }),
  },
);

export default defineModel({
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
  ],
  publish: { orderBy: ['list', 'changed_at', 'id'] },
});
