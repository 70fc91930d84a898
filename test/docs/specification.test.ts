/** docs/specification.md: each row names the start of the title of one test, in a file that is run. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import { test } from 'node:test';
import { pages, ROOT } from './pages.ts';

const page = pages.find(({ path }) => path === 'docs/specification.md') ?? assert.fail('there is no page');
const rows = [...page.text.matchAll(/^\| (\d+) \| (.+) \| \[(.+)\]\((\S+)\) \|$/gmu)].map(
  ([, number, statement = '', title = '', link = '']) => ({
    number: Number(number),
    statement,
    title,
    file: normalize(join('docs', link)),
  }),
);
/** Titles in a file as its source has them: of `it` and `test`, and names of examples. */
const TITLE = /(?:\b(?:it|test)\(\s*|\bname: )(['"`])((?:\\.|(?!\1).)*)\1/gs;

test('the statements are numbered from 1, at most 120, and none occurs twice', () => {
  assert.deepEqual(
    rows.map(({ number }) => number),
    rows.map((_, i) => i + 1),
  );
  assert.ok(rows.length > 100 && rows.length <= 120, String(rows.length));
  assert.equal(rows.length, page.text.match(/^\| \d/gmu)?.length, 'every numbered row is read');
});

test('each row names one test of its file, and the file is run: a test file, or one that imports it', () => {
  const testFiles = globSync('test/**/*.test.ts', { cwd: ROOT });
  for (const { number, title, file } of rows) {
    const source = readFileSync(ROOT + file, 'utf8');
    const named = [...source.matchAll(TITLE)].filter(([, , found = '']) => found.startsWith(title));
    assert.equal(named.length, 1, `${number}: ${title}`);
    const runs = (path: string): boolean => readFileSync(ROOT + path, 'utf8').includes(`/${basename(file)}'`);
    assert.ok(testFiles.includes(file) || testFiles.some(runs), `${file} is not run`);
  }
});
