/** Every command that a page, a message or a comment names is a target of the Makefile, and there are few of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makefile, pages, ROOT, targets } from './pages.ts';

/** Files that name removed commands. */
const HISTORY = ['CHANGELOG.md', 'docs/decisions.md'];
/** Words that follow the verb in English. */
const ENGLISH = new Set(
  'a an earlier equal fills installs it no npm offer once one other sense the them tzdata'.split(' '),
);
const CODE = [
  '{api,bench,clients,docs,examples,ledger,lib,models,pipelines,queries,sandbox,sources,test}/**/*.{ts,sql}',
];
const OTHERS = ['docs/**/*.template', 'deploy/**/*', 'compose.yaml', 'Dockerfile', '.ci/*', '.githooks/*'];

test('every `make <target>` in pages, messages and comments exists', () => {
  const code = globSync([...CODE, ...OTHERS], { cwd: ROOT, exclude: ['**/recorded/**'] }).filter((path) =>
    /\.\w+$|^\.|Dockerfile/u.test(path),
  );
  const texts = code.map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));
  const unknown = [...pages.filter(({ path }) => !HISTORY.includes(path)), ...texts].flatMap(({ path, text }) =>
    [...text.matchAll(/\bmake ([a-z][a-z-]*)/gu)]
      .map(([, word = '']) => word)
      .filter((word) => !targets.has(word) && !ENGLISH.has(word))
      .map((word) => `${path}: make ${word}`),
  );
  assert.ok(texts.length > 800 && pages.length > 20, `${texts.length} files and ${pages.length} pages`);
  assert.deepEqual([...new Set(unknown)], []);
});

/** Runs make, which takes the packages as they are: a test installs none. */
const make = (...args: string[]) =>
  spawnSync('make', ['--old-file=node_modules/.bin/node', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
const namesIn = (text: string): string[] => [...text.matchAll(/^ {2}make ([a-z-]+) /gmu)].map(([, name = '']) => name);

test('make help lists the everyday commands, and with ALL=1 every target, at most 32', () => {
  const [few, listed] = [namesIn(make('help').stdout), namesIn(make('help', 'ALL=1').stdout)];
  assert.ok(few.length <= 14 && few.includes('run') && few.every((name) => listed.includes(name)), few.join());
  const phony = [...makefile.matchAll(/^\.PHONY: (.*)$/gmu)].flatMap((match) => (match[1] ?? '').split(' '));
  assert.deepEqual([listed.sort(), phony.sort()], [[...targets].sort(), [...targets].sort()]);
  assert.ok(targets.size <= 32, `${targets.size} targets`);
});

/** Not written as a command, because no page may name one that does not exist. */
const MISSPELLED = 'stats';

test('a misspelled command or argument is reported with the closest names', () => {
  const [command, argument] = [make(MISSPELLED), make('status', 'DAAY=2026-11-20')];
  assert.deepEqual([command.status, argument.status], [2, 2]);
  assert.match(command.stderr, /^make \w+: there is no such command; similar: status\./mu);
  assert.match(argument.stderr, /^DAAY is not an argument or setting; similar: .*\bDAY\b/mu);
});

test('a value that looks like an argument is not one', () => {
  const { stderr } = make('sql', "Q=SELECT 1 AS a, 'DAAY=3'");
  assert.doesNotMatch(stderr, /DAAY is not/u);
});
