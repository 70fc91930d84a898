/** A copy of the tree, in which faults are planted one at a time, and what catches them there. */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plantChanges, type PlantedChange } from '../ledger/planted_change.ts';
import type { Findings } from './fault.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const COPIED = [
  'api',
  'bench',
  'clients',
  'docs',
  'ledger',
  'lib',
  'models',
  'pipelines',
  'sandbox',
  'sources',
  'test',
];
const FILES = ['CHANGELOG.md', 'Makefile', 'package.json', 'tsconfig.json'];

/** Make the copy. @returns its folder, which the caller removes */
export async function copyOfTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'dealfeed-planted-'));
  for (const path of [...COPIED, ...FILES]) await cp(join(ROOT, path), join(copy, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Source text of a file with its changes. @throws if a place does not occur exactly once */
export async function changedText(file: string, changes: readonly PlantedChange[]): Promise<string> {
  return plantChanges(
    await readFile(join(ROOT, file), 'utf8'),
    changes.filter((change) => change.file === file),
  );
}

/** Plant a fault into the copy, and take it out again after `use`. */
export async function withFault<T>(copy: string, changes: readonly PlantedChange[], use: () => Promise<T>): Promise<T> {
  const files = [...new Set(changes.map(({ file }) => file))];
  try {
    for (const file of files) await writeFile(join(copy, file), await changedText(file, changes));
    return await use();
  } finally {
    for (const file of files) await cp(join(ROOT, file), join(copy, file));
  }
}

interface Ended {
  readonly status: number | null;
  readonly printed: string;
}

/** Run node in the copy. Published days that other tests share are of the tree without a fault. */
function node(copy: string, args: readonly string[]): Promise<Ended> {
  const { NODE_TEST_CONTEXT: _context, SHARED_RUNS: _shared, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.on('error', reject).on('close', (status) => resolve({ status, printed }));
  });
}

/** Run a tiny world in the copy. */
export async function findingsOn(copy: string, days: readonly string[]): Promise<Findings> {
  const { status, printed } = await node(copy, ['test/planted/world_run.ts', ...days]);
  if (status !== 0) throw new Error(`the run of the world ended with status ${status}: ${printed}`);
  return JSON.parse(printed) as Findings;
}

/** Run the tests of a file whose name begins so. @returns how many ran, and how many failed */
export async function runTests(copy: string, file: string, name: string): Promise<{ passed: number; failed: number }> {
  const args = ['--test', '--test-reporter=tap', `--test-name-pattern=${RegExp.escape(name)}`, file];
  const { printed } = await node(copy, args);
  const count = (word: string): number => Number(new RegExp(`^# ${word} (\\d+)$`, 'mu').exec(printed)?.[1] ?? 0);
  // A test whose preparation fails is canceled.
  return { passed: count('pass'), failed: count('fail') + count('cancelled') };
}
