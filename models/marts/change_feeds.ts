import {
  date,
  defineRecord,
  flag,
  instant,
  integer,
  oneOf,
  type Follows,
  type RecordDefinition,
} from '../../lib/record.ts';
import { literal } from '../../lib/sql.ts';
import { defineMart } from '../contract.ts';
import { Auction } from './auctions.ts';
import { Deal } from './deals.ts';
import { Filing } from './filings.ts';
import { Lead } from './leads.ts';
import { Signal } from './signals.ts';

/** Lists of the API whose changes are published. */
export const CHANGE_LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings'] as const;
export type ChangeList = (typeof CHANGE_LISTS)[number];

const RECORDS: Readonly<Record<ChangeList, RecordDefinition>> = {
  deals: Deal,
  signals: Signal,
  auctions: Auction,
  leads: Lead,
  filings: Filing,
};

/** Fields of a record whose values alone are no change of it. @param follows default: all of them */
export const movingFields = ({ columns }: Pick<RecordDefinition, 'columns'>, follows?: Follows): string[] =>
  columns
    .filter((column) => column.follows !== undefined && (follows ?? column.follows) === column.follows)
    .map(({ name }) => name);

/** The fields of a list that its change feed does not compare. */
export const notComparedOf = (list: ChangeList): { follows_day: string[]; follows_reads: string[] } => ({
  follows_day: movingFields(RECORDS[list], 'day'),
  follows_reads: movingFields(RECORDS[list], 'reads'),
});

/** The macro that names the fields that the feed does not compare, as `list.field`. */
export const movingFieldsSql = (): string => {
  const names = CHANGE_LISTS.flatMap((list) => movingFields(RECORDS[list]).map((name) => `${list}.${name}`));
  return `CREATE OR REPLACE MACRO fields_that_move() AS [${names.map(literal).join(', ')}];\n`;
};

const ChangeFeed = defineRecord(
  'change_feed',
  'One row per list with published changes: the instant from which they are complete, and their number today.',
  ['list'],
  {
    list: oneOf(CHANGE_LISTS, 'List of the API.'),
    as_of: date('Day of the snapshot.'),
    changes_through: instant("Instant of this snapshot's changes. Use it as the next updated_since."),
    complete_since: instant('All changes after this instant are in changes, for at most change_days.'),
    begins: flag('True for the first snapshot with changes of the list.'),
    records: integer('Records of the list.', { unit: 'records' }),
    new_records: integer('Records that the previous snapshot lacks.', { unit: 'records' }),
    changed_records: integer('Records of both snapshots that differ in a compared field.', { unit: 'records' }),
    gone_records: integer('Records that only the previous snapshot has.', { unit: 'records' }),
  },
);

export default defineMart({
  record: ChangeFeed,
  publish: { orderBy: ['list'], notReleased: 'it is the feed of the API; changes.ndjson compares releases' },
});
