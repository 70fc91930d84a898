/** docs/settings.md has every setting and argument that a program reads, and no other. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makefile, pages, ROOT } from './pages.ts';

const page = pages.find(({ path }) => path === 'docs/settings.md')?.text ?? '';
const listed = (text: string): string[] => [...text.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|/gmu)].map((m) => m[1] ?? '');

/** Names of the schemas in these files. */
function namesIn(pattern: string): Set<string> {
  const names = new Set<string>();
  for (const file of globSync(pattern, { cwd: ROOT })) {
    const text = readFileSync(ROOT + file, 'utf8');
    if (!/(?:Settings|Arguments) = (?:z\.object\()?\{?/u.test(text)) continue;
    for (const [, name = ''] of text.matchAll(/^ {2}([A-Z][A-Z0-9_]+):\s(?:z$|z\.|[a-z]\w*(?:\(|$|\n|\.))/gmu))
      names.add(name);
  }
  return names;
}

test('every setting that a program reads is listed once, and no other; there are at most 45', () => {
  const read = namesIn('{api,ledger,lib,models,pipelines,sandbox,sources}/**/*.ts');
  const all = listed(page);
  assert.ok(read.has('DATA_DIR') && read.has('GAS_PER_DAY') && read.size > 60, [...read].join(' '));
  assert.deepEqual(
    [...read].filter((name) => !all.includes(name)),
    [],
    'not in docs/settings.md',
  );
  const [settings = ''] = page.split('## Arguments of commands');
  assert.equal(new Set(listed(settings)).size, listed(settings).length, 'listed twice');
  assert.ok(listed(settings).length <= 45, `${listed(settings).length} settings`);
  const sources = globSync('{api,ledger,lib,pipelines}/**/*.ts', { cwd: ROOT }).map((path) =>
    readFileSync(ROOT + path, 'utf8'),
  );
  assert.deepEqual(
    all.filter((name) => !sources.some((text) => new RegExp(`\\b${name}\\b`, 'u').test(text))),
    [],
    'listed, and read by no program',
  );
});

test('settings of clients and of the bench are in a page or in make help', () => {
  const everything = pages.map(({ text }) => text).join('\n') + makefile;
  const names = namesIn('{bench,clients,examples}/**/*.ts');
  assert.ok(names.size > 5, [...names].join(' '));
  assert.deepEqual(
    [...names].filter((name) => !new RegExp(`\\b${name}\\b`, 'u').test(everything)),
    [],
  );
});
