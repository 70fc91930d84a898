/** The simulated crawl keeps the rules of the real one, and its time is within the analytic bounds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { heldMs, simulateCrawl, siteTimes, type Crawl, type Read } from '../../docs/generate/capacity/crawl.ts';
import { countiesOf, readsFor, worldReads } from '../../docs/generate/capacity/reads.ts';
import { loadSources } from '../../sources/index.ts';
import { RateLimiter } from '../../sources/fetch/polite/rate_limiter.ts';

const someReads: fc.Arbitrary<readonly Read[]> = fc
  .array(
    fc.record({
      site: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      requests: fc.integer({ min: 0, max: 40 }),
      intervalMs: fc.constantFrom(0, 1000, 2000, 4000, 10_000),
    }),
    { maxLength: 30 },
  )
  .map((reads) => reads.map((read, i) => ({ ...read, source: `s${i}` })));
const somePlaces = fc.integer({ min: 1, max: 12 });
const someResponse = fc.integer({ min: 1, max: 3000 });

/** The sources of each site in the order in which they were read. */
const orderAtSites = ({ readings }: Crawl): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(readings, ({ site }) => site)]
      .map(([site, of]) => [site, of.map(({ source }) => source)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

describe('the simulated crawl', () => {
  test('is never shorter than its longest site or its work over its places, nor longer than both together', () => {
    fc.assert(
      fc.property(someReads, somePlaces, someResponse, (reads, places, responseMs) => {
        const { endedMs } = simulateCrawl(reads, places, responseMs);
        const longest = siteTimes(reads, responseMs)[0]?.[1] ?? 0;
        const work = reads.reduce((sum, read) => sum + heldMs(read, responseMs), 0);
        assert.ok(endedMs >= Math.max(longest, work / places), `${endedMs} ms`);
        const oneByOne = simulateCrawl(reads, 1, responseMs).endedMs;
        assert.ok(endedMs <= oneByOne / places + longest, `${endedMs} ms with ${places}, ${oneByOne} ms with one`);
      }),
    );
  });

  test('reads the same pages, at each site in the same order, whatever the number of places', () => {
    fc.assert(
      fc.property(someReads, somePlaces, someResponse, (reads, places, responseMs) => {
        const crawl = simulateCrawl(reads, places, responseMs);
        const oneByOne = simulateCrawl(reads, 1, responseMs);
        assert.deepEqual(
          oneByOne.readings.map(({ source }) => source),
          reads.map(({ source }) => source),
        );
        assert.deepEqual(orderAtSites(crawl), orderAtSites(oneByOne));
        assert.deepEqual(crawl.readings.map(({ source }) => source).sort(), reads.map(({ source }) => source).sort());
        assert.deepEqual(simulateCrawl(reads, places, responseMs), crawl);
      }),
    );
  });

  test('reads a site one source at a time, an interval apart, and as many sources at once as there are places', () => {
    fc.assert(
      fc.property(someReads, somePlaces, someResponse, (reads, places, responseMs) => {
        const { readings } = simulateCrawl(reads, places, responseMs);
        for (const ofSite of Map.groupBy(
          readings.filter(({ requests }) => requests > 0),
          ({ site }) => site,
        ).values())
          for (const [i, { startedMs }] of ofSite.entries()) {
            const before = ofSite[i - 1];
            if (!before) continue;
            assert.ok(startedMs >= before.endedMs, 'two sources at once');
            assert.ok(startedMs >= before.endedMs - responseMs + before.intervalMs, 'sooner than the interval');
          }
        for (const { startedMs } of readings) {
          const atWork = readings.filter((other) => other.startedMs <= startedMs && startedMs < other.endedMs);
          assert.ok(atWork.length <= places, `${atWork.length} sources at once, ${places} places`);
        }
      }),
    );
  });

  test('needs no longer than the longest site with a place for every source', () => {
    fc.assert(
      fc.property(someReads, someResponse, (reads, responseMs) => {
        const { endedMs } = simulateCrawl(reads, Math.max(1, reads.length), responseMs);
        assert.equal(endedMs, siteTimes(reads, responseMs)[0]?.[1] ?? 0);
      }),
    );
  });

  test('needs as long at one site as the rate limiter of the fetcher lets it take', async () => {
    const reads = fc.array(
      fc.record({ requests: fc.integer({ min: 0, max: 12 }), intervalMs: fc.constantFrom(0, 500, 1000, 4000) }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(reads, someResponse, async (ofSite, responseMs) => {
        let nowMs = 0;
        const limiter = new RateLimiter('site', { concurrency: 1, nowMs: () => nowMs });
        const sleep = async (ms: number): Promise<void> => {
          nowMs += ms;
        };
        for (const { requests, intervalMs } of ofSite)
          for (let i = 0; i < requests; i += 1)
            await limiter.run(intervalMs, sleep, async () => {
              nowMs += responseMs;
            });
        // A source without requests holds its place until the interval before it has passed; nothing is sent then.
        const all = ofSite
          .filter(({ requests }) => requests > 0)
          .map((read, i) => ({ ...read, source: `${i}`, site: 'site' }));
        assert.equal(simulateCrawl(all, 1, responseMs).endedMs, nowMs);
      }),
    );
  });
});

describe('the reads of many counties', async () => {
  const world = await worldReads();
  const known = countiesOf(world).length;

  test('are those of nearly all sources that are fetched', async () => {
    const fetched = (await loadSources()).filter(({ fetch }) => fetch !== undefined).length;
    assert.ok(
      world.length > 0.8 * fetched,
      `${world.length} of ${fetched}: run docs/generate/capacity/record_world.ts`,
    );
  });

  test('are those of the default world for its counties', () => {
    const reads = readsFor(world, { counties: known, listings: 1, sites: 'host' });
    const byName = (a: Read, b: Read): number => (a.source < b.source ? -1 : 1);
    assert.deepEqual(reads.toSorted(byName), world.toSorted(byName));
  });

  test('grow with the counties, in sources, requests and sites, and have each source once', () => {
    for (const sites of ['host', 'platform'] as const) {
      const counts = [known, 2 * known, 3000].map((counties) => {
        const reads = readsFor(world, { counties, listings: 1, sites });
        assert.equal(new Set(reads.map(({ source }) => source)).size, reads.length);
        assert.equal(countiesOf(reads).length, counties);
        return reads.reduce((sum, { requests }) => sum + requests, 0);
      });
      assert.deepEqual(
        counts.toSorted((a, b) => a - b),
        counts,
      );
    }
  });

  test('of a site that serves several counties stay on that site, whose time grows with them', () => {
    const hoursOf = (counties: number): number =>
      siteTimes(readsFor(world, { counties, listings: 1, sites: 'host' }), 500).find(
        ([s]) => s === 'lienhub.com',
      )?.[1] ?? 0;
    assert.ok(hoursOf(known) > 0);
    assert.ok(hoursOf(10 * known) > 9.9 * hoursOf(known));
  });

  test('on one platform are one site where platforms are counted', () => {
    const sitesOf = (sites: 'host' | 'platform'): Set<string> =>
      new Set(readsFor(world, { counties: known, listings: 1, sites }).map(({ site }) => site));
    assert.ok(sitesOf('host').has('duval.realforeclose.com'));
    assert.ok(sitesOf('platform').has('realforeclose.com'));
    assert.ok(!sitesOf('platform').has('duval.realforeclose.com'));
  });
});
