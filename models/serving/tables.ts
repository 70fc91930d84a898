/**
 * The tables of the serving files, which the API reads: for each, the columns that filters, ranks and figures use, the
 * keys that find single rows, and its file. Everything else of a record is its text (text.ts).
 */
import { createHash } from 'node:crypto';
import type { Column, FieldKind, RecordDefinition } from '../../lib/record.ts';
import type { MartContract } from '../contract.ts';
import assumptions from '../marts/assumptions.ts';
import auctions from '../marts/auctions.ts';
import changeFeeds from '../marts/change_feeds.ts';
import changes from '../marts/changes.ts';
import coverage from '../marts/coverage.ts';
import deals from '../marts/deals.ts';
import { Filing } from '../marts/filings.ts';
import endings from '../marts/endings.ts';
import leads from '../marts/leads.ts';
import listingHistory from '../marts/listing_history.ts';
import metroDays from '../marts/metro_days.ts';
import owners from '../marts/owners.ts';
import places from '../marts/places.ts';
import propertyKeys from '../marts/property_keys.ts';
import reports from '../marts/reports.ts';
import signals from '../marts/signals.ts';
import sources from '../marts/sources.ts';
import { insideRules } from '../inside.ts';
import { LOOKUP_TABLES } from './lookup_tables.ts';
import { codedSql, linesSql, PACK_ROWS, packTexts } from './text.ts';
import { WordIndex } from './words.ts';

export const TABLES = {
  deals: deals.record,
  signals: signals.record,
  auctions: auctions.record,
  leads: leads.record,
  filings: Filing,
  sources: sources.record,
  assumptions: assumptions.record,
  reports: reports.record,
  listing_history: listingHistory.record,
  property_keys: propertyKeys.record,
  owners: owners.record,
  coverage: coverage.record,
  changes: changes.record,
  change_feeds: changeFeeds.record,
  metro_days: metroDays.record,
  places: places.record,
  endings: endings.record,
} satisfies Record<string, RecordDefinition>;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** The column of a table. @throws Error if the table has no column of that name */
export function columnOf(table: TableName, name: string): Column {
  const column = TABLES[table].columns.find((one) => one.name === name);
  if (!column) throw new Error(`${table} has no column ${name}`);
  return column;
}

/** A column that the record does not have. */
interface DerivedColumn {
  readonly kind: FieldKind;
  /** SQL over the columns of the table. */
  readonly sql: string;
}

/** How a table is served. Its rows are in the order in which it is published. */
export interface Served {
  /**
   * Set on a table of millions of rows: it has files of its own, of which a later one replaces rows of the others, and
   * its texts are in packs (text.ts). Its only key is its id.
   */
  readonly inParts?: true;
  /** Columns of the record that conditions, ranks and figures use. */
  readonly columns?: readonly string[];
  /** More such columns. */
  readonly derived?: Readonly<Record<string, DerivedColumn>>;
  /** Other ranks than the published order: columns, descending, nulls last, then by id. */
  readonly ranks?: readonly string[];
  /** Columns that find rows by an index, each with its SQL. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Columns that are searched for a part of a name (words.ts). */
  readonly names?: readonly string[];
  /** Its order, if it is not the published one. */
  readonly orderBy?: string;
  /** Set on a table of tens of kilobytes a row. */
  readonly isWide?: true;
}

const words = (text: string): readonly string[] => text.split(/\s+/u);

const ID = { id: 'id' };

/** Hours that the first load of a register may take. */
const FIRST_LOAD_HOURS = 12;

/**
 * The day whose week a filing belongs to: the day it was first seen, or for a register's first load, which sees the
 * whole register on one day, its filing date if that is earlier.
 */
const WEEK_DAY = `CASE
  WHEN first_seen < (
    SELECT map_from_entries(list((source, first_seen + INTERVAL ${FIRST_LOAD_HOURS} HOUR))) FROM registers
  )[source] THEN least(filing_date, CAST(first_seen AS DATE))
  ELSE CAST(first_seen AS DATE)
END`;

/** Column of a filing that changes with other filings, so that a server reads it from the agents of the newest file. */
export const COUNTED = 'agent_filings';

