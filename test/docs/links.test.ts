/** Links between pages, and files in their commands, exist. */
import assert from 'node:assert/strict';
import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { commandsOf, pages, ROOT } from './pages.ts';

/** Anchors of the headings of a page, as GitHub derives them. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map((m) =>
      (m[1] ?? '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );

test('every link to a page finds its file and heading', () => {
  let links = 0;
  const broken: string[] = [];
  for (const { path, text } of pages) {
    for (const [, address = ''] of text.replaceAll(/^```.*?^```/gms, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(address)) continue;
      links += 1;
      const [file = '', anchor] = address.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file)));
      if (!existsSync(ROOT + target)) {
        broken.push(`${path}: ${address}`);
        continue;
      }
      if (anchor === undefined) continue;
      const there = pages.find((p) => p.path === target);
      if (there && !anchorsOf(there.text).has(anchor)) broken.push(`${path}: ${address}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(links > 40, `${links} links`);
});

test('every file in a command exists', () => {
  const absent = pages.flatMap((page) =>
    commandsOf(page).flatMap((line) =>
      [
        ...line.matchAll(
          /(?:^|\s)((?:api|bench|docs|examples|ledger|pipelines|sandbox|sources|test)\/[\w./*-]+\.(?:ts|js|py|sh))\b/g,
        ),
      ]
        .map((m) => m[1] ?? '')
        .filter((file) => globSync(file, { cwd: ROOT }).length === 0)
        .map((file) => `${page.path}: ${file}`),
    ),
  );
  assert.deepEqual(absent, []);
});

test('screenshots are at most 300 kB', () => {
  const large = globSync('docs/*.png', { cwd: ROOT }).filter((file) => statSync(ROOT + file).size > 300_000);
  assert.deepEqual(large, []);
  assert.ok(existsSync(`${ROOT}docs/home.png`));
});
