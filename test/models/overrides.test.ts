/** An operator's own assumptions: what may be set, what follows, and that a record says so. */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { SettingError } from '../../lib/settings.ts';
import { currentAssumptions, type AssumptionSet } from '../../models/assumptions.ts';
import { assumptionsWith } from '../../models/overrides.ts';
import { build, type Given } from './given.ts';

let folder = '';
before(async () => { folder = await mkdtemp(join(tmpdir(), 'dealfeed-assumptions-')); });
async function file(content: unknown): Promise<string> {
  const path = join(folder, 'assumptions.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const values = (set: AssumptionSet): Map<string, string> => new Map(set.rows.map((r) => [r.key, r.value]));

describe('a file of assumptions', () => {
  it('makes a set of its own, and what follows from a value follows', async () => {
    const set = assumptionsWith(await file({ loan_rate_pct: '6', vacancy: '0.10' }));
    assert.match(set.id, /^uw-2026\.1\+[0-9a-f]{8}$/u);
    assert.ok(set.rows.every((r) => r.assumption_set_id === set.id));
    assert.equal(values(set).get('loan_monthly_factor'), values(currentAssumptions()).get('grid_monthly_factor_1'));
    assert.deepEqual(set.rows.filter((r) => r.kind === 'override').map((r) => [r.key, r.value, r.basis]),
      [['vacancy', '0.10', 'Set by the operator; uw-2026.1 declares 0.07.'], ['loan_rate_pct', '6.00', 'Set by the operator; uw-2026.1 declares 7.00.']]);
  });
  it('gives the same set whatever the order and the spelling of its values, and the declared set where nothing differs', async () => {
    const one = assumptionsWith(await file({ vacancy: '0.1', loan_rate_pct: '6.0' }));
    assert.deepEqual(one, assumptionsWith(await file({ loan_rate_pct: '6.00', vacancy: '0.10' })));
    assert.deepEqual(assumptionsWith(await file({ vacancy: '0.07' })), currentAssumptions());
    assert.deepEqual(assumptionsWith(undefined), currentAssumptions());
  });
  const refused = (name: string, content: unknown, message: RegExp): void => {
    it(`is refused in one line: ${name}`, async () => {
      const path = await file(content);
      assert.throws(() => assumptionsWith(path), (e) => e instanceof SettingError && message.test(e.message) && !e.message.includes('\n'));
    });
  };
  refused('an unknown key', { vacancies: '0.08' }, /^ASSUMPTIONS_FILE: vacancies is "0\.08", expected a key of the declared assumption set$/u);
  refused('a binary float', { vacancy: 0.08 }, /^ASSUMPTIONS_FILE: vacancy is 0\.08, expected a string of a decimal/u);
  refused('more decimals than formulas keep', { vacancy: '0.075' }, /vacancy is "0\.075", expected .* at most two decimals/u);
  refused('a percentage for a share', { vacancy: '7' }, /vacancy is "7", expected .* from 0 to 0\.99/u);
  refused('a fraction of a point', { auction_base: '2.5' }, /auction_base is "2\.5", expected a string of a whole number/u);
  refused('a divisor of nothing', { target_cap_pct: '0' }, /target_cap_pct is "0", expected .* from above 0/u);
  refused('a computed value', { loan_monthly_factor: '0.01' }, /expected no override: it follows from other values/u);
  refused('a value that reason words name', { proxy_high_multiple: '150' }, /expected no override: published words/u);
  refused('no object', '[1]', /expected one JSON object/u);
  refused('no JSON', '{', /expected a JSON file that can be read/u);
});

describe('a deal under other assumptions', () => {
  const page = { page_sha256: 'a'.repeat(64), observed_at: '2026-11-21T09:00:00Z' };
  const listing: Given = {
    staged_fmr_area: [{ source: 'hud_fmr', source_url: 'https://hud.example/', fips: '3903599999', county_fips: '39035', hud_area_code: 'METRO17410N17460', hud_area_name: 'Cleveland', fmr_2: '1250.00', fiscal_year: 2026, effective_on: '2025-10-01', revision: 'original', ...page }],
    staged_listing: [{ source: 'site', listing_id: 'L1', source_url: 'https://site.example/', listing_url: 'https://site.example/', street: '1 Linden Ave', city: 'Cleveland', state: 'OH', zip: '44102', availability: 'for_sale', list_price: '740000.00', units: 8, year_built: 1974, cap_rate: '7.40', ...page }],
  };
  it('is underwritten with them, its record, paths and report name the set, and no audit breaks', async () => {
    const set = assumptionsWith(await file({ vacancy: '0.10', loan_rate_pct: '6.00', target_cap_pct: '9.00' }));
    const built = await build({ ...listing, run: [{ as_of: '2026-11-21', observed_at: '2026-11-21T12:00:00Z', assumption_set_id: set.id }], declared_assumptions: set.rows });
    try {
      assert.deepEqual(built.broken, []);
      const deal = await built.one('deals');
      // 8 x 1,250 x 0.88 x 12 x 0.90 x 0.55 = 52,272; 555,000 at 6 % for 30 years is 3,327.51 a month.
      assert.deepEqual([deal['noi_underwritten'], deal['monthly_payment'], deal['assumption_set_id']], ['52272.00', '3327.51', set.id]);
      assert.equal((JSON.parse(String(deal['rental_rationale'])) as { assumption_set_id: string }).assumption_set_id, set.id);
      const report = await built.one('reports');
      assert.equal(report['assumption_set_id'], set.id);
      assert.equal((JSON.parse(String(report['offer'])) as { target_cap_pct: string }).target_cap_pct, '9.00');
      assert.deepEqual(new Set((await built.rows('assumptions')).map((r) => r['assumption_set_id'])), new Set([set.id]));
    } finally { built.close(); }
  });
});
