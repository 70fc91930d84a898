/**
 * Runs every test file for `make test`, or those that match the given patterns. Loading and compiling the modules
 * costs up to three seconds of processor time, so files share a process. Prints a line per process, the output of
 * those that fail, and the totals, and writes the titles of all tests as a document.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { print } from '../lib/output.ts';
import { memoryFolder } from './ledger/memory_folder.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Processor seconds of a file, without loading modules, by its path: the first match counts. Measured file by file. The
 * first file that needs a published day makes it.
 */
const SECONDS: readonly (readonly [path: RegExp, seconds: number])[] = [
  [/^test\/(?:models\/recompute|site\/site_browser)/u, 20],
  [/^test\/(?:jobs\/two_workers|pipelines\/commands\/worked)/u, 17],
  [/^test\/(?:ledger\/simulation|models\/properties|operate\/prune|pipelines\/run\/end_to_end|store\/hosts)/u, 10],
  [/^test\/pipelines\/(?:publish\/parts|run\/(?:quiet_days|sold_leads)|sources\/(?:blank|registers))/u, 7],
  [/^test\/models\/(?:build\/(?:audits|determinism|extreme)|figures\/absence|history|underwriting\/pages)/u, 7],
  [/^test\/(?:operate|pipelines\/(?:commands|faults|run)|store)\//u, 5],
  [/^test\/(?:jobs|models\/(?:leads|underwriting)|pipelines)\//u, 3],
  [/^test\/(?:api|attacks|clients|crash|ledger|models|sandbox)\//u, 2],
];
const SECONDS_ELSEWHERE = 0.5;
/** These measure time or their process. */
const ALONE = new Set(['test/jobs/politeness.test.ts']);
/**
 * Estimated seconds of the files that share a process: so few that no process is left to run alone at the end, and
 * enough to be worth its start.
 */
const SECONDS_PER_PROCESS = { most: 60, least: 20 };
/** Each file keeps its modules and data in memory. */
const FILES_PER_PROCESS = 70;
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

const secondsOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + (SECONDS.find(([path]) => path.test(file))?.[1] ?? SECONDS_ELSEWHERE), 0);

/**
 * Split files into groups, each a share of what is left, so that the last ones are small. Neighbors stay together: they
 * load the same modules.
 */
function split(files: readonly string[]): string[][] {
  const { most, least } = SECONDS_PER_PROCESS;
  const done: string[][] = [];
  let group: string[] = [];
  let left = secondsOf(files);
  for (const file of files) {
    const share = Math.min(most, Math.max(least, left / PROCESSES));
    if (group.length === FILES_PER_PROCESS || (group.length > 0 && secondsOf([...group, file]) > share)) {
      left -= secondsOf(group);
      done.push(group);
      group = [];
    }
    group.push(file);
  }
  return [...done, group].filter(({ length }) => length > 0);
}

/** Groups of files in the order of their start: the longest first, so that the last ones end together. */
function groups(): string[][] {
  const patterns = process.argv.slice(2);
  const files = globSync(patterns.length === 0 ? 'test/**/*.test.ts' : patterns, { cwd: root }).sort();
  const alone = files.filter((file) => ALONE.has(file)).map((file) => [file]);
  return [...alone, ...split(files.filter((file) => !ALONE.has(file)))].sort((a, b) => secondsOf(b) - secondsOf(a));
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

/** Where the titles of all tests are, as a document. */
const TITLES = 'node_modules/.cache/tests.md';

/** The titles in the output of the reporter, indented as the tests are nested. It prints a group before and after. */
function titlesIn(output: string): string[] {
  const open: string[] = [];
  return output.split('\n').flatMap((line) => {
    const [, indent = '', sign, title = ''] = /^( *)([▶✔✖]) (.+?)(?: \([\d.]+ms\))?$/u.exec(line) ?? [];
    if (sign === '▶') open.push(title);
    if (sign === undefined || (sign !== '▶' && open.at(-1) === title && open.pop())) return [];
    return [`${indent}- ${title}`];
  });
}

const CACHE = join(root, 'node_modules/.cache/');
const UNPACK = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";

function versionOf(name: string): string {
  const main = createRequire(import.meta.url).resolve(name);
  const { version } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')) as { version: string };
  return version;
}

function unpack(folder: string): void {
  mkdirSync(CACHE, { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: root,
    env: { ...process.env, TMPDIR: partial },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the browser of the tests cannot be unpacked: ${stderr}`);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    // Another run of the suite was faster.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Link the browser of @sparticuz/chromium into a temporary folder, where the package looks for it. It is unpacked once
 * for all runs of the suite: a process that finds the file takes it for complete while another still writes it.
 */
function linkBrowser(temporary: string): void {
  const folder = join(CACHE, `chromium-${versionOf('@sparticuz/chromium')}`);
  if (!existsSync(folder)) unpack(folder);
  for (const name of readdirSync(folder)) symlinkSync(join(folder, name), join(temporary, name));
}

/** @returns whether all passed */
async function runAll(): Promise<boolean> {
  const folder = memoryFolder('dealfeed-tests-');
  // The tests' PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  linkBrowser(folder);
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
  const titles = results
    .toSorted((a, b) => a.files.join().localeCompare(b.files.join()))
    .map(
      ({ files, output }) =>
        `## ${files.join(', ')}\n\n${titlesIn(output.split('✖ failing tests:')[0] ?? '').join('\n')}\n`,
    );
  mkdirSync(dirname(join(root, TITLES)), { recursive: true });
  writeFileSync(join(root, TITLES), titles.join('\n'));
  print(`titles in ${TITLES}`);
  const total = (name: keyof Counts): number => results.reduce((sum, { counts }) => sum + counts[name], 0);
  print(COUNTS.map((name) => `${name} ${total(name)}`).join(', '));
  return failed.length === 0;
}

if (!(await runAll())) process.exitCode = 1;
