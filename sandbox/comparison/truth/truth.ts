/**
 * The truth that a snapshot can know: the facts of the world on the days on which each source was read. The manifests
 * of the snapshots state these days.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Manifest } from '../../../models/manifest.ts';
import type { Day, World, WorldDay } from '../../world/types.ts';
import { worldOn } from '../../world/world.ts';

/** Reasons of sources that wait for the operator, or for their season. */
const WAITS = new Set<string | null>(['no_file', 'no_permission', 'out_of_season']);

/** The reads of a source. */
export interface SourceReads {
  readonly source: string;
  readonly family: Manifest['sources'][number]['family'];
  readonly countyFips: string | null;
  /** Kinds of records that it shows completely. */
  readonly kinds: readonly string[];
  readonly everyDays: number;
  readonly status: Manifest['sources'][number]['status'];
  /** Days with a good read, in order. */
  readonly days: readonly Day[];
  /** The last of them: the day of the rows in use. */
  readonly lastGood: Day;
}

export interface Truth {
  readonly world: World;
  readonly asOf: Day;
  /** The world on a day. */
  on(day: Day): WorldDay;
  /** Sources without a good read, each with the status of its latest read. Those that wait are left out. */
  readonly unread: readonly string[];
  /** Sources with a good read, by name. */
  readonly sources: ReadonlyMap<string, SourceReads>;
  /** Whether every snapshot since the first exists, so that all days of reads are known. */
  readonly isComplete: boolean;
  /** Number of sold leads, which the snapshot leaves out. */
  readonly soldLeads: number;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));

/** The manifests from the oldest that is there to that of the snapshot. */
async function readManifests(folder: string): Promise<Manifest[]> {
  const manifests = [await manifestOf(folder)];
  for (;;) {
    const previous = manifests[0]?.previous ?? null;
    if (previous === null) return manifests;
    try {
      manifests.unshift(await manifestOf(join(dirname(folder), previous)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return manifests;
    }
  }
}

/** The truth about the snapshot in `folder`, whose earlier snapshots are in folders next to it. */
export async function deriveTruth(folder: string, world: World): Promise<Truth> {
  const manifests = await readManifests(folder);
  const current = manifests.at(-1);
  if (current === undefined) throw new Error(`${folder} has no manifest`);
  const worlds = new Map<Day, WorldDay>();
  const readDays = (source: string): Day[] => [
    ...new Set(
      manifests.flatMap(({ sources }) => {
        const at = sources.find((row) => row.source === source)?.last_good_at;
        return at ? [at.slice(0, 10)] : [];
      }),
    ),
  ];
  const sources = current.sources.flatMap((row): [string, SourceReads][] => {
    const days = readDays(row.source);
    const lastGood = days.at(-1);
    if (lastGood === undefined) return [];
    const { source, family, county_fips: countyFips, every_days: everyDays, status } = row;
    const kinds = row.covered_kinds?.split(', ') ?? [];
    return [[source, { source, family, countyFips, kinds, everyDays, status, days, lastGood }]];
  });
  return {
    world,
    asOf: current.as_of,
    on(day) {
      const known = worlds.get(day) ?? worldOn(world, day);
      worlds.set(day, known);
      return known;
    },
    unread: current.sources
      .filter(({ last_good_at: at, reason }) => at === null && !WAITS.has(reason))
      .map(({ source, status }) => `${source} (${status})`),
    sources: new Map(sources),
    isComplete: manifests[0]?.previous === null,
    soldLeads: current.sold_leads.length,
  };
}

/** The source of a family for a county. */
export const sourceOf = (truth: Truth, family: SourceReads['family'], countyFips: string): SourceReads | undefined =>
  [...truth.sources.values()].find((source) => source.family === family && source.countyFips === countyFips);

/**
 * The sources whose rows are of an earlier day than the snapshot, each with the rule that allows it, and those that are
 * not compared because no read was good.
 */
export function behind({ sources, asOf, unread }: Truth): string[] {
  const older = [...sources.values()]
    .filter(({ lastGood }) => lastGood < asOf)
    .map(({ source, lastGood, everyDays, status }) => {
      const cadence = everyDays === 1 ? 'read every day' : `read every ${everyDays} days`;
      const why = status === 'good' || status === 'not_due' ? cadence : `${cadence}; the latest read is ${status}`;
      return `${source}: compared with ${lastGood}, its last good read (${why})`;
    });
  return unread.length === 0 ? older : [...older, `not compared, because no read was good: ${unread.join(', ')}`];
}
