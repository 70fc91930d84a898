/** What a paid query of each kind costs the server as the snapshot grows: processor time of a query, all threads together. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pointAt } from '../../lib/files.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { processorMs } from '../calls.ts';
import { defineBench, type Size } from '../contract.ts';
import { writeEnlarged } from '../enlarged.ts';
import { drive } from '../load.ts';
import { startProgram, type Program } from '../programs.ts';
import { KINDS, payingFor, questionsTo, type Kind } from '../questions.ts';
import { publishWorld, TIMES } from '../worlds.ts';

const SECONDS: Readonly<Record<Size, number>> = { full: 3, quick: 1 };
const CONNECTIONS = 8;
const ASKED: Readonly<Record<Size, readonly Kind[]>> = { full: KINDS, quick: ['deals', 'lookup'] };

interface Asking {
  readonly program: Program;
  /** Milliseconds of processor time that a query of this kind takes, asked for so many seconds. */
  cost(kind: Kind, seconds: number): Promise<number>;
}

async function start(dataDir: string, snapshotFolder: string, ledger: string): Promise<Asking> {
  const program = await startProgram('dealfeed.ts', [dataDir, ledger]);
  const next = await payingFor(program.url, await questionsTo(snapshotFolder, 7));
  return {
    program,
    async cost(kind, seconds) {
      const before = processorMs(program.pid);
      let asked = 0;
      await drive(
        program.url,
        () => {
          asked += 1;
          return next(kind);
        },
        { seconds, connections: CONNECTIONS },
      );
      const after = processorMs(program.pid);
      if (before === null || after === null)
        throw new Error('this system does not tell the processor time of another process');
      return (after - before) / asked;
    },
  };
}

export default defineBench({
  name: 'serving_growth',
  what: 'a paid query at 100 times the default world (quick: 10 times a small one), the kinds of query in equal parts',
  baseline: 'the same at 1 time',
  unit: 'processor ms',
  target: { atMost: 1.5 },
  repetitions: { full: 5, quick: 1 },
  fullOnly: true,
  async open(size) {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-growth-'));
    const small = await publishWorld(size);
    const large = layoutOf(join(folder, 'data'));
    const enlarged = await writeEnlarged(large, small.layout.snapshot(small.runId), {
      runId: small.runId,
      times: TIMES[size],
    });
    await pointAt(large.current, enlarged);
    const servers = [
      await start(small.layout.root, small.layout.snapshot(small.runId), join(folder, 'small.sqlite')),
      await start(large.root, enlarged, join(folder, 'large.sqlite')),
    ] as const;
    const ask = async (seconds: number): Promise<readonly (readonly [Kind, number, number])[]> => {
      const costs: (readonly [Kind, number, number])[] = [];
      for (const kind of ASKED[size])
        costs.push([kind, await servers[0].cost(kind, seconds), await servers[1].cost(kind, seconds)]);
      return costs;
    };
    // What is made when it is first asked for is there before anything is counted.
    await ask(SECONDS[size]);
    return {
      async measure() {
        const costs = await ask(SECONDS[size]);
        const mean = (of: (cost: (typeof costs)[number]) => number): number =>
          costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length;
        return {
          baseline: mean(([, s]) => s),
          ours: mean(([, , l]) => l),
          also: Object.fromEntries(
            costs.flatMap(([kind, s, l]) => [
              [`${kind}_ratio`, l / s],
              [`${kind}_ms`, l],
            ]),
          ),
        };
      },
      async close() {
        for (const { program } of servers) await program.stop();
        await small.remove();
        await rm(folder, { recursive: true });
      },
    };
  },
});
