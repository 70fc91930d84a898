/**
 * `make simulate`: SCHEDULES schedules from SEED, from number FIRST on, on all processors; the first that breaks a promise is shown with
 * its trace. ONLY=n shows the n-th schedule alone.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { runSchedule, seedOf } from './schedule.ts';

const whole = z.coerce.number('a whole number').int('a whole number').min(0, 'a whole number, 0 or more');
const settings = z.object({
  SCHEDULES: whole.default(10_000),
  SEED: whole.default(20_261_121),
  FIRST: whole.default(0),
  ONLY: whole.optional(),
  WORKERS: whole.min(1, 'at least 1').default(availableParallelism()),
});

interface Part {
  readonly seed: number;
  readonly first: number;
  readonly every: number;
  readonly end: number;
}
const COUNTS = [
  'steps',
  'sold',
  'released',
  'unknown',
  'kills',
  'undoneBlocks',
  'undone',
  'madeGood',
  'owed',
  'capped',
] as const;
type Counts = Record<(typeof COUNTS)[number] | 'schedules' | 'mostSteps', number>;
type Message = Counts | { readonly brokenAt: number };
const REPORT_EVERY = 500;
/** Nearly everything in a schedule lives for that schedule only: with room for it, little is left to be collected. */
const ROOM_FOR_THE_YOUNG = '--max-semi-space-size=64';

const none = (): Counts => ({
  schedules: 0,
  mostSteps: 0,
  steps: 0,
  sold: 0,
  released: 0,
  unknown: 0,
  kills: 0,
  undoneBlocks: 0,
  undone: 0,
  madeGood: 0,
  owed: 0,
  capped: 0,
});

async function runPart({ seed, first, every, end }: Part, tell: (message: Message) => void): Promise<void> {
  let counts = none();
  for (let n = first; n < end; n += every) {
    const result = await runSchedule({ seed: seedOf(seed, n) });
    if (result.broken.length > 0) tell({ brokenAt: n });
    counts.schedules += 1;
    counts.mostSteps = Math.max(counts.mostSteps, result.steps);
    for (const name of COUNTS) counts[name] += result[name];
    if (counts.schedules === REPORT_EVERY) {
      tell(counts);
      counts = none();
    }
  }
  tell(counts);
}

async function show(seed: number, n: number): Promise<number> {
  const { trace, broken } = await runSchedule({ seed: seedOf(seed, n), tracing: true });
  process.stdout.write(
    `${trace.join('\n')}\n\nSEED=${seed} ONLY=${n}: ${broken.length === 0 ? 'every promise was kept' : `BROKEN\n  ${broken.join('\n  ')}`}\n`,
  );
  return broken.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { SCHEDULES, SEED, FIRST, ONLY, WORKERS } = readSettings(settings);
  if (ONLY !== undefined) return show(SEED, ONLY);
  const startMs = performance.now();
  const total = none();
  const broken: number[] = [];
  let told = 0;
  const take = (message: Message): void => {
    if ('brokenAt' in message) {
      broken.push(message.brokenAt);
      process.stdout.write(`broken: ONLY=${message.brokenAt}\n`);
      return;
    }
    for (const name of [...COUNTS, 'schedules'] as const) total[name] += message[name];
    total.mostSteps = Math.max(total.mostSteps, message.mostSteps);
    if (total.schedules < told + SCHEDULES / 10) return;
    told = total.schedules;
    process.stdout.write(
      `${total.schedules} of ${SCHEDULES} schedules, ${broken.length} broken, ${((performance.now() - startMs) / 1000).toFixed(0)} s\n`,
    );
  };
  await Promise.all(
    Array.from(
      { length: WORKERS },
      (_, first) =>
        new Promise<void>((resolve, reject) => {
          const part: Part = { seed: SEED, first: FIRST + first, every: WORKERS, end: FIRST + SCHEDULES };
          fork(fileURLToPath(import.meta.url), [JSON.stringify(part)], { execArgv: [ROOM_FOR_THE_YOUNG] })
            .on('message', take)
            .on('error', reject)
            .on('exit', (code) => {
              if (code === 0) resolve();
              else reject(new Error(`a worker ended with ${code}`));
            });
        }),
    ),
  );
  const seconds = (performance.now() - startMs) / 1000;
  process.stdout.write(
    `SEED=${SEED}: ${total.schedules} schedules of ${(total.steps / total.schedules).toFixed(0)} steps (at most ${total.mostSteps}), ${total.sold} sold, ${total.released} not sold, ` +
      `${total.unknown} of unknown outcome at some time, ${total.capped} refused by a limit, ${total.kills} processes killed, ${total.undoneBlocks} blocks undone; ${total.madeGood} made good, ${total.owed} owed, ` +
      `${total.undone} lost their payment to a reorganization and are listed as unpaid; ${broken.length} broken; ${seconds.toFixed(0)} s\n`,
  );
  const [first] = broken.sort((a, b) => a - b);
  return first === undefined ? 0 : show(SEED, first);
}

const [, , part] = process.argv;
if (part === undefined) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
} else {
  await runPart(JSON.parse(part) as Part, (message) => process.send?.(message));
}
