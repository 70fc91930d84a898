/**
 * Snapshots that take each other's place while free answers are fetched and others are bought. A request that fails
 * ends the benchmark.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { defineBench, type Size } from '../contract.ts';
import { drive } from '../load.ts';
import { startServed, type Served } from '../served.ts';
import { trafficTo } from '../traffic.ts';
import { publishWorld, type Published } from '../worlds.ts';

const SECONDS: Readonly<Record<Size, number>> = { full: 20, quick: 2 };
const CONNECTIONS = 8;
const SWAP_EVERY_MS = 2_000;
const SETTLED_MS = 1_500;
const PATIENCE_MS = 60_000;

/** Let the server serve this snapshot. @throws where it does not come to it */
async function swapTo(runId: string, { url }: Served, world: Published): Promise<void> {
  await world.switchTo(runId);
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(100)) {
    const { snapshot_id: serving } = (await (await fetch(`${url}/health`)).json()) as { snapshot_id: string };
    if (serving === runId) return;
    if (Date.now() > deadline) throw new Error(`${runId} never served`);
  }
}

export default defineBench({
  name: 'serving_swap',
  what: 'slowest hundredth of requests, free and paid, while the snapshot is swapped every two seconds; none may fail',
  baseline: 'the same while one snapshot serves',
  unit: 'ms',
  target: { atMost: 2 },
  limits: { memory_ratio: { atMost: 1.1, unit: 'after/before' } },
  repetitions: { full: 5, quick: 1 },
  fullOnly: true,
  async open(size) {
    const world = await publishWorld(size);
    const other = await world.enlarge(2, 1);
    const server = await startServed(world.layout.root);
    const next = await trafficTo(server.url, world.layout.snapshot(world.runId), { free: 50, unpaid: 0, malformed: 0 });
    const load = () => drive(server.url, next, { seconds: SECONDS[size], connections: CONNECTIONS });
    const resident = async (): Promise<number> => {
      await pause(SETTLED_MS);
      return (await server.usage()).residentMib;
    };
    await load();
    return {
      async measure() {
        const steady = await load();
        const before = await resident();
        let swaps = 0;
        const traffic = { goes: true };
        const swapping = (async () => {
          // Both ways, so that the same one serves in the end.
          while (traffic.goes || swaps % 2 === 1) {
            await swapTo(swaps % 2 === 0 ? other : world.runId, server, world);
            swaps += 1;
            await pause(SWAP_EVERY_MS);
          }
        })();
        const swapped = await load().finally(() => {
          traffic.goes = false;
          return swapping;
        });
        const after = await resident();
        return {
          ours: swapped.p99,
          baseline: steady.p99,
          also: {
            memory_ratio: after / before,
            resident_before_mib: before,
            resident_after_mib: after,
            swaps,
            steady_rate: steady.rate,
            swapped_rate: swapped.rate,
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
