/**
 * The packages that a server for real money imports are dependencies; packages for development are imported only by
 * the modules that are listed here.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Programs that run on a machine with real money. */
const ENTRIES = [
  'api/server.ts',
  'ledger/cli.ts',
  'pipelines/commands/cli.ts',
  'pipelines/operate/scheduler.ts',
  'pipelines/operate/prune.ts',
  'pipelines/operate/backup/cli.ts',
  'pipelines/jobs/worker.ts',
  'clients/mcp.ts',
  'clients/buy.ts',
  'sandbox/around.ts',
];
/** Where a package for development is loaded only when it is needed, with a message where it is missing. */
const TRIED = ['api/payments/local_chain/chain.ts @foundry-rs/anvil', 'sources/fetch/browser.ts @sparticuz/chromium'];

interface Import {
  readonly file: string;
  readonly name: string;
  readonly isStatic: boolean;
}

/** Modules that a file imports, statically or dynamically, or resolves with `require`. Types are not among them. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
    .replaceAll(/^\s*(?:\*|\/\/).*$/gm, '')
    .replaceAll(/`[^`]*`/g, (template) => (template.includes('import ') ? '``' : template));
  const named = (pattern: RegExp, isStatic: boolean): Import[] =>
    [...text.matchAll(pattern)].map((m) => ({ file, name: m[1] ?? '', isStatic }));
  return [
    ...named(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm, true),
    ...named(/\bimport\('([^']+)'\)/g, false),
    ...named(/\brequire\.resolve\(['`]([^'`$]+)['`$]/g, false),
    ...named(/createRequire\([^()]*\)(?:\.resolve)?\('([^']+)'\)/g, false),
  ];
}

const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
    .replace(/-(?:linux|darwin|win32)?-?$/, '');

/** Every import of a package that these programs can reach. */
function reachable(): Import[] {
  const found: Import[] = [];
  const seen = new Set<string>();
  const waiting = [...ENTRIES];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const one of importsOf(file)) {
      if (one.name.startsWith('.')) {
        const path = resolve(ROOT, dirname(file), one.name);
        if (path.endsWith('.ts') && existsSync(path)) waiting.push(relative(ROOT, path));
      } else if (!one.name.startsWith('node:') && !builtinModules.includes(one.name)) found.push(one);
    }
  }
  assert.ok(seen.size > 150 && found.length > 100, `${seen.size} files and ${found.length} imports were found`);
  return found;
}

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

test('every import of a program with real money is a dependency, except optional ones', () => {
  const missing = reachable().filter(({ name }) => !(packageOf(name) in dependencies));
  assert.deepEqual(
    missing.filter((i) => i.isStatic),
    [],
  );
  assert.deepEqual([...new Set(missing.map((i) => `${i.file} ${packageOf(i.name)}`))].sort(), TRIED);
});

test("the sandbox's chain, its compiler and the browser are development packages", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; resolved?: string }>;
  };
  for (const name of ['@foundry-rs/anvil', 'solc', '@sparticuz/chromium']) {
    assert.ok(name in devDependencies && !(name in dependencies), name);
    assert.equal(lock.packages[`node_modules/${name}`]?.dev, true, name);
  }
  for (const name of Object.keys(dependencies))
    assert.equal(lock.packages[`node_modules/${name}`]?.dev, undefined, name);
  assert.deepEqual(
    Object.values(lock.packages).filter((p) => p.resolved !== undefined),
    [],
    'the lock file names no registry',
  );
});
