/**
 * Tables of open data portals: how published rows become records, independent of the portal's software. A source is a
 * declaration: its table, its columns, and how a row becomes a record. If a record has several rows, such as one for
 * each tax year, the source names the columns they share. The table is then read in their order, and every published
 * row gives the same record: the pipeline merges and counts the copies.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { completeRow, type GivenRow, type RecordDefinition, type RowOf } from '../../../lib/record.ts';
import { type Candidate, type Page, Quarantine, type SourceSpec } from '../../contract.ts';
import { DistressRecord } from '../../rows/distress_record.ts';
import { Parcel } from '../../rows/parcel.ts';
import { TaxParcel } from '../../rows/tax_parcel.ts';
import { candidate, date, optional, published, Refusal, refuse } from '../../values.ts';

/** A published row by column. A blank cell is null, undefined or empty. */
export type Cells = JsonObject;
/** The rows of one record, in the order of the table. */
export type Group = readonly [Cells, ...Cells[]];

/** Columns of a record that `identity` and the county state. */
type Identifying = 'county_fips' | 'county' | 'signal_type' | 'record_number' | 'parcel_raw';

/** Records of the families that these tables have. */
const RECORDS = { tax: TaxParcel, parcels: Parcel, distress: DistressRecord } as const;
export type TableFamily = keyof typeof RECORDS;

/** The record of a family's rows. */
export const recordOf = (family: TableFamily): RecordDefinition => RECORDS[family];

export interface OpenTable<F extends TableFamily> extends Pick<
  SourceSpec,
  'name' | 'title' | 'home' | 'terms' | 'everyDays' | 'readEveryDays' | 'expect'
> {
  readonly family: F;
  readonly county: NonNullable<SourceSpec['county']>;
  readonly covers: NonNullable<SourceSpec['covers']>;
  /** Columns to read. The table must have all of them. */
  readonly columns: readonly string[];
  /** Columns to read if the table has them. */
  readonly optional?: readonly string[];
  /** Columns that the rows of one record share. Default: each row is a record. */
  readonly group?: readonly [string, ...string[]];
  /** Column by whose value a person finds the row on the portal. */
  readonly link: string;
  /** The key of a row's record, without its county. */
  identity(row: Cells): Readonly<Record<string, string | null>>;
  /** Why rows are no record of this source: reason and detail. They are rejected, and nothing is carried. */
  outside?(rows: Group): readonly [reason: string, detail: string] | null;
  /** The other values of a record, from its rows without repetitions; may refuse it. */
  record(rows: Group): Omit<GivenRow<RowOf<(typeof RECORDS)[F]>>, Identifying>;
}

/** The site that shows a row: that of its page, or the portal for a file that the operator dropped. */
export const siteOf = ({ url }: Page, portal: string): string =>
  url.startsWith('file:') ? portal : new URL(url).origin;

type Columns = Pick<OpenTable<TableFamily>, 'columns' | 'optional'>;

/**
 * The columns to request, among those that the table has.
 * @throws Quarantine missing_column unless the table has all that the source needs
 */
export function columnsToRead(
  { columns, optional: more = [] }: Columns,
  found: readonly string[],
  page: Page,
): string[] {
  const missing = columns.filter((name) => !found.includes(name));
  if (missing.length > 0)
    throw new Quarantine(
      'missing_column',
      `the table has no column ${missing.join(', ')}; it has ${found.join(', ') || 'none'}`,
      page.url,
    );
  return [...columns, ...more.filter((name) => found.includes(name))];
}

/** A text that is equal for the rows of one record only. */
export const groupOf = (row: Cells, columns: readonly string[]): string =>
  JSON.stringify(columns.map((name) => row[name] ?? null));

/**
 * Rows of one record together, from rows in the order of the columns they share.
 * @throws Quarantine template_changed if other rows are between them
 */
