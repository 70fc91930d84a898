/**
 * `make simulate`: SCHEDULES schedules from SEED, from number FIRST on, on all processors. It shows the first schedule
 * that violates an invariant with its trace. ONLY=n shows the n-th schedule alone.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { runSchedule, seedOf, variantOf } from './schedule.ts';

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
type Message = Counts | { readonly failed: number };
const REPORT_EVERY = 500;
/** Most objects live for one schedule only. A large young generation avoids most garbage collections. */
const YOUNG_GENERATION = '--max-semi-space-size=64';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

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

async function runPart({ seed, first, every, end }: Part, send: (message: Message) => void): Promise<void> {
  let counts = none();
  for (let n = first; n < end; n += every) {
    const result = await runSchedule({ seed: seedOf(seed, n), ...variantOf(n) });
    if (result.violations.length > 0) send({ failed: n });
    counts.schedules += 1;
    counts.mostSteps = Math.max(counts.mostSteps, result.steps);
    for (const name of COUNTS) counts[name] += result[name];
    if (counts.schedules === REPORT_EVERY) {
      send(counts);
      counts = none();
    }
  }
  send(counts);
}

/** @returns the exit status */
async function show(seed: number, n: number): Promise<number> {
  const { trace, violations } = await runSchedule({
    seed: seedOf(seed, n),
    ...variantOf(n),
    tracing: true,
  });
  const result = violations.length === 0 ? 'no invariant is violated' : `VIOLATED\n  ${violations.join('\n  ')}`;
  print(`${trace.join('\n')}\n\nSEED=${seed} ONLY=${n}: ${result}`);
  return violations.length === 0 ? 0 : 1;
}

const runWorker = (part: Part, onMessage: (message: Message) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    fork(fileURLToPath(import.meta.url), [JSON.stringify(part)], { execArgv: [YOUNG_GENERATION] })
      .on('message', onMessage)
      .on('error', reject)
      .on('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`a worker ended with ${code}`));
      });
  });

const summary = (total: Counts): string =>
  [
    `${total.schedules} schedules of ${(total.steps / total.schedules).toFixed(0)} steps (at most ${total.mostSteps})`,
    `${total.sold} sold`,
    `${total.released} not sold`,
    `${total.unknown} with an unknown outcome at some time`,
    `${total.capped} refused by a limit`,
    `${total.kills} processes killed`,
    `${total.undoneBlocks} blocks undone`,
    `${total.madeGood} made good`,
    `${total.owed} owed`,
    `${total.undone} unpaid after a reorganization and listed as unpaid`,
  ].join(', ');

/** @returns the exit status */
async function main(): Promise<number> {
  const { SCHEDULES, SEED, FIRST, ONLY, WORKERS } = readSettings(settings);
  if (ONLY !== undefined) return show(SEED, ONLY);
  const startMs = performance.now();
  const seconds = (): string => ((performance.now() - startMs) / 1000).toFixed(0);
  const total = none();
  const failed: number[] = [];
  let printed = 0;
  const onMessage = (message: Message): void => {
    if ('failed' in message) {
      failed.push(message.failed);
      print(`violated: ONLY=${message.failed}`);
      return;
    }
    for (const name of [...COUNTS, 'schedules'] as const) total[name] += message[name];
    total.mostSteps = Math.max(total.mostSteps, message.mostSteps);
    if (total.schedules < printed + SCHEDULES / 10) return;
    printed = total.schedules;
    print(`${total.schedules} of ${SCHEDULES} schedules, ${failed.length} failed, ${seconds()} s`);
  };
  await Promise.all(
    Array.from({ length: WORKERS }, (_, first) =>
      runWorker({ seed: SEED, first: FIRST + first, every: WORKERS, end: FIRST + SCHEDULES }, onMessage),
    ),
  );
  print(`SEED=${SEED}: ${summary(total)}; ${failed.length} failed; ${seconds()} s`);
  const first = Math.min(...failed);
  return failed.length === 0 ? 0 : show(SEED, first);
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
