/** The end of a run: the best deals and what is next, on one screen of any width, or as whole lines in a log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEnd } from '../../../pipelines/run/summary/end_screen.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';

const WHY = 'Foreclosure sale in 10 days; covers a new loan: DSCR 1.54; offer up to $203,500.';
const BEST = [
  {
    score: 70,
    status: 'Hot',
    capRate: '8.1 % cap, ',
    place: '1740 N Quillmond Ave, Tampa, FL',
    units: 2,
    price: '$228,000',
    why: WHY,
  },
  {
    score: 68,
    status: 'Hot',
    capRate: '',
    place: '9720 Oakwick Rd., Milwaukee, WI',
    units: null,
    price: '$283,000',
    why: WHY,
  },
];
const audit = (name: string) => ({ name, about: 'rows add up', blocking: false, failing: 3, rows: [], sql: '' });
const table = (rows: number) => ({ rows, bytes: 1, sha256: 'a'.repeat(64) });
const manifest = {
  run_id: '2026-11-20.01',
  notice: 'Made-up data of the sandbox world: no property, owner, debt, auction or business in it is real.',
  tables: { leads: table(4675), deals: table(600), rejects: table(80) },
};
const RESULT: RunResult = {
  runId: '2026-11-20.01',
  sources: [],
  models: [{ name: 'deals', layer: 'marts', rows: 600, audits: ['one', 'two', 'three'].map(audit) }],
  blocked: [],
  manifest: manifest as unknown as RunResult['manifest'],
  current: true,
  changes: { since: '2026-11-19.01', counts: [{ label: 'price cuts', n: 12 }] },
  failuresFolder: 'data/runs/2026-11-20.01/failures',
};
const options = { dataDir: 'data', reportFile: 'data/runs/2026-11-20.01/report.txt', best: BEST, ms: 26_400 };

/** Words without the punctuation behind them: a reason may end earlier on a terminal, after a clause. */
const wordsOf = (lines: readonly string[]): string[] =>
  lines
    .join(' ')
    .split(/\s+/u)
    .map((word) => word.replace(/[.;]$/u, ''));

for (const columns of [60, 80, 120]) {
  test(`fits ${columns} columns and a screen of 40 lines, and cuts no word`, () => {
    const log = wordsOf(formatEnd(RESULT, options));
    const lines = formatEnd(RESULT, { ...options, columns, warnings: 3 });
    assert.ok(lines.length <= 40, `${lines.length} lines`);
    for (const line of lines) assert.ok(line.length <= columns, line);
    assert.deepEqual(
      wordsOf(lines).filter((word) => !log.includes(word)),
      [],
    );
  });
}

test('names each deal on one line of 80 columns, cap rate first, then the reason, and what follows', () => {
  const lines = formatEnd(RESULT, options);
  const text = lines.join('\n');
  assert.ok(lines.includes('   70 Hot  8.1 % cap, $228,000, 2 units, 1740 N Quillmond Ave, Tampa, FL'), text);
  assert.ok(text.includes('covers a new loan: DSCR 1.54'));
  for (const line of lines.slice(lines.indexOf('The best deals, by deal_score'))) assert.ok(line.length <= 100, line);
  assert.ok(text.includes('   68 Hot  $283,000, 9720 Oakwick Rd., Milwaukee, WI'), 'no units are stated');
  assert.ok(lines.includes('Published  data/snapshots/2026-11-20.01 in 26 s'));
  assert.ok(lines.includes('           600 deals, 4,675 leads'), 'in this order, without tables that nobody asks for');
  assert.ok(lines.includes('Changes    since 2026-11-19.01: 12 price cuts'));
  assert.ok(lines.includes('Next       make serve: the site and the API at http://localhost:4021 (test money)'));
});

test('prints all warnings in a log; on a terminal the first, and the file with the others', () => {
  const warnings = (lines: readonly string[]): number =>
    lines.filter((line) => line.includes('failed for 3 rows')).length;
  assert.equal(warnings(formatEnd(RESULT, options)), 3);
  const some = formatEnd(RESULT, { ...options, warnings: 1 });
  assert.equal(warnings(some), 1);
  assert.ok(some.includes('Warnings (3)') && some.includes(`  and 2 more: ${options.reportFile}`));
});

test('says why nothing was published, and shows no deals', () => {
  const [blocking] = RESULT.models.flatMap(({ audits }) => audits);
  assert.ok(blocking);
  const lines = formatEnd({ ...RESULT, manifest: null, blocked: [blocking] }, { ...options, best: [] });
  assert.ok(lines.includes('NOT PUBLISHED: 1 blocking audit failed. The previous snapshot stays current.'));
  assert.ok(!lines.some((line) => /best deals|Next/u.test(line)));
});
