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
export const heldMs = ({ requests, intervalMs }: Read, responseMs: number): number =>
  requests === 0 ? 0 : (requests - 1) * Math.max(intervalMs, responseMs) + responseMs;

/**
 * Read all sources. A free place takes the first source, in the order given, whose site nobody reads.
 * @param places sources read at the same time: workers × AT_ONCE
 * @param responseMs from the start of a request to the end of its response
 */
export function simulateCrawl(reads: readonly Read[], places: number, responseMs: number): Crawl {
  const ordered = reads.map((read, place) => ({ read, place }));
  const waiting = Map.groupBy(ordered, ({ read }) => read.site);
  // The first waiting source of each site that nobody reads, in the order given.
  const ready = [...waiting.values()].flatMap((sameSite) => sameSite.shift() ?? []);
  const freeAtMs = new Map<string, number>();
  const readings: Reading[] = [];
  let working: Reading[] = [];
  let nowMs = 0;
  while (ready.length > 0 || working.length > 0) {
    for (const { read } of ready.splice(0, places - working.length)) {
      const startedMs = Math.max(nowMs, freeAtMs.get(read.site) ?? 0);
      const endedMs = startedMs + heldMs(read, responseMs);
      if (read.requests > 0) freeAtMs.set(read.site, endedMs - responseMs + read.intervalMs);
      const reading = { ...read, startedMs, endedMs };
      working.push(reading);
      readings.push(reading);
    }
    nowMs = Math.min(...working.map(({ endedMs }) => endedMs));
    const done = working.filter(({ endedMs }) => endedMs === nowMs);
    working = working.filter(({ endedMs }) => endedMs > nowMs);
    for (const { site } of done) {
      const next = waiting.get(site)?.shift();
      if (!next) continue;
      const later = ready.findIndex(({ place }) => place > next.place);
      ready.splice(later < 0 ? ready.length : later, 0, next);
    }
  }
  return { readings, endedMs: nowMs };
}

/** Milliseconds for which each site is read if each is read at once, the longest first. */
export function siteTimes(
  reads: readonly Read[],
  responseMs: number,
): readonly (readonly [site: string, ms: number])[] {
  return [...Map.groupBy(reads, ({ site }) => site)]
    .map(([site, ofSite]) => [site, simulateCrawl(ofSite, 1, responseMs).endedMs] as const)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
