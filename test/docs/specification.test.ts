/** docs/specification.md: every statement has a number and a test that exists, in a file that is run. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { pages, ROOT } from './pages.ts';

const PAGE = 'docs/specification.md';

interface Statement {
  readonly number: number;
  readonly text: string;
  readonly title: string;
  /** Path of the file with the test. */
  readonly file: string;
}

const page = pages.find(({ path }) => path === PAGE) ?? assert.fail(`there is no ${PAGE}`);
/** Titles of the tests, in the order of the statements. */
const titles = JSON.parse(readFileSync(new URL('statements.json', import.meta.url), 'utf8')) as readonly string[];
/** List items, each on one line. */
const itemsIn = (text: string): readonly string[] =>
  text
    .replaceAll(/\n +/gu, ' ')
    .split('\n')
    .filter((line) => /^\d/u.test(line));
const statements = itemsIn(page.text).map((line, i): Statement => {
  const [, number, text, link] =
    /^(\d+)\. (.+) \[[^\]]+\]\(([^()]+)\)$/u.exec(line) ?? assert.fail(`not a statement: ${line}`);
  return {
    number: Number(number),
    text: text ?? '',
    title: titles[i] ?? '',
    file: normalize(join(dirname(PAGE), link ?? '')),
  };
});

/** Titles in a file as its source has them: of `it` and `test`, and names of examples. */
const TITLE = /(?:\b(?:it|test)\(\s*|\bname: )(['"`])((?:\\.|(?!\1).)*)\1/gs;
const sources = new Map<string, string>();
const sourceOf = (file: string): string => {
  const source = sources.get(file) ?? readFileSync(ROOT + file, 'utf8');
  sources.set(file, source);
  return source;
};
const titlesIn = (file: string): string[] => [...sourceOf(file).matchAll(TITLE)].map(([, , title = '']) => title);

test('the statements are numbered from 1, and none occurs twice in a section', () => {
  assert.deepEqual(
    statements.map(({ number }) => number),
    statements.map((_, i) => i + 1),
  );
  for (const section of page.text.split('\n## ')) {
    const texts = itemsIn(section).map((item) => item.replaceAll(/^\d+\. | \[.*$/gu, ''));
    assert.equal(new Set(texts).size, texts.length, section.slice(0, section.indexOf('\n')));
  }
  assert.equal(titles.length, statements.length, 'statements.json has a title for each');
  assert.ok(statements.length >= 185, `${statements.length} statements`);
});

test('each statement has a test, whose title its file has once', () => {
  const missing = statements.filter(
    ({ title, file }) => titlesIn(file).filter((found) => found === title).length !== 1,
  );
  assert.deepEqual(missing, []);
});

test('each file of a test is run: it is a test file, or one imports it', () => {
  const testFiles = globSync('test/**/*.test.ts', { cwd: ROOT });
  const helpers = new Set(statements.map(({ file }) => file).filter((file) => !testFiles.includes(file)));
  assert.ok(helpers.size > 0);
  for (const file of helpers)
    assert.ok(
      testFiles.some((path) => sourceOf(path).includes(`/${basename(file)}'`)),
      `no test file imports ${file}`,
    );
});
