/**
 * A sceptic with nothing but a published deal and the published assumptions arrives at every figure: whole-number
 * fractions of our own here, against the figures that the SQL published.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { Report } from '../../models/marts/reports.ts';
import { clamped, evaluate, least, q, type Q } from './fractions.ts';
import { build, type Built, type GivenRow } from './given.ts';

interface Shown { readonly [field: string]: string | number | boolean | null }

/** Every figure of a deal that follows from others it shows. `a` is the value of an assumption. */
function recompute(r: Shown, a: (key: string) => string): Record<string, string | null> {
  const has = (...fields: string[]): boolean => fields.every((f) => r[f] !== null);
  const v = (field: string): Q => q(String(r[field]));
  const percent = (n: Q, d: Q): string => n.over(d).times(q(100)).rounded(2);
  const out: Record<string, string | null> = {};
  const units = Number(r['units']);
  const ok = r['underwrite_reliability'] === 'ok';
  if (has('units')) {
    const band = units <= 4 ? '2_4' : units <= 12 ? '5_12' : units <= 50 ? '13_50' : '51_up';
    const year = r['year_built'] === null ? 1980 : Number(r['year_built']);
    const age = year < 1960 ? a('expense_old_adjustment') : year >= 2000 ? a('expense_new_adjustment') : '0';
    out['expense_ratio_pct'] = q(a(`expense_ratio_${band}`)).plus(q(age)).times(q(100)).rounded(2);
  }
  if (has('units', 'market_rent_2br')) {
    const gross = q(units).times(v('market_rent_2br')).times(q(1).minus(q(a('utility_share')))).times(q(12));
    const income = gross.times(q(1).minus(q(a('vacancy'))));
    out['gross_potential_rent'] = gross.rounded(2);
    out['effective_gross_income'] = income.rounded(2);
    out['noi_underwritten'] = income.times(q(100).minus(v('expense_ratio_pct'))).over(q(100)).rounded(2);
  }
  if (has('noi_underwritten', 'list_price')) out['cap_rate_underwritten'] = percent(v('noi_underwritten'), v('list_price'));
  if (has('cap_rate', 'cap_rate_underwritten')) out['cap_gap_pct'] = v('cap_rate').minus(v('cap_rate_underwritten')).rounded(2);
  if (has('list_price')) {
    out['loan_amount'] = v('list_price').times(q(a('loan_to_value'))).rounded(2);
    out['monthly_payment'] = v('loan_amount').times(q(a('loan_monthly_factor'))).rounded(2);
    out['annual_debt_service'] = v('monthly_payment').times(q(12)).rounded(2);
  }
  if (r['noi_source'] === 'derived_from_advertised_cap') out['noi'] = v('list_price').times(v('cap_rate')).over(q(100)).rounded(2);
  if (r['noi_source'] === 'underwritten') out['noi'] = String(r['noi_underwritten']);
  out['dscr'] = r['dscr_status'] === 'computed' ? v('noi').over(v('annual_debt_service')).rounded(2) : null;
  const scored = ok && r['dscr_reason'] !== 'single_unit';
  if (scored) {
    const claim = r['noi_source'] === 'underwritten' ? v('noi_underwritten') : v('noi');
    out['noi_scoring'] = least(v('noi_underwritten'), q(claim.plus(v('noi_underwritten')).over(q(2)).rounded(2))).rounded(2);
    out['cap_scoring_pct'] = percent(v('noi_scoring'), v('list_price'));
    out['coverage_scoring'] = v('noi_scoring').minus(q(a('reserves_per_unit')).times(q(units))).over(v('annual_debt_service')).rounded(2);
  }
  const part = (value: Q, from: string, span: string, weight: string): string => clamped(value.minus(q(a(from))).over(q(a(span)))).times(q(a(weight))).rounded(0);
  out['deal_score_yield'] = scored ? part(v('cap_scoring_pct'), 'score_yield_from_pct', 'score_yield_span_pct', 'score_yield_weight') : '0';
  out['deal_score_coverage'] = scored ? part(v('coverage_scoring'), 'score_coverage_from', 'score_coverage_span', 'score_coverage_weight') : '0';
  out['deal_score_motivation'] = v('motivation_score').times(q(a('score_motivation_weight'))).over(q(100)).rounded(0);
  out['deal_score_distress'] = v('distress_score').times(q(a('score_distress_weight'))).over(q(100)).rounded(0);
  if (r['offer_status'] === 'computed') {
    const [n, t, price] = [v('noi_scoring'), q(a('target_cap_pct')).over(q(100)), v('list_price')];
    const down = (x: Q): Q => q(String((x.n / (x.d * 500n)) * 500n));
    const ratio = v('expense_ratio_pct').over(q(100));
    const high = down(least(price, least(n.over(t), n.over(q(a('offer_coverage')).times(q(a('loan_to_value'))).times(q(a('loan_annual_constant')))))));
    const stress = q(1).plus(q(a('stress_rent'))).times(q(1).minus(q(a('vacancy'))).minus(q(a('stress_vacancy')))).over(q(1).minus(q(a('vacancy'))))
      .times(q(1).minus(ratio).minus(q(a('stress_expenses')))).over(q(1).minus(ratio));
    out['offer_high'] = high.rounded(2);
    out['offer_low'] = least(high, down(n.times(stress).over(t))).rounded(2);
  }
  return out;
}

