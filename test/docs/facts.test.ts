/** Every setting and command is in a page, and every field of a response is described. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApi } from '../../api/docs/openapi.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { commandsOf, makefile, pages, ROOT, targets } from './pages.ts';

const everything = pages.map((p) => p.text).join('\n');
test('every setting that a program reads is in a page or in make help', () => {
  const names = new Set<string>();
  for (const file of globSync('{api,bench,docs,ledger,lib,models,pipelines,sandbox,sources,examples}/**/*.ts', {
    cwd: ROOT,
  })) {
    const text = readFileSync(ROOT + file, 'utf8');
    if (!/readSettings|readServerSettings|Settings = z\./.test(text)) continue;
    for (const [, name = ''] of text.matchAll(/^\s+([A-Z][A-Z0-9_]+): (?:z\b|yes|day|size|publicUrl|[a-z]\w*\()/gm))
      names.add(name);
  }
  assert.ok(names.has('DATA_DIR') && names.size > 40, [...names].join(' '));
  assert.deepEqual(
    [...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(everything + makefile)),
    [],
  );
});

test('every target is in make help and phony, and every target in a page exists', () => {
  const all = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map((m) => m[1] ?? ''));
  assert.deepEqual(
    [...all].filter((t) => !targets.has(t)),
    [],
    'without a line of help',
  );
  const phony = new Set([...makefile.matchAll(/^\.PHONY: (.*)$/gm)].flatMap((m) => (m[1] ?? '').split(' ')));
  assert.deepEqual(
    [...targets].filter((t) => !phony.has(t)),
    [],
    'not phony',
  );
  const inPages = new Set(
    [
      ...pages.flatMap(commandsOf).flatMap((line) => line.split(/[;&|]/u)),
      ...[...everything.matchAll(/`([^`\n]+)`/gu)].map(([, code = '']) => code),
    ].flatMap((command) => /^\s*(?:[A-Z_]+=\S+ )*make ([a-z-]+)/u.exec(command)?.[1] ?? []),
  );
  assert.ok(inPages.size > 15, [...inPages].join(' '));
  assert.deepEqual(
    [...inPages].filter((t) => !targets.has(t)),
    [],
    'no such target',
  );
});

test('every response field is described', () => {
  const { components } = openApi(
    allRoutes({ publicUrl: 'http://localhost:4021', spoolDir: '' }),
    'http://localhost:4021',
  ) as { components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> } };
  const silent = ['deal', 'signal', 'auction', 'lead', 'filing'].flatMap((name) =>
    Object.entries(components.schemas[name]?.properties ?? { none: {} })
      .filter(([, field]) => !field.description)
      .map(([field]) => `${name}.${field}`),
  );
  assert.deepEqual(silent, []);
});

test('the first line of every page says who it is for', () => {
  const silent = pages
    .filter(({ path }) => /^docs\/[^/]+\.md$/.test(path))
    .filter(({ text }) => !/^# .+\n\nFor [^:]+: /.test(text));
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});
