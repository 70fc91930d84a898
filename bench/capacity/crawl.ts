/**
 * How long the crawl takes, simulated by its own rules: a place reads one source at a time, a site (all hosts that
 * share sources) is read by one place at a time, and the requests to it start an interval apart
 * (`sources/fetch/polite`, `groupConcurrency` of `pipelines/crawl/worker/worker.ts`). Whole milliseconds, no clock, no
 * random number.
 */

/** One source to read. */
export interface Read {
  readonly source: string;
  readonly site: string;
  readonly requests: number;
  /** Least time from the start of a request to the start of the next one at the site. */
  readonly intervalMs: number;
}

export interface Reading extends Read {
  readonly startedMs: number;
  readonly endedMs: number;
}

export interface Crawl {
  /** Every read, in the order in which they started. */
  readonly readings: readonly Reading[];
  /** When the last page has arrived. */
  readonly endedMs: number;
}

/** How long a read takes once its first request is sent. */
const heldMs = ({ requests, intervalMs }: Read, responseMs: number): number =>
  requests === 0 ? 0 : (requests - 1) * Math.max(intervalMs, responseMs) + responseMs;

/**
 * Read all sources. A free place takes the first source, in the order given, whose site nobody reads.
 * @param places sources read at the same time: workers × AT_ONCE
 * @param responseMs from the start of a request to the end of its response
 */
export function simulateCrawl(reads: readonly Read[], places: number, responseMs: number): Crawl {
  if (!Number.isInteger(places) || places < 1) throw new Error(`${places} places, expected a whole number from 1`);
  const waiting = new Map<string, Read[]>();
  for (const read of reads) {
    const sameSite = waiting.get(read.site);
    if (sameSite) sameSite.push(read);
    else waiting.set(read.site, [read]);
  }
  // The first waiting source of each site, in the order given.
  const order = new Map(reads.map((read, index) => [read, index]));
  const ready: Read[] = [...waiting.values()].flatMap((sameSite) => sameSite.shift() ?? []);
  const nextAtMs = new Map<string, number>();
  const working: { readonly endMs: number; readonly site: string }[] = [];
  const readings: Reading[] = [];
  let nowMs = 0;
  while (ready.length > 0 || working.length > 0) {
    while (ready.length > 0 && working.length < places) {
      const [read] = ready.splice(0, 1);
      if (!read) break;
      const startedMs = Math.max(nowMs, nextAtMs.get(read.site) ?? 0);
      const endMs = startedMs + heldMs(read, responseMs);
      const lastMs = endMs - responseMs;
      if (read.requests > 0) nextAtMs.set(read.site, lastMs + read.intervalMs);
      working.push({ endMs, site: read.site });
      readings.push({ ...read, startedMs, endedMs: endMs });
    }
    nowMs = Math.min(...working.map(({ endMs }) => endMs));
    for (let i = working.length - 1; i >= 0; i -= 1) {
      const done = working[i];
      if (done?.endMs !== nowMs) continue;
      working.splice(i, 1);
      const next = waiting.get(done.site)?.shift();
      if (next) insert(ready, next, order);
    }
  }
  return { readings, endedMs: nowMs };
}

/** Insert a source that may be read now, in the order given. */
function insert(ready: Read[], read: Read, order: ReadonlyMap<Read, number>): void {
  const place = (r: Read): number => order.get(r) ?? 0;
  let [low, high] = [0, ready.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = ready[middle];
    if (at && place(at) < place(read)) low = middle + 1;
    else high = middle;
  }
  ready.splice(low, 0, read);
}

/** Milliseconds for which each site is read if each is read at once, the longest first. */
export function siteTimes(
  reads: readonly Read[],
  responseMs: number,
): readonly (readonly [site: string, ms: number])[] {
  const bySite = Map.groupBy(reads, ({ site }) => site);
  return [...bySite]
    .map(([site, ofSite]) => [site, simulateCrawl(ofSite, 1, responseMs).endedMs] as const)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** No crawl ends earlier than its longest site, or than its work divided over the places. */
export function leastMs(reads: readonly Read[], places: number, responseMs: number): number {
  const work = reads.reduce((sum, read) => sum + heldMs(read, responseMs), 0);
  return Math.max(siteTimes(reads, responseMs)[0]?.[1] ?? 0, Math.ceil(work / places));
}
