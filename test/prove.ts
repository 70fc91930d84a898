/**
 * Runs the long tests for `make prove`: every *.proof.ts, then the test files that try more cases with THOROUGH=1.
 * ONLY=<text> runs those whose path has the text. Proofs read their own settings (N=, SEED=) from the environment.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { print } from '../lib/output.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const only = process.env['ONLY'] ?? '';
/** Two at a time: each starts processes of its own. */
const OPTIONS = ['--test', '--test-concurrency=2', '--test-timeout=1800000'];
/** Imports that make the size of a test depend on THOROUGH. */
const THOROUGH = /thorough\.ts/u;

const chosen = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .filter((path) => path.includes(only))
    .sort();
const proofs = chosen('test/**/*.proof.ts');
const thorough = chosen('test/**/*.test.ts').filter((path) => THOROUGH.test(readFileSync(root + path, 'utf8')));

function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}): void {
  // ONLY chooses files here; a program under test does not get it.
  const { ONLY: _, ...env } = process.env;
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...env, ...settings } });
  if (status !== 0) process.exitCode = 1;
}

if (proofs.length + thorough.length === 0) {
  print(`ONLY is ${JSON.stringify(only)}, expected a part of the path of a proof, such as crash`);
  process.exitCode = 1;
}
if (proofs.length > 0) run([...OPTIONS, ...proofs]);
if (thorough.length > 0) run(['test/run.ts', ...thorough], { THOROUGH: '1' });
