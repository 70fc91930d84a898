/**
 * An hour of traffic in minutes: what is free, paid, refused and malformed, with snapshots swapped, and the server's memory
 * all the while. Each repetition is one more such hour of the same server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { defineBench, summaryOf, type Size } from '../contract.ts';
import { startServed } from '../served.ts';
import { trafficTo } from '../traffic.ts';
import { publishWorld } from '../worlds.ts';

const REQUESTS: Readonly<Record<Size, number>> = { full: 200_000, quick: 2_000 };
const CONNECTIONS = 8;
const SWAP_EVERY_MS: Readonly<Record<Size, number>> = { full: 10_000, quick: 1_000 };
const SAMPLE_EVERY_MS: Readonly<Record<Size, number>> = { full: 500, quick: 100 };

export default defineBench({
  name: 'serving_soak',
  what: 'resident memory in the last quarter of 200,000 requests (quick: 2,000) with snapshots swapped: median',
  baseline: 'the same in the second quarter',
  unit: 'MiB',
  target: { atMost: 1.1 },
  limits: { since_the_first: { atMost: 1.1, unit: 'of the first hour' } },
  repetitions: { full: 5, quick: 1 },
  fullOnly: true,
  async open(size) {
    const world = await publishWorld(size);
    const snapshots = [world.runId, await world.enlarge(2, 1), await world.enlarge(3, 2)];
    const server = await startServed(world.layout.root);
    const next = await trafficTo(server.url, world.layout.snapshot(world.runId), {
      free: 65,
      unpaid: 15,
      malformed: 10,
    });
    /** Resident memory at the end of the first repetition, MiB. */
    let first: number | undefined;
    return {
      async measure() {
        const traffic = { goes: true };
        const every = async (ms: number, work: (n: number) => Promise<void>): Promise<void> => {
          for (let n = 1; traffic.goes; n += 1) {
            await pause(ms);
            await work(n);
          }
        };
        const samples: number[] = [];
        const sampling = every(SAMPLE_EVERY_MS[size], async () => {
          samples.push((await server.usage()).residentMib);
        });
        const swapping = every(SWAP_EVERY_MS[size], (n) =>
          world.switchTo(snapshots[n % snapshots.length] ?? world.runId),
        );
        const ask = async () =>
          autocannon({
            url: server.url,
            connections: CONNECTIONS,
            amount: REQUESTS[size],
            requests: [
              {
                setupRequest: (request) => {
                  const { path, headers } = next();
                  return { ...request, path, headers: { ...request.headers, ...headers } };
                },
              },
            ],
          });
        const result = await ask().finally(() => {
          traffic.goes = false;
          return Promise.all([sampling, swapping]);
        });
        if (result['5xx'] > 0 || result.errors > 0)
          throw new Error(`${result['5xx']} requests were answered 5xx, ${result.errors} failed`);
        const quarter = (n: number): number =>
          summaryOf(samples.slice(Math.floor((samples.length * n) / 4), Math.floor((samples.length * (n + 1)) / 4)))
            .median;
        const last = quarter(3);
        first ??= last;
        return {
          baseline: quarter(1),
          ours: last,
          also: {
            since_the_first: last / first,
            first_quarter_mib: quarter(0),
            third_quarter_mib: quarter(2),
            answered: result['2xx'],
            refused: result['4xx'],
            minutes: result.duration / 60,
          },
        };
      },
      async close() {
        await server.stop();
        await world.remove();
      },
    };
  },
});
