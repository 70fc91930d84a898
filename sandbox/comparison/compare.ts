/**
 * Compares published rows with the truth that a snapshot can know: the facts of the world on the days on which each
 * source was read, which the manifests of the snapshots state. Rows have a key; one that occurs more than once is a
 * difference.
 */
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { readJson } from '../../lib/files.ts';
import { rowsOfFiles } from '../../lib/stored_types.ts';
import { Manifest } from '../../models/manifest.ts';
import { onForeclosureSite, onLienHub, undashed } from '../world/parcels.ts';
import { canonicalStreet, spellStreet, type Spelling } from '../world/streets.ts';
import type { Day, Property, World } from '../world/types.ts';
import { worldOn, type WorldDay } from '../world/world.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A value that the sources of the day do not determine: each of the set is right. */
export const anyOf = (...values: readonly unknown[]): ReadonlySet<unknown> => new Set(values);

/** A row that must be published, with the expected values of the compared columns. */
export interface TrueRow {
  readonly key: string;
  readonly columns: Row;
  /** The row may be absent. Default: false. */
  readonly isOptional?: boolean;
}

/** Columns with the values of facts of the same names, also in camelCase, or of others: "list_price=price". */
export const columnsOf = (facts: object, names: string): Row =>
  Object.fromEntries(
    names.split(' ').map((name) => {
      const [column = '', fact = column] = name.split('=');
      const inCamelCase = fact.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
      return [column, (facts as Row)[fact in facts ? fact : inCamelCase]];
    }),
  );

/** The result for one kind of record. */
export interface Comparison {
  readonly record: string;
  /** True rows, without optional ones that are absent. */
  readonly compared: number;
  /** Optional rows that are absent. */
  readonly absent: number;
  /** The column is "rows" if the row itself is missing, extra or repeated: then the values are their numbers. */
  readonly differences: readonly { key: string; column: string; expected: unknown; found: unknown }[];
}

const isExpected = (expected: unknown, found: unknown): boolean =>
  [...(expected instanceof Set ? expected : [expected])].some((value) => isDeepStrictEqual(value, found));

/** Compare rows by key, and the columns of rows that both sides have once. */
export function compare(
  record: string,
  published: ReadonlyMap<string, readonly Row[]>,
  truth: readonly TrueRow[],
): Comparison {
  const expected = Map.groupBy(truth, ({ key }) => key);
  const differencesOf = (key: string): Comparison['differences'] => {
    const [rows, matches] = [expected.get(key) ?? [], published.get(key) ?? []];
    if (rows.length === 1 && matches.length === 1)
      return Object.entries(rows[0]?.columns ?? {})
        .map(([column, value]) => ({ key, column, expected: value, found: matches[0]?.[column] ?? null }))
        .filter((one) => !isExpected(one.expected, one.found));
    const mayMiss = matches.length === 0 && rows.every(({ isOptional }) => isOptional === true);
    return mayMiss ? [] : [{ key, column: 'rows', expected: rows.length, found: matches.length }];
  };
  const absent = truth.filter(({ key, isOptional }) => isOptional === true && !published.has(key)).length;
  const keys = [...new Set([...expected.keys(), ...published.keys()])];
  return { record, compared: truth.length - absent, absent, differences: keys.flatMap(differencesOf) };
}

/** The columns that differ, each once, such as "auctions: sale_status". */
export const differingLines = (comparisons: readonly Comparison[]): string[] => [
  ...new Set(comparisons.flatMap(({ record, differences }) => differences.map(({ column }) => `${record}: ${column}`))),
];

const text = (value: unknown): string =>
  value instanceof Set ? [...value].map(text).join(' or ') : (JSON.stringify(value) ?? 'nothing');

/** Differences shown of each column. */
const SHOWN = 3;

