/** The end of a run: the best deals and what is next, as whole lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEnd } from '../../../pipelines/run/summary.ts';
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
const options = { dataDir: 'data', best: BEST, ms: 26_400 };

test('the last screen has each deal on one line of 80 columns, cap rate first, and the next command', () => {
  const lines = formatEnd(RESULT, options);
  const text = lines.join('\n');
  assert.ok(lines.includes('   70 Hot  8.1 % cap, $228,000, 2 units, 1740 N Quillmond Ave, Tampa, FL'), text);
  assert.ok(text.includes('covers a new loan: DSCR 1.54'));
  assert.ok(text.includes('   68 Hot  $283,000, 9720 Oakwick Rd., Milwaukee, WI'), 'no units are stated');
  assert.ok(lines.includes('Published  data/snapshots/2026-11-20.01 in 26 s'));
  assert.ok(lines.includes('           600 deals, 4,675 leads'), 'in this order, without tables that nobody asks for');
  assert.ok(lines.includes('Changes    since 2026-11-19.01: 12 price cuts'));
  assert.ok(lines.includes('Next       make serve: the site and the API at http://localhost:4021 (test money)'));
});

test('the last screen says why nothing was published, and shows no deals', () => {
  const [blocking] = RESULT.models.flatMap(({ audits }) => audits);
  assert.ok(blocking);
  const lines = formatEnd({ ...RESULT, manifest: null, blocked: [blocking] }, { ...options, best: [] });
  assert.ok(lines.includes('NOT PUBLISHED: 1 blocking audit failed. The previous snapshot stays current.'));
  assert.ok(!lines.some((line) => /best deals|Next/u.test(line)));
});
