/**
 * The sources to read, as this repository declares them and the default world answers, for any number of counties.
 */
import { groupBySharedHost } from '../../../pipelines/crawl/jobs.ts';
import { loadSources } from '../../../sources/index.ts';
import type { Read } from './crawl.ts';
import { theWorld } from './world.ts';

export interface SourceRead extends Read {
  /** FIPS code, or null of a source that is not of one county. */
  readonly county: string | null;
  readonly family: string;
  readonly everyDays: number;
  readonly bytes: number;
  readonly rows: number;
}

/** A read of each source that was fetched when the world was recorded. A newer source counts from the next record. */
export async function worldReads(): Promise<readonly SourceRead[]> {
  const specs = await loadSources();
  const sites = groupBySharedHost(specs);
  return specs
    .filter(({ fetch }) => fetch !== undefined)
    .flatMap((spec) => {
      const read = theWorld().sources[spec.name];
      if (!read) return [];
      return {
        source: spec.name,
        site: sites.get(spec.name) ?? spec.name,
        county: spec.county?.fips ?? null,
        family: spec.family,
        everyDays: spec.readEveryDays ?? spec.everyDays,
        ...read,
        intervalMs: spec.politeness.minIntervalMs,
      };
    });
}

export const countiesOf = (reads: readonly SourceRead[]): readonly string[] =>
  [...new Set(reads.flatMap(({ county }) => county ?? []))].sort();

/** The owner of a host name: "duval.realforeclose.com" is on realforeclose.com. */
const platformOf = (site: string): string => site.split('.').slice(-2).join('.');

/** The sites, or names derived from them, that serve several counties. */
function sharedBy(reads: readonly SourceRead[], nameOf: (site: string) => string): ReadonlySet<string> {
  const counties = Map.groupBy(
    reads.filter(({ county }) => county !== null),
    ({ site }) => nameOf(site),
  );
  return new Set([...counties].filter(([, of]) => new Set(of.map((r) => r.county)).size > 1).map(([name]) => name));
}

export interface Scale {
  readonly counties: number;
  /** How many times the listings of the default world. */
  readonly listings: number;
  /**
   * "host": as the fetcher counts, a county's name on a platform is a site of its own. "platform": all names of a
   * platform that serves several counties are one site, as if their owner asked for that.
   */
  readonly sites: 'host' | 'platform';
}

/**
 * The reads of so many counties: each county has the sources of one of the default world, in turn, on sites of its own.
 * A site that serves several counties there serves all of theirs here. Sources without a county are read once, and a
 * site of listings has as many times the pages.
 */
export function readsFor(reads: readonly SourceRead[], { counties, listings, sites }: Scale): readonly SourceRead[] {
  const nameOf = sites === 'host' ? (site: string) => site : platformOf;
  const shared = sharedBy(reads, nameOf);
  const named = reads.map((read) => (shared.has(nameOf(read.site)) ? { ...read, site: nameOf(read.site) } : read));
  const everywhere = named
    .filter(({ county }) => county === null)
    .map((read) =>
      read.family === 'listings'
        ? { ...read, requests: Math.ceil(read.requests * listings), bytes: Math.ceil(read.bytes * listings) }
        : read,
    );
  const known = countiesOf(reads);
  const ofCounties = Array.from({ length: counties }, (_, i) => {
    const [copy, county] = [Math.floor(i / known.length), known[i % known.length]];
    return named
      .filter((read) => read.county === county)
      .map((read) =>
        copy === 0
          ? read
          : {
              ...read,
              source: `${read.source} ${copy}`,
              county: `${read.county ?? ''} ${copy}`,
              site: shared.has(read.site) ? read.site : `${read.site} ${copy}`,
            },
      );
  });
  return [...everywhere, ...ofCounties.flat()];
}
