/** The documentation says what the declarations say. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../', import.meta.url);

test('the data dictionary and the README\'s tables are what `make docs` writes', () => {
  const { status, stderr } = spawnSync(process.execPath, ['docs/generate.ts', '--check'], { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

test('every make target is named in the README or in make help, and every target the README names exists', () => {
  const makefile = readFileSync(new URL('Makefile', root), 'utf8');
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const targets = new Set([...makefile.matchAll(/^([a-z]+):.*## /gm)].map((m) => m[1] ?? ''));
  const phony = new Set((/^\.PHONY: (.*)$/m.exec(makefile)?.[1] ?? '').split(' '));
  assert.deepEqual([...targets].filter((t) => !phony.has(t)), [], 'a target that is not phony would stop working beside a folder of its name');
  const named = new Set([...readme.matchAll(/\bmake ([a-z]+)\b/g)].map((m) => m[1] ?? ''));
  assert.deepEqual([...named].filter((t) => !targets.has(t)), []);
});
