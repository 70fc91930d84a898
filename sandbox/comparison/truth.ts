/**
 * The truth that a snapshot can know: the facts of the world on the days on which each source was read, which the
 * manifests of the snapshots state. And the rows that it published.
 */
import { dirname, join } from 'node:path';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { readJson } from '../../lib/files.ts';
import { rowsOfFiles } from '../../lib/stored_types.ts';
import { Manifest } from '../../models/manifest.ts';
import { onForeclosureSite, onLienHub, undashed } from '../world/parcels.ts';
import { canonicalStreet, spellStreet, type Spelling } from '../world/streets.ts';
import type { Day, Property, World } from '../world/types.ts';
import { worldOn, type WorldDay } from '../world/world.ts';
import { anyOf, type AnyOf, type Row, type TrueRow } from './compare.ts';

/** Reasons of sources that wait for the operator, or for their season. */
const WAITS = new Set<string | null>(['no_file', 'no_permission', 'out_of_season']);

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
  /** @param published the rows that are compared */
  readonly truth: (truth: Truth, published: readonly Row[]) => readonly TrueRow[] | Promise<readonly TrueRow[]>;
}

/** The manifests from the oldest to that of the snapshot. @throws if one of them was deleted */
async function readManifests(folder: string): Promise<Manifest[]> {
  const file = await readJson(join(folder, 'manifest.json'));
  if (file === undefined) throw new Error(`${folder} has no manifest: its reads are not known`);
  const manifest = Manifest.parse(file);
  const { previous } = manifest;
  return [...(previous === null ? [] : await readManifests(join(dirname(folder), previous))), manifest];
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

/** The truth about the snapshot in `folder`, whose earlier snapshots are in folders next to it. */
export async function deriveTruth(folder: string, world: World, read: ReadTable) {
  const manifests = await readManifests(folder);
  const { as_of: asOf, sources, sold_leads: sold } = manifests.at(-1) as Manifest;
  const daysOf = (name: string): Day[] => {
    const at = manifests.map((one) => one.sources.find(({ source }) => source === name)?.last_good_at ?? '');
    return [...new Set(at.map((instant) => instant.slice(0, 10)).filter(Boolean))];
  };
  const reads = sources.flatMap(({ source, family, county_fips: fips, covered_kinds: kinds }): SourceReads[] => {
    const days = daysOf(source);
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
    sourcesOf: (family: SourceReads['family'], countyFips: string): SourceReads[] =>
      reads.filter((one) => one.family === family && one.countyFips === countyFips),
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
  const duck = await openDuck();
  const inDays = ([name, value]: [string, unknown]): [string, unknown] => [
    name,
    INSTANTS.test(name) && typeof value === 'string' ? value.slice(0, 10) : value,
  ];
  try {
    return await use(async (table, where = 'true') => {
      const files = tables[table]?.files.map(({ file }) => join(folder, file)) ?? [];
      const rows = await rowsOf(duck.connection, `SELECT * FROM ${rowsOfFiles(files, ['id'])} WHERE ${where}`);
      return rows.map((row) => Object.fromEntries(Object.entries(row).map(inDays)));
    });
  } finally {
    duck.close();
  }
}

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
export function placeOf({ address, city, zip }: Property, isPrinted: boolean): Readonly<Record<string, AnyOf>> {
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
