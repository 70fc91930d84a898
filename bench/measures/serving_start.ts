/** From the start of the server's process until /health is 200, against a process that reads the same files and does nothing else. */
import { spawn } from 'node:child_process';
import { defineBench } from '../contract.ts';
import { startServed } from '../served.ts';
import { publishWorld, TIMES } from '../worlds.ts';

/** Seconds from a process's start to its end. @throws where it fails */
function secondsOf(script: string, args: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [new URL(`../servers/${script}`, import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      if (code === 0) resolve((performance.now() - startedMs) / 1000);
      else reject(new Error(`${script} ended with ${code}`));
    });
  });
}

export default defineBench({
  name: 'serving_start',
  what: 'start of the whole server on a snapshot of 100 times the default world (quick: 10 times a small one) until it is healthy',
  baseline: 'a process that reads the same Parquet files into tables in memory',
  unit: 's',
  target: { atMost: 2 },
  repetitions: { full: 5, quick: 1 },
  fullOnly: true,
  async open(size) {
    const world = await publishWorld(size);
    const large = await world.enlarge(2, TIMES[size]);
    await world.switchTo(large);
    return {
      async measure() {
        const folder = world.layout.snapshot(large);
        const baseline = await secondsOf('read_tables.ts', [folder, 'tables']);
        const server = await startServed(world.layout.root);
        const { residentMib } = await server.usage();
        await server.stop();
        const ours = server.startedMs / 1000;
        // Beside it, what reading takes where nothing is kept.
        const decoded = await secondsOf('read_tables.ts', [folder, 'values']);
        return { ours, baseline, also: { decoded_only_s: decoded, resident_mib: residentMib } };
      },
      close: () => world.remove(),
    };
  },
});