export function adjacentGroups(rows: readonly Cells[], columns: readonly string[], page: Page): Group[] {
  const groups: [Cells, ...Cells[]][] = [];
  const seen = new Set<string>();
  let current: string | undefined;
  for (const row of rows) {
    const name = groupOf(row, columns);
    if (name === current) {
      groups.at(-1)?.push(row);
      continue;
    }
    if (seen.has(name))
      throw new Quarantine('template_changed', `rows are not in the order of ${columns.join(', ')}`, page.url);
    seen.add(name);
    current = name;
    groups.push([row]);
  }
  return groups;
}

/** Rows of one record together, from rows in any order. */
export function scatteredGroups(rows: readonly Cells[], columns: readonly string[]): Group[] {
  const groups = new Map<string, [Cells, ...Cells[]]>();
  for (const row of rows) {
    const name = groupOf(row, columns);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups.values()];
}

/** Why rows are no record of the source; null also if that cannot be judged, since `record` then refuses them. */
function outsideOf<F extends TableFamily>(table: OpenTable<F>, rows: Group): readonly [string, string] | null {
  try {
    return table.outside?.(rows) ?? null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/**
 * The rows without exact repetitions in the columns read, whose amounts would be added twice. A row's own id and
 * columns that only a dump has are ignored.
 */
function withoutRepetitions([first, ...others]: Group, { columns, optional: more = [] }: Columns): Group {
  if (others.length === 0) return [first];
  const contentOf = (row: Cells): string => groupOf(row, [...columns, ...more]);
  const seen = new Set([contentOf(first)]);
  const isNew = (row: Cells): boolean => seen.size < seen.add(contentOf(row)).size;
  return [first, ...others.filter(isNew)];
}

/** Candidates of a record's rows: one for each published row, all with the same values or the same refusal. */
export function toCandidates<F extends TableFamily>(
  table: OpenTable<F>,
  rows: Group,
  urlOf: (column: string, value: string) => string,
): Candidate[] {
  const distinct = withoutRepetitions(rows, table);
  const [first] = distinct;
  const outside = outsideOf(table, distinct);
  if (outside !== null) {
    const [reason, detail] = outside;
    return rows.map((row) => ({ reject: { reason, detail }, raw: JSON.stringify(row) }));
  }
  const { fips, name, state } = table.county;
  const record = recordOf(table.family);
  const key = { county_fips: fips, ...table.identity(first) };
  const parts = Object.entries(key);
  let built: Omit<Extract<Candidate, { values: unknown }>, 'raw'> | undefined;
  const build = (): NonNullable<typeof built> => {
    const blank = parts.find(
      ([part, text]) => text === null && record.columns.find((column) => column.name === part)?.absent === undefined,
    );
    if (blank) refuse(`blank_${blank[0]}`, `${blank[0]} is blank, expected a value`);
    const link = published(first[table.link]);
    built ??= {
      values: completeRow(record, { county: `${name}, ${state}`, ...key, ...table.record(distinct) }),
      ...(link === null ? {} : { sourceUrl: urlOf(table.link, link) }),
    };
    return built;
  };
  const isWhole = parts.every(([, text]) => text !== null);
  const known = isWhole ? (key as Readonly<Record<string, string>>) : undefined;
  return rows.map((row) => candidate(() => JSON.stringify(row), build, known));
}

/** The days of a column, the earliest first. */
export const daysOf = (column: string, rows: Group): readonly string[] =>
  rows
    .map((row) => date(column, row[column]))
    .filter((day) => day !== null)
    .sort();

/** The texts of a column without repetition, in order; null if all are blank. */
export const textsOf = (column: string, rows: Group): string | null =>
  [...new Set(rows.map((row) => optional(row[column])).filter((text) => text !== null))].join('; ') || null;

/** The row with the latest day in a column; of equal ones, the last. */
export function latestOf(column: string, rows: Group): Cells {
  const day = (row: Cells): string => date(column, row[column]) ?? '';
  return rows.reduce((latest, row) => (day(row) >= day(latest) ? row : latest));
}
