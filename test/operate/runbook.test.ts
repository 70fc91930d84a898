/** Every reason in the code has a runbook page, and every page gives the fix and names its tests. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PROBLEMS } from '../../api/http/problem.ts';
import { WAITS } from '../../pipelines/ingest/source_state.ts';
import { DEGRADED_REASONS } from '../../models/marts/sources.ts';
import { PROBLEMS as HEALTH_PROBLEMS } from '../../pipelines/operate/problems.ts';
import { EXIT } from '../../pipelines/commands/status.ts';
import { QUARANTINE_REASONS, UNAVAILABLE_REASONS } from '../../sources/contract.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const folder = 'docs/runbook/';
const pages = readdirSync(new URL(folder, root))
  .filter((f) => f !== 'README.md')
  .map((f) => f.replace(/\.md$/u, ''));
const index = read(`${folder}README.md`);

const refusals = Object.entries(PROBLEMS)
  .filter(([, { status }]) => status >= 500)
  .map(([reason]) => reason);

// Kinds of trouble of a source that a read caused: their page is that of the reason.
const BY_REASON = ['source_quarantined', 'source_unavailable', 'source_degraded'];
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'a read that was set aside': QUARANTINE_REASONS,
  'a site that does not answer': UNAVAILABLE_REASONS,
  'a source whose rows are worth less than they should be': DEGRADED_REASONS,
  'a source that waits': Object.keys(WAITS),
  'trouble that status and alerts name': Object.keys(HEALTH_PROBLEMS).filter((kind) => !BY_REASON.includes(kind)),
  'an exit status': [...new Set(Object.values(EXIT))]
    .filter((status) => status > 0)
    .map((status) => `exit_status_${status}`),
  'an answer of the server that is its own fault': refusals,
};

for (const [what, reasons] of Object.entries(GIVEN)) {
  test(`there is a page for each reason of ${what}`, () => {
    assert.deepEqual(
      reasons.filter((reason) => !pages.includes(reason)),
      [],
    );
  });
}

test('the index leads to every page, and nowhere else', () => {
  const linked = [...index.matchAll(/\]\(([a-z0-9_]+)\.md\)/g)].map((m) => m[1] ?? '');
  assert.deepEqual([...linked].sort(), [...pages].sort());
});

for (const page of pages) {
  test(`${page} has a symptom, a cause, a fix, and its tests`, () => {
    const text = read(`${folder}${page}.md`);
    assert.deepEqual([...text.matchAll(/^#+ (.*)$/gm)].map((m) => m[1]).slice(1), ['Symptom', 'Cause', 'Fix', 'Tests']);
    const parts = text
      .split(/^## .*$/m)
      .slice(1)
      .map((part) => part.trim());
    for (const part of parts) assert.ok(part.length > 20, 'no empty section');
    if ([...QUARANTINE_REASONS, ...UNAVAILABLE_REASONS, ...Object.keys(WAITS)].includes(page))
      assert.ok(parts[0]?.includes(` ${page}: `), 'its symptom shows the reason as status prints it');
    if (refusals.includes(page))
      assert.ok(parts[0]?.includes(`"reason": "${page}"`), 'its symptom shows the reason as the server sends it');
    const tests = [...text.matchAll(/^- `(test\/[^`]+\.test\.ts)`$/gm)].map(([, file = '']) => file);
    assert.ok(tests.length > 0, 'it names a test file');
    const proofs = [...text.matchAll(/^- `(test\/[^`]+\.proof\.ts)`, run by `make prove`$/gm)].map(
      ([, file = '']) => file,
    );
    for (const file of [...tests, ...proofs]) assert.ok(existsSync(new URL(file, root)), `${file} exists`);
    for (const [, link = ''] of text.matchAll(/\]\(([a-z0-9_./-]+\.md)\)/g))
      assert.doesNotThrow(() => read(`${folder}${link}`), link);
    // Targets that it tells to call are there.
    const makefile = read('Makefile');
    for (const [, target = ''] of text.matchAll(/\bmake ([a-z]+(?:-[a-z]+)*)\b(?! room)/g))
      if (text.includes(`\`make ${target}`)) assert.match(makefile, new RegExp(`^${target}:`, 'm'), target);
  });
}