const DEALS = 400;
const samples = fc.sample(fc.record({
  perUnit: fc.integer({ min: 20_000, max: 260_000 }), odd: fc.integer({ min: 0, max: 9999 }), units: fc.integer({ min: 1, max: 70 }), year: fc.option(fc.integer({ min: 1900, max: 2025 })),
  cap: fc.option(fc.integer({ min: 300, max: 1200 })), noi: fc.option(fc.integer({ min: 100_000, max: 40_000_000 }), { freq: 2 }), hidden: fc.integer({ min: 1, max: 20 }),
}), { numRuns: DEALS, seed: 7 });
const cents = (n: number): string => `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`;

describe(`${DEALS} published deals`, () => {
  let built: Built;
  before(async () => {
    const page = { page_sha256: 'a'.repeat(64), observed_at: '2026-11-21T09:00:00Z' };
    built = await build({
      staged_fmr_area: [{ source: 'hud_fmr', source_url: 'https://hud.example/', fips: '3903599999', county_fips: '39035', hud_area_code: 'METRO17410N17460', hud_area_name: 'Cleveland', fmr_2: '1279.00', fiscal_year: 2026, effective_on: '2025-10-01', revision: 'original', ...page }],
      staged_listing: samples.map((s, i): GivenRow => ({ source: 'site', listing_id: `L${i}`, source_url: 'https://site.example/', listing_url: 'https://site.example/', street: `${i + 1} Linden Ave`, city: 'Cleveland', state: 'OH', zip: '44102', availability: 'for_sale',
        list_price: s.hidden === 1 ? null : cents(s.perUnit * s.units * 100 + s.odd), units: s.hidden === 2 ? null : s.units, year_built: s.year, cap_rate: s.cap === null ? null : cents(s.cap), noi: s.noi === null ? null : cents(s.noi), ...page })),
    });
  });
  after(() => built.close());

  it('recompute from what they show and the assumptions, every figure', async () => {
    const assumptions = new Map((await built.rows('assumptions')).map((r) => [String(r['key']), String(r['value'])]));
    const value = (key: string): string => assumptions.get(key) ?? assert.fail(`no assumption ${key}`);
    const deals = await built.rows('deals') as Shown[];
    assert.equal(deals.length, DEALS);
    let figures = 0;
    for (const deal of deals) {
      const mine = recompute(deal, value);
      figures += Object.keys(mine).length;
      assert.deepEqual(Object.fromEntries(Object.keys(mine).map((k) => [k, deal[k] === null ? null : String(deal[k])])), mine);
    }
    assert.ok(figures > 15 * DEALS);
  });

  it('have reports whose every figure and every cell of the grid follows from the formula and the inputs beside it', async () => {
    const reports = (await built.rows('reports')).map((row) => Report.schema.parse(Object.fromEntries(Object.entries(row).map(([k, v]) =>
      [k, Report.columns.some((c) => c.name === k && c.kind === 'json') ? JSON.parse(String(v)) as unknown : v]))));
    assert.equal(reports.length, DEALS);
    const deals = new Map((await built.rows('deals') as Shown[]).map((d) => [String(d['id']), d]));
    const made = new Set<string>();
    let cells = 0;
    for (const { id, recompute: steps, sensitivity: grid } of reports) {
      for (const { figure, formula, inputs, result } of steps) {
        assert.ok(evaluate(formula, inputs).equals(q(result)), `${figure} = ${formula} of ${JSON.stringify(inputs)} is said to be ${result}`);
        const shown = deals.get(id)?.[figure];
        if (shown !== undefined) assert.equal(String(shown), result, figure);
        made.add(figure);
      }
      // A result is an input of later steps under the same name, with the same value.
      const results = new Map(steps.map((s) => [s.figure, s.result]));
      for (const s of steps) for (const [name, value] of Object.entries(s.inputs)) if (value !== null && results.has(name)) assert.equal(value, results.get(name), `${name} in ${s.figure}`);
      assert.equal(grid.status === 'computed', grid.cells.length === 36);
      const made_ = (formula: string, inputs: Record<string, string | null>): string => evaluate(grid.formulas[formula] ?? '', { ...grid.inputs, ...inputs }).rounded(2);
      for (const rate of grid.rates) {
        assert.equal(made_('monthly_payment', { monthly_factor: rate.monthly_factor }), rate.monthly_payment);
        assert.equal(made_('annual_debt_service', { monthly_payment: rate.monthly_payment }), rate.annual_debt_service);
      }
      for (const { rent_change, vacancy, expense_change, noi, cap_rate_pct, dscr } of grid.cells) {
        cells += 1;
        assert.equal(made_('noi', { rent_change, vacancy, expense_change }), noi);
        assert.equal(made_('cap_rate_pct', { noi }), cap_rate_pct);
        if (dscr) assert.deepEqual(grid.rates.map(({ annual_debt_service }) => made_('dscr', { noi, annual_debt_service })), dscr);
        if (rent_change === '0.00' && vacancy === '0.07' && expense_change === '0.00') assert.equal(noi, deals.get(id)?.['noi_underwritten']);
      }
    }
    assert.ok(cells > 36 * 250 && made.size > 40, `${cells} cells, ${made.size} figures`);
    // Every figure of ours that follows from others is among them.
    const own = ['noi', 'cap_rate', 'cap_gap_pct', 'dscr', 'noi_underwritten', 'deal_score', 'confidence_score', 'motivation_score', 'distress_score', 'offer_low', 'offer_high', 'mao', 'seller_coverage'];
    assert.deepEqual(own.filter((f) => !made.has(f)), []);
  });

  it('break no audit', () => assert.deepEqual(built.broken, []));
});
