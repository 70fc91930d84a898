/** An operator's own assumptions: what may be set, what follows, and that a record says so. */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { SettingError } from '../../../lib/settings.ts';
import { fraction } from '../../../lib/fraction.ts';
import { brokenRule } from '../../../models/assumptions/rules.ts';
import { currentAssumptions, DECLARATIONS, type AssumptionSet } from '../../../models/assumptions.ts';
import { monthlyFactor } from '../../../models/assumptions/loan_factors.ts';
import { assumptionsWith } from '../../../models/assumptions/overrides.ts';
import { build, buildTables, listingRow, type Inputs, hudRow } from '../build_models.ts';
import { COUNTY_RECORDS, sharedColumns } from '../../pipelines/some_tables.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealfeed-assumptions-'));
});
async function file(content: unknown): Promise<string> {
  const path = join(folder, 'assumptions.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const values = (set: AssumptionSet): Map<string, string> => new Map(set.rows.map((r) => [r.key, r.value]));

/** Files that are refused, and what the message says. */
const REFUSED: readonly (readonly [content: unknown, message: RegExp])[] = [
  [{ vacancies: '0.08' }, /^ASSUMPTIONS_FILE: vacancies is "0\.08", expected a key of the declared assumption set$/u],
  [{ vacancy: 0.08 }, /^ASSUMPTIONS_FILE: vacancy is 0\.08, expected a string of a decimal/u],
  [{ vacancy: '0.075' }, /vacancy is "0\.075", expected .* at most two decimals/u],
  [{ vacancy: '7' }, /vacancy is "7", expected .* from 0 to 0\.99/u],
  [{ auction_base: '2.5' }, /auction_base is "2\.5", expected a string of a whole number/u],
  [{ target_cap_pct: '0' }, /target_cap_pct is "0", expected .* from above 0/u],
  [{ seller_monthly_factor: '0.01' }, /expected no override: it follows from other values/u],
  [{ proxy_high_multiple: '150' }, /expected no override: published words/u],
  [{ loan_years: '15' }, /loan_years is "15", expected "20" or "25" or "30"$/u],
  [{ loan_rate_pct: '15.01' }, /loan_rate_pct is "15\.01", expected .* from 2 to 15, such as "7\.00"$/u],
  [
    { loan_rate_method: 'declared' },
    /loan_rate_method is "declared", expected no override: a file that sets loan_rate_pct has that rate$/u,
  ],
  [{ lead_fresh_days: '2' }, /lead_fresh_days is "2", expected no override/u],
  [
    { vacancy: '0.98' },
    /^ASSUMPTIONS_FILE: vacancy is "0\.98" \(with stress_vacancy 0\.03\), expected vacancy \+ stress_vacancy below 1$/u,
  ],
  [
    { expense_ratio_5_12: '0.95' },
    /^ASSUMPTIONS_FILE: expense_ratio_5_12 is "0\.95" \(with .*\), expected expense_ratio_5_12 to stay from 0/u,
  ],
  [{ stress_rent: '0.05' }, /stress_rent is "0\.05", expected a stress of 0 or below$/u],
  [{ score_yield_weight: '40' }, /score_yield_weight is "40" .*, expected the four score weights to add up to 100$/u],
  [{ confidence_units: '0.16' }, /confidence_units is "0\.16" .* to be 1\.00 at most$/u],
  [
    { rental_warm_coverage: '1.30' },
    /rental_warm_coverage is "1\.30" .*, expected rental_hot_coverage >= rental_warm_coverage$/u,
  ],
  [
    { auction_urgency_5: '13' },
    /auction_urgency_5 is "13" .*, expected auction_urgency_1, .* to rise to one peak and fall after it$/u,
  ],
  [{ auction_days_2: '5' }, /auction_days_2 is "5" .*, expected auction_days_1 < auction_days_2 < /u],
  [{ grid_rate_2_pct: '6.00' }, /grid_rate_2_pct is "6\.00" .*, expected grid_rate_1_pct < grid_rate_2_pct/u],
  [{ tax_base: '30' }, /tax_base is "30" .*, expected tax_base \+ .* to be 100 at most$/u],
  ['[1]', /expected one JSON object/u],
  ['{', /expected a readable JSON file/u],
];

describe('a file of assumptions', () => {
  it('defines a new set, and recomputes derived values', async () => {
    const set = assumptionsWith(await file({ loan_rate_pct: '6', seller_rate_pct: '6', vacancy: '0.10' }));
    assert.match(set.id, /^uw-2026\.3\+[0-9a-f]{8}$/u);
    assert.ok(set.rows.every((r) => r.assumption_set_id === set.id));
    assert.equal(values(set).get('seller_monthly_factor'), monthlyFactor(600n, 30n));
    assert.deepEqual(
      set.rows.filter((r) => r.kind === 'override').map((r) => [r.key, r.value, r.basis]),
      [
        ['vacancy', '0.10', 'Set by the operator; uw-2026.3 declares 0.07.'],
        // A file that sets the rate means that rate, whatever a survey says.
        ['loan_rate_method', 'declared', 'Set by the operator; uw-2026.3 declares survey.'],
        ['loan_rate_pct', '6.00', 'Set by the operator; uw-2026.3 declares 7.00.'],
        ['seller_rate_pct', '6.00', 'Set by the operator; uw-2026.3 declares 5.00.'],
      ],
    );
  });
  it('gives the same set for any order and spelling of its values, the declared set if no value differs', async () => {
    const one = assumptionsWith(await file({ vacancy: '0.1', loan_rate_pct: '6.0' }));
    assert.deepEqual(one, assumptionsWith(await file({ loan_rate_pct: '6.00', vacancy: '0.10' })));
    assert.deepEqual(assumptionsWith(await file({ vacancy: '0.07' })), currentAssumptions());
    assert.deepEqual(assumptionsWith(undefined), currentAssumptions());
  });
  for (const [content, message] of REFUSED)
    it(`is refused in one line: ${JSON.stringify(content)}`, async () => {
      const path = await file(content);
      assert.throws(
        () => assumptionsWith(path),
        (e) => e instanceof SettingError && message.test(e.message) && !e.message.includes('\n'),
      );
    });

  it('may change several values that only make sense together', async () => {
    const set = assumptionsWith(
      await file({
        score_yield_weight: '40',
        score_coverage_weight: '25',
        rental_warm_coverage: '1.30',
        rental_hot_coverage: '1.35',
      }),
    );
    assert.equal(values(set).get('score_yield_weight'), '40');
  });
  it('may repeat every declared value that is not fixed and has at most two decimals', async () => {
    const settable = [...DECLARATIONS.values()].filter(
      ({ key, unit, kind, isFixed }) =>
        kind !== 'computed' && unit !== 'method' && isFixed !== true && key !== 'loan_rate_pct',
    );
    const given = Object.fromEntries(
      settable.flatMap(({ key, value }) => (/\.\d{3}/u.test(String(value)) ? [] : [[key, value]])),
    );
    assert.deepEqual(assumptionsWith(await file(given)), currentAssumptions());
    assert.ok(Object.keys(given).length > 170, `${Object.keys(given).length} values`);
  });
  it('passes every rule with the declared values', () => assert.equal(brokenRule(currentAssumptions().rows), null));
});

it('every value is a column of the table terms, of its declared type', async () => {
  using built = await build({}, () => false);
  const terms = await built.one('terms');
  const types = new Map((await sharedColumns()).get('terms')?.map(({ name, sql }) => [name, sql]));
  for (const { key, value } of currentAssumptions().rows) {
    const declared = DECLARATIONS.get(key)?.sql ?? assert.fail(key);
    assert.equal(types.get(key), declared.replace(', ', ','), key);
    const found = String(terms[key]);
    assert.ok(declared === 'VARCHAR' ? found === value : fraction(found).equals(fraction(value)), `${key} ${found}`);
  }
});

describe('a deal under other assumptions', () => {
  const listing: Inputs = {
    staged_fmr_area: [hudRow()],
    staged_listing: [
      listingRow('L1', {
        street: '1 Linden Ave',
        list_price: '740000.00',
        units: 8,
        year_built: 1974,
        cap_rate: '7.40',
      }),
    ],
  };
  it('is underwritten with them, its record, paths and report name the set, and every audit passes', async () => {
    const set = assumptionsWith(await file({ vacancy: '0.10', loan_rate_pct: '6.00', target_cap_pct: '9.00' }));
    using built = await buildTables(
      {
        ...listing,
        run: [{ as_of: '2026-11-21', observed_at: '2026-11-21T12:00:00Z', assumption_set_id: set.id }],
        declared_assumptions: set.rows,
      },
      ['deals', 'reports', 'assumptions'],
      COUNTY_RECORDS,
    );
    assert.deepEqual(built.failed, []);
    const deal = await built.one('deals');
    // 8 x 1,250 x 0.88 x 12 x 0.90 x 0.55 = 52,272; 555,000 at 6 % for 30 years is 3,327.51 a month.
    assert.deepEqual(
      [deal['noi_hud_2br'], deal['monthly_payment'], deal['assumption_set_id']],
      ['52272.00', '3327.51', set.id],
    );
    assert.equal(
      (JSON.parse(String(deal['rental_rationale'])) as { assumption_set_id: string }).assumption_set_id,
      set.id,
    );
    const report = await built.one('reports');
    assert.equal(report['assumption_set_id'], set.id);
    assert.equal((JSON.parse(String(report['offer'])) as { target_cap_pct: string }).target_cap_pct, '9.00');
    assert.deepEqual(new Set((await built.rows('assumptions')).map((r) => r['assumption_set_id'])), new Set([set.id]));
  });
});
