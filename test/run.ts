/**
 * Runs every test file for `make test`, or those that match the given patterns. Loading the modules costs up to a
 * second of processor time, so the files of some folders share a process. Prints a line per process, the output of
 * those that fail, and the totals.
 */
import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { print } from '../lib/output.ts';
import { memoryFolder } from './ledger/memory_folder.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Folders whose files share processes. The files of the others run alone. */
const SHARING =
  /^test\/(?:analyse|api|attacks|clients|fetch|ledger|lib|models|operate|pipelines|sandbox|site|sources)\//u;
/** Takes longest, so it starts first. */
const SLOWEST = 'test/pipelines/';
/** These measure their process, or close what all tests of the process would have open. */
const ALONE = new Set([
  'test/api/http/connections.test.ts',
  'test/api/payments/modes.test.ts',
  'test/attacks/broken_replies.test.ts',
  'test/attacks/ledger_file.test.ts',
]);
const FILES_PER_PROCESS = 14;
/** More than there are cores: a test often waits for a process, a lock or the disk. */
const PROCESSES = availableParallelism() + 2;
const TEST_TIMEOUT_MS = 600_000;
/** Ends a process that hangs outside its tests. */
const PROCESS_TIMEOUT_MS = 900_000;

const COUNTS = ['tests', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

interface Ended {
  readonly files: readonly string[];
  readonly seconds: number;
  readonly isPassed: boolean;
  readonly output: string;
  readonly counts: Counts;
}

/** Groups of files in the order of their start: the slow ones first. */
function groups(): string[][] {
  const patterns = process.argv.slice(2);
  const files = globSync(patterns.length === 0 ? 'test/**/*.test.ts' : patterns, { cwd: root }).sort();
  const isSharing = (file: string): boolean => SHARING.test(file) && !ALONE.has(file);
  const sharing = Map.groupBy(files.filter(isSharing), (file) => file.split('/').slice(0, -1).join('/'));
  const shared = [...sharing.values()].flatMap((all) => {
    const processes = Math.ceil(all.length / FILES_PER_PROCESS);
    return Array.from({ length: processes }, (_, i) => all.filter((_file, at) => at % processes === i));
  });
  const alone = files.filter((file) => !isSharing(file)).map((file) => [file]);
  const isSlowest = ([file = '']: readonly string[]): boolean => file.startsWith(SLOWEST);
  return [...shared.filter(isSlowest), ...alone, ...shared.filter((group) => !isSlowest(group))];
}

const countsIn = (output: string): Counts =>
  Object.fromEntries(
    COUNTS.map((name) => [name, Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'mu').exec(output)?.[1] ?? 0)]),
  ) as Counts;

async function runGroup(files: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const started = performance.now();
  const options = ['--test', '--test-isolation=none', '--test-reporter=spec', `--test-timeout=${TEST_TIMEOUT_MS}`];
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROCESS_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('exit', resolve);
  });
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const counts = countsIn(output);
  // A process that ends without counts ran no test.
  const isPassed = status === 0 && counts.tests > 0;
  return { files, seconds: (performance.now() - started) / 1000, isPassed, output: output + errors, counts };
}

/** @returns whether all passed */
async function runAll(): Promise<boolean> {
  const folder = memoryFolder('dealfeed-tests-');
  // The tests' PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const shared = join(folder, 'runs');
  mkdirSync(shared);
  const env = { ...process.env, TMPDIR: folder, SHARED_RUNS: shared };
  const waiting = groups();
  const results: Ended[] = [];
  const worker = async (): Promise<void> => {
    for (let files = waiting.shift(); files; files = waiting.shift()) {
      const result = await runGroup(files, env);
      results.push(result);
      const { seconds, isPassed, counts } = result;
      print(
        `${isPassed ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s ${counts.tests} in ${files.join(' ')}`,
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: PROCESSES }, worker));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const failed = results.filter(({ isPassed }) => !isPassed);
  for (const { files, output } of failed) {
    print(`\nFAILED: ${files.join(' ')}`);
    print(output.slice(Math.max(0, output.indexOf('✖ failing tests:'))));
  }
  const total = (name: keyof Counts): number => results.reduce((sum, { counts }) => sum + counts[name], 0);
  print(COUNTS.map((name) => `${name} ${total(name)}`).join(', '));
  return failed.length === 0;
}

if (!(await runAll())) process.exitCode = 1;
