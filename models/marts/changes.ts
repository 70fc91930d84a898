import { z } from 'zod';
import { date, defineRecord, instant, json, oneOf, text, uuid, words } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { CHANGE_LISTS } from './change_feeds.ts';

export const CHANGE_KINDS = ['new', 'changed', 'gone'] as const;

/** Why a record left its list. */
export const GONE_REASONS = words(
  'sold under_contract withdrawn cured closed_by_publisher called_off postponed rescheduled day_passed',
  'unsold held not_verified no_longer_qualifies other_id left_the_list',
);

const MEANINGS: Readonly<Record<(typeof GONE_REASONS)[number], string>> = {
  sold: 'the property is sold, or its lead is sold to one buyer or being paid for',
  under_contract: 'the deal has a buyer',
  withdrawn: 'its site no longer shows the deal',
  cured: 'the latest tax list lacks the debt',
  closed_by_publisher: 'its publisher closed it',
  called_off: 'the sale is cancelled or withdrawn',
  postponed: 'no new day is known',
  rescheduled: 'a later sale of the case and parcel was read',
  day_passed: 'no result was read',
  unsold: 'no buyer at the sale',
  held: 'the sale of a lead was held',
  not_verified: 'the record of a lead was not read for seven days',
  no_longer_qualifies: 'it is listed, but makes no lead',
  other_id: 'its address or parcel number changed',
  left_the_list: 'no stated reason',
};

const NO_PLACE = 'a lead is sold, or the record has none';

export const Change = defineRecord(
  'change',
  'One row per change of a list between two consecutive snapshots.',
  ['id'],
  {
    id: uuid('UUID: version 5 of "change", list, record_id and changed_at.'),
    list: oneOf(CHANGE_LISTS, 'List of the API.'),
    record_id: uuid('Id of the record.'),
    change: oneOf(
      CHANGE_KINDS,
      'new: not in the previous snapshot, also if it returns; changed: another value in a compared field; ' +
        'gone: no longer listed.',
    ),
    changed_fields: json(
      z.array(z.string()),
      'Fields with another value. Those that follow from the date, the latest read or other rows are not ' +
        'compared.',
      { absent: 'change is not changed' },
    ),
    reason: oneOf(
      GONE_REASONS,
      `Why the record is gone. ${GONE_REASONS.map((reason) => `${reason}: ${MEANINGS[reason]}`).join('; ')}.`,
      { absent: 'change is not gone' },
    ),
    changed_at: instant('changes_through of the snapshot with the change.'),
    as_of: date('Day of the snapshot.'),
    kind: text('signal_type, auction_type or lead_type of the record; of a filing, the state of its registry.', {
      absent: 'a deal, or a lead that is sold',
    }),
    state: text('State of the record; of a filing, of its registry.', { absent: NO_PLACE }),
    county: text('County of the record.', { absent: NO_PLACE }),
    county_fips: text('Five-digit county FIPS.', { absent: NO_PLACE }),
    city: text('City of the record; of a filing, of the business.', { absent: NO_PLACE }),
    zip: text('ZIP of the record; of a filing, of the business.', { absent: NO_PLACE }),
    metro: text('Metro of the record.', { absent: `${NO_PLACE}; or its place is of another market` }),
  },
);

export default defineMart({
  record: Change,
  publish: {
    orderBy: ['list', 'changed_at', 'id'],
    notReleased: 'it is the feed of the API; changes.ndjson compares releases',
  },
});