/** The report: a line for each kind of record, with its first differences by column. */
export const formatComparisons = (comparisons: readonly Comparison[]): string[] =>
  comparisons.flatMap(({ record, compared, differences }) => [
    `  ${record.padEnd(64)}${String(compared).padStart(8)} compared${String(differences.length).padStart(8)} differ`,
    ...[...Map.groupBy(differences, ({ column }) => column)].flatMap(([column, members]) => [
      `    ${column}: ${members.length}`,
      ...members
        .slice(0, SHOWN)
        .map(({ key, expected, found }) => `      ${key}: expected ${text(expected)}, found ${text(found)}`),
    ]),
  ]);

/** Orders rows by several values, each ascending. */
export const inOrder =
  <T>(valuesOf: (row: T) => readonly (number | string)[]) =>
  (a: T, b: T): number => {
    const [left, right] = [valuesOf(a), valuesOf(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
  };

const SPELLINGS: readonly Spelling[] = ['abbreviated', 'dotted', 'words', 'upper_abbreviated', 'upper_words'];

/** The place of a property in any form. If its own page does not print it, another page of the county may. */
export function placeOf({ address, city, zip }: Property, isPrinted: boolean): Readonly<Record<string, unknown>> {
  const lines = [address, { ...address, unit: null }].flatMap((line) => [
    canonicalStreet(line),
    ...SPELLINGS.map((spelling) => spellStreet(line, spelling)),
  ]);
  return {
    address: anyOf(...(isPrinted ? [] : [null]), ...lines),
    city: anyOf(null, city, city.toUpperCase()),
    zip: anyOf(null, zip),
  };
}

/** Comparable form of a parcel number within its county. Franklin's trailing 00 is a card number. */
export const parcelKey = (countyFips: string, printed: string): string => {
  const key = printed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return countyFips === '39049' && key.length === 11 && key.endsWith('00') ? key.slice(0, 9) : key;
};

/** Finds a property by its parcel number, in any form in which pages print it. */
function propertiesByParcel({ properties }: World) {
  const keyOf = (fips: unknown, printed: unknown): string =>
    `${String(fips)} ${parcelKey(String(fips), String(printed))}`;
  const known = new Map<string, string>();
  for (const property of properties.values()) {
    const { id, countyFips, parcel } = property;
    if (parcel === null) continue;
    // Hamilton's map omits the last two digits.
    const onMap = countyFips === '39061' ? [undashed(parcel).slice(0, 11)] : [];
    for (const form of [parcel, onForeclosureSite(property), onLienHub(property), ...onMap])
      known.set(keyOf(countyFips, form), id);
  }
  return (fips: unknown, parcel: unknown): string | undefined => known.get(keyOf(fips, parcel ?? ''));
}

/** The reads of a source. */
export interface SourceReads {
  readonly source: string;
  readonly family: Manifest['sources'][number]['family'];
  readonly countyFips: string;
  /** Kinds of records that it shows completely. */
  readonly kinds: readonly string[];
  /** Days with a good read, in order, and the last of them: the day of the rows in use. */
  readonly days: readonly Day[];
  readonly lastGood: Day;
}

/** Reads rows of a published table, in JSON form, with instants as days: the world knows no times. */
export type ReadTable = (table: string, where?: string) => Promise<Row[]>;

/** One kind of record. */
export interface RecordTable {
  readonly record: string;
  readonly table: string;
  /** SQL condition of the rows that are compared. */
  readonly where?: string;
  /** The row in the form of the truth; null leaves it out. */
  readonly rowOf?: (row: Row, truth: Truth) => Row | null;
  readonly keyOf: (row: Row, truth: Truth) => string;
  /** Sources that show it. Default: none. */
  readonly isOf?: (reads: SourceReads) => boolean;
  /** @param published the rows that are compared */
  readonly truth: (
    truth: Truth,
    sources: readonly SourceReads[],
    published: readonly Row[],
  ) => readonly TrueRow[] | Promise<readonly TrueRow[]>;
}

/** The manifests from the oldest to that of the snapshot. @throws if one of them was deleted */
async function readManifests(folder: string): Promise<Manifest[]> {
  const file = await readJson(join(folder, 'manifest.json'));
  if (file === undefined) throw new Error(`${folder} has no manifest: its reads are not known`);
  const manifest = Manifest.parse(file);
  const { previous } = manifest;
  return [...(previous === null ? [] : await readManifests(join(dirname(folder), previous))), manifest];
}

/** Reasons of sources that wait for the operator, or for their season. */
const WAITS = new Set<string | null>(['no_file', 'no_permission', 'out_of_season']);

/** The truth about the snapshot in `folder`, whose earlier snapshots are in folders next to it. */
export async function deriveTruth(folder: string, world: World, read: ReadTable) {
  const manifests = await readManifests(folder);
  const { as_of: asOf, sources, sold_leads: sold } = manifests.at(-1) as Manifest;
  const reads = sources.flatMap(({ source, family, county_fips: fips, covered_kinds: kinds }): SourceReads[] => {
    const instants = manifests.map((one) => one.sources.find((each) => each.source === source)?.last_good_at ?? '');
    const days = [...new Set(instants.map((instant) => instant.slice(0, 10)).filter(Boolean))];
    const lastGood = days.at(-1);
    const about = { source, family, countyFips: fips ?? '', kinds: kinds?.split(', ') ?? [] };
    return lastGood === undefined ? [] : [{ ...about, days, lastGood }];
  });
  const worlds = new Map<Day, WorldDay>();
  const on = (day: Day): WorldDay => {
    const known = worlds.get(day) ?? worldOn(world, day);
    worlds.set(day, known);
    return known;
  };
  const declared = new Map((await read('assumptions')).map((row) => [row['key'], Number(row['value'])]));
  return {
    world,
    asOf,
    /** The world on a day. */
    on,
    read,
    /** Sources with a good read. */
    sources: reads,
    propertyOf: propertiesByParcel(world),
    /** A declared number, as the snapshot publishes it. */
    assumption: (key: string): number => declared.get(key) ?? NaN,
    /** Whether a record of distress of a day leaves out the address of its property. */
    lacksAddress: (day: Day, countyFips: string, propertyId: string): boolean =>
      on(day).distress.some(
        (one) => one.countyFips === countyFips && one.propertyId === propertyId && one.flaw === 'no_address',
      ),
    /** What is compared with an earlier day, or not at all, in words. Sources that wait are left out. */
    behind: [
      ...reads
        .filter(({ lastGood }) => lastGood < asOf)
        .map(({ source, lastGood }) => `${source}: compared with ${lastGood}, its last good read`),
      ...sources
        .filter(({ last_good_at: at, reason }) => at === null && !WAITS.has(reason))
        .map(({ source, status }) => `${source}: not compared, because no read was good (${status})`),
    ],
    /** Number of sold leads, which the snapshot leaves out. */
    soldLeads: sold.length,
  };
}
export type Truth = Awaited<ReturnType<typeof deriveTruth>>;

const INSTANTS = /^(?:first_seen|last_seen|last_verified|(?:listing|version)_(?:first|last)_seen)$/u;

/** Open a snapshot's folder, and close it after `use`. */
export async function withSnapshot<T>(folder: string, use: (read: ReadTable) => Promise<T>): Promise<T> {
  const { tables } = Manifest.parse(await readJson(join(folder, 'manifest.json')));
  await using duck = await openDuck();
  const inDays = ([name, value]: [string, unknown]): [string, unknown] => [
    name,
    INSTANTS.test(name) && typeof value === 'string' ? value.slice(0, 10) : value,
  ];
  return await use(async (table, where = 'true') => {
    const files = tables[table]?.files.map(({ file }) => join(folder, file)) ?? [];
    const rows = await rowsOf(duck.connection, `SELECT * FROM ${rowsOfFiles(files, ['id'])} WHERE ${where}`);
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(inDays)));
  });
}