export const SERVED: Readonly<Record<TableName, Served>> = {
  deals: {
    keys: ID,
    ranks: ['cap_rate'],
    columns: words(
      `listing_status state county metro city zip list_price price_per_unit cap_rate cap_rate_derived units deal_score
      rental_status cap_rate_underwritten cap_gap_pct underwrite_reliability dscr dscr_status listed_on first_seen
      last_verified offer_status report_status condition_risk latitude longitude geo_basis`,
    ),
    derived: {
      has_match: { kind: 'flag', sql: 'json_array_length(distress_matches) > 0' },
    },
  },
  signals: {
    keys: ID,
    columns: words(
      `signal_state state city county metro zip signal_type amount has_address property_kind last_seen latitude
      longitude geo_basis`,
    ),
  },
  auctions: {
    keys: ID,
    columns: words(
      `sale_date sale_status state city county metro zip appraised_value auction_type last_seen latitude longitude
      geo_basis`,
    ),
  },
  leads: {
    keys: { ...ID, record_id: 'coalesce(signal_id, auction_id, id)' },
    columns: words(
      `lead_score state city county metro zip lead_type auction_type property_kind signals_count
      last_verified sale_date latitude longitude geo_basis`,
    ),
  },
  owners: { keys: ID, columns: words('owner_key properties_count state county last_verified') },
  filings: {
    inParts: true,
    keys: ID,
    columns: words(
      `source source_state entity_type entity_status filing_date business_city first_seen last_seen
      registered_agent_status`,
    ),
    derived: { week_day: { kind: 'date', sql: WEEK_DAY } },
    names: ['business_name', 'registered_agent_name'],
    orderBy: 'filing_date DESC, id',
  },
  changes: {
    keys: { ...ID, record_id: 'record_id' },
    columns: words('list change reason changed_at kind state county metro city zip changed_fields'),
    orderBy: 'changed_at, id',
  },
  reports: { keys: ID, isWide: true },
  listing_history: { keys: { deal_id: 'deal_id' }, orderBy: 'version_first_seen, source, listing_id, version' },
  property_keys: { keys: { record_id: 'record_id', property_key: 'property_key' } },
  sources: {},
  assumptions: {},
  coverage: {},
  change_feeds: {},
  metro_days: {},
  places: {},
  endings: {},
};

const MARTS = { deals, signals, auctions, leads, owners };

/** The column by which the rows of a table are in order; undefined if it is not a list. */
export const publishedRank = (table: TableName): string | undefined =>
  (SERVED[table].orderBy?.split(', ') ?? (MARTS as Readonly<Record<string, MartContract>>)[table]?.publish.orderBy)
    ?.at(0)
    ?.split(' ')
    .at(0);

/** The file of all other tables than those in parts. */
export const SERVING_FILE = 'serving.sqlite';

export const IN_PARTS = TABLE_NAMES.filter((table) => SERVED[table].inParts);

/** Whether a file of a snapshot has rows of a table. */
export const isFileOf = (table: TableName, file: string): boolean =>
  SERVED[table].inParts ? file.startsWith(`${table}-`) && file.endsWith('.sqlite') : file === SERVING_FILE;

/** A column in memory: the kind of its values, and its SQL. */
export interface CodedColumn extends DerivedColumn {
  readonly name: string;
}

/** The columns of a table that are in memory when they are used. */
export function codedColumns(table: TableName): readonly CodedColumn[] {
  const { columns = [], derived = {} } = SERVED[table];
  const own = columns.map((name) => ({ name, kind: columnOf(table, name).kind, sql: name }));
  return [...own, ...Object.entries(derived).map(([name, column]) => ({ name, ...column }))];
}

/** Rows of one part of a column. */
export const PART_ROWS = 65_536;

/** Part of a column that has its values. */
export const VALUES_PART = -1;

/** The packs of a table, and the places of the words of a column. */
export const packsOf = (table: TableName): string => `${table}_packs`;
export const wordsOf = (table: TableName, column: string): string => `${table}_${column}_words`;

/** Name of the parts with the rows in the order of a rank. */
export const rankName = (column: string): string => `rank ${column}`;

/** Bytes of a code of a column with this many values. Code 0 is null. */
export const codeBytes = (values: number): 1 | 2 | 4 => (values < 2 ** 8 ? 1 : values < 2 ** 16 ? 2 : 4);

/** Version of the files, from all that they are written by: a server refuses files of another one. */
export const servingVersion = (): number => {
  const written = TABLE_NAMES.map((table) => [
    table,
    SERVED[table],
    linesSql(TABLES[table]),
    insideRules(TABLES[table]),
    codedColumns(table),
  ]);
  const formats = [PACK_ROWS, packTexts, PART_ROWS, codedSql, WordIndex].map(String);
  const text = JSON.stringify([written, LOOKUP_TABLES, formats]);
  return createHash('sha256').update(text).digest().readUInt32BE(0) >>> 1;
};
