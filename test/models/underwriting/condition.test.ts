/** Taper, claims that cannot be, offers and lines of deals computed by hand. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { annualConstant } from '../../../models/assumptions/loan_factors.ts';
import { build, type Built, type InputRow } from '../build_models.ts';
import { EXAMPLES } from './examples/condition_deals.ts';

const MODELS = ['int_claim_issues', 'int_scores', 'int_confidence', 'int_paths', 'int_offers', 'int_sentences'];

const idOf = (i: number): string => `deal ${i}`;
const byDeal = (row: InputRow): InputRow[] => EXAMPLES.map((_, i) => ({ id: idOf(i), ...row }));

describe('deals', () => {
  let built: Built;
  before(async () => {
    built = await build(
      {
        int_underwriting: EXAMPLES.map(({ underwriting }, i) => ({
          id: idOf(i),
          vacancy_basis: 'metro_survey',
          underwrite_reliability: 'ok',
          ...underwriting,
        })),
        // All other inputs are known
        int_unit_mixes: byDeal({ unit_mix_basis: 'listing' }),
        int_rents_in_place: byDeal({ in_place_basis: 'metro_of_source', contract_basis: 'county' }),
        int_property_taxes: byDeal({ tax_current_basis: 'parcel', tax_rate_basis: 'county', tax_per_dollar: '0' }),
        // The same NOI at any price
        int_expenses: EXAMPLES.map(({ underwriting: { noi_underwritten: noi } }, i) => ({
          id: idOf(i),
          management_share: '0.075',
          noi_highest: noi,
          noi_untaxed: noi,
        })),
        int_owner_incomes: EXAMPLES.map(({ owners }, i) => ({ id: idOf(i), ...owners })),
        int_buildings: EXAMPLES.map(({ repairs }, i) => ({ id: idOf(i), upfront_repairs_per_unit: repairs })),
        // 7 %, of a survey week 20 days ago
        int_loan_rates: [{ loan_rate_age_days: 20, annual_constant: annualConstant(700n, 30n) }],
        int_debt_coverage: EXAMPLES.map(({ dscrUnderwritten = null }, i) => ({
          id: idOf(i),
          dscr_underwritten: dscrUnderwritten,
        })),
        int_properties: EXAMPLES.map(({ yearBuilt }, i) => ({
          id: idOf(i),
          year_built: yearBuilt,
          as_of: '2026-11-21',
          last_verified: '2026-11-20T12:00:00Z',
          price_reduction_pct: '0.00',
          days_on_feed: 0,
        })),
        int_market_rents: byDeal({ rent_basis: 'zip' }),
        int_distress: EXAMPLES.map(({ taxOwed = null, condition = 'none' }, i) => ({
          id: idOf(i),
          condition_record: condition,
          tax_amount: taxOwed,
          tax_records: taxOwed === null ? 0 : 1,
          sale_records: 0,
        })),
      },
      ({ name }) => MODELS.includes(name),
    );
  });
  after(() => built.close());

  for (const [i, { name, expected }] of EXAMPLES.entries()) {
    it(name, async () => {
      const rows = await Promise.all(MODELS.map((model) => built.one(model, `id = '${idOf(i)}'`)));
      const figures: InputRow = Object.assign({}, ...rows) as InputRow;
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((k) => [k, figures[k]])), expected);
    });
  }

  it('are not Hot if a price indicates the condition, and the rationale says so', async () => {
    const paths = await built.one('int_paths', `id = '${idOf(0)}'`);
    const rationale = JSON.parse(String(paths['rental_rationale'])) as Record<string, unknown>;
    assert.deepEqual([paths['rental_status'], rationale['reason']], ['Warm', 'condition_risk']);
  });

  it('lose confidence if a claim contradicts itself, or a price indicates the condition', async () => {
    const partsOf = async (i: number): Promise<Record<string, string>> =>
      JSON.parse(String((await built.one('int_confidence', `id = '${idOf(i)}'`))['confidence_parts'])) as Record<
        string,
        string
      >;
    const [cheap, contradicted, plain] = [await partsOf(0), await partsOf(1), await partsOf(5)];
    assert.deepEqual([plain['condition'], cheap['condition']], ['0.00', '-0.03']);
    assert.deepEqual([plain['loan_rate'], cheap['loan_rate']], ['0.02', '0.02'], 'the survey week is 20 days old');
    assert.deepEqual(
      [contradicted['claim'], contradicted['agreement']],
      ['0.00', '0.00'],
      'a stated NOI earns 0.04 and a gap of 2.00 points 0.03 unless the claim contradicts itself',
    );
  });
});
