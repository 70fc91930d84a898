/** Every setting and command is in a page, and every field of a response is described. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApi } from '../../api/docs/openapi.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { makefile, pages, ROOT } from './pages.ts';

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

test('every dependency has its reason in docs/decisions.md', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const reasons = pages.find(({ path }) => path === 'docs/decisions.md')?.text.split('## Dependencies')[1] ?? '';
  assert.deepEqual(
    Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !name.startsWith('@types/') && !reasons.includes(`\`${name}\``),
    ),
    [],
  );
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
