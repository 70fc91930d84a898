/**
 * Each published figure follows from the record's other columns and the assumptions, in exact fractions and by code
 * that shares nothing with the models: over random deals, of which `make prove` tries more (thorough.ts), and over the
 * default world.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { z } from 'zod';
import { fraction, type Fraction } from '../../lib/fraction.ts';
import { words, type Column } from '../../lib/record.ts';
import { pipelineSettings, readSettings, SANDBOX_DAY } from '../../lib/settings.ts';
import { STEPS } from '../../models/figures/steps.ts';
import { Auction } from '../../models/marts/auctions.ts';
import { Report } from '../../models/marts/reports.ts';
import { Deal } from '../../models/marts/deals.ts';
import { LeadSteps } from '../../models/marts/lead_steps.ts';
import { Lead } from '../../models/marts/leads.ts';
import { Signal } from '../../models/marts/signals.ts';
import { evaluate, faultsOf, type Step } from './figures/step_faults.ts';
import { computeDeal, recomputeDeal } from './recompute/deal.ts';
import { recomputeLead } from './recompute/lead.ts';
import { FACTS, lineOf } from './recompute/line.ts';
import { percent, valuesOf, type AssumptionValue, type PublishedRecord } from './recompute/values.ts';
import { worldOptions } from '../../sandbox/server.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { thorough } from '../thorough.ts';
import { newLayout, published as publishedRows, runDay } from '../pipelines/runs.ts';
import { JOIN_RATES } from '../pipelines/some_tables.ts';
import { build, uuid5, builtBefore } from './build_models.ts';
import { AS_OF, DEALS, randomInputs } from './recompute_inputs.ts';

/** Columns of a deal that follow from no other column. */
const READ = new Set(
  `address city state zip source listing_url list_price units market_rent_2br last_verified listing_id listing_status
  delisted_on relisted also_listed property_type unread_fields annual_taxes year_built listed_on first_seen
  last_seen first_price source_url
  observed_at page_sha256 page_row cap_rate cap_rate_source address_key street_key house_low house_high unit_key
  address_status unit_mix_stated annual_taxes rent_steps vacancy_pct vacancy_basis vacancy_survey
  expense_lines
  expense_typical_pct
  rent_basis rent_area_code rent_area_name rent_fiscal_year rent_source_url rent_observed_at rent_outdated_reason
  loan_rate_pct loan_rate_basis loan_rate_series loan_rate_on loan_rate_age_days loan_rate_source_url
  loan_rate_is_made_up
  roll_status roll_parcel_id last_sale_date last_sale_price last_sale_basis assessed_market_value roll_source
  roll_source_url county county_fips county_basis latitude longitude geo_basis metro
  distress_coverage distress_matches distress_candidates distress_signals_count provenance assumption_set_id
  corrected underwriting_note rental_rationale
  wholesale_rationale creative_finance_rationale`.split(/\s+/u),
);

const isOfLeads = (model: string): boolean => model.endsWith('_leads');
/** The figures that these models declare as steps. */
const stepsOf = (isOf: (model: string) => boolean): string[] =>
  [...new Set(Object.entries(STEPS).flatMap(([model, names]) => (isOf(model) ? names.split(/\s+/u) : [])))].sort();

/** Values that the random deals must have among them. */
const EXPECTED_VALUES: Readonly<Record<string, readonly string[]>> = {
  underwrite_reliability: ['ok', 'proxy_out_of_range', 'unknown'],
  dscr_status: ['computed', 'insufficient_data', 'not_applicable'],
  distress_status: ['matched', 'none_found'],
  rental_status: ['Hot', 'Warm', 'Pass'],
  wholesale_status: ['Pass'],
  creative_finance_status: ['Hot', 'Warm', 'Pass'],
  offer_status: words('computed claimed_basis_unverified price_below_proxy_range insufficient_data not_applicable'),
  claim_consistency: ['inconsistent', 'not_checkable'],
  claim_issue: ['none', 'noi_not_positive', 'noi_contradicts_cap_rate', 'year_built_in_future'],
  score_limit: ['none', 'condition_risk', 'near_upper_proxy_limit', 'not_scored'],
  condition_risk: words(
    'none condemned order_to_vacate vacant_building high_cap_rate low_price_to_rent code_case',
    'not_evaluated',
  ),
  offer_range_basis: ['range', 'stress_above_high_end'],
  loan_binding: ['loan_to_value', 'debt_coverage'],
  cap_gap_basis: ['advertised_cap_rate', 'derived_cap_rate', 'no_claim', 'no_underwriting'],
  underwriting_agreement: words('agrees claim_too_high claim_too_low rated_pass unreliable no_claim contradicted'),
};

/** Facts of lines that no deal of a world has. */
const RARE_FACTS = 'to be vacated; tax, amount unknown; no NOI; one unit; land; price cut; doubtful coverage'.split(
  '; ',
);

type Rows = (table: string) => Promise<readonly PublishedRecord[]>;

/** The published assumptions. */
async function assumptionsOf(rows: Rows): Promise<AssumptionValue> {
  const values = new Map((await rows('assumptions')).map((row) => [row['key'], String(row['value'])]));
  return (key) => values.get(key) ?? assert.fail(`no assumption ${key}`);
}

const withJson = (row: PublishedRecord, columns: readonly Column[]): PublishedRecord =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isJson = columns.some((c) => c.name === name && c.kind === 'json');
      return [name, isJson ? (JSON.parse(String(value)) as unknown) : value];
    }),
  );

const idOf = (deal: PublishedRecord): string =>
  uuid5(
    deal['address_key'] === null
      ? `listing|${String(deal['source'])}|${String(deal['listing_id'])}`
      : `deal|${String(deal['address_key'])}|${String(deal['zip'])}`,
  );

/** The columns from which all figures of a deal follow. A claim counts only if the broker states it. */
const inputsOf = (deal: PublishedRecord): PublishedRecord => {
  const isStated = deal['noi_source'] === 'stated';
  return {
    ...Object.fromEntries([...READ].map((column) => [column, deal[column]])),
    property_tax: deal['property_tax'],
    noi: isStated ? deal['noi'] : null,
    noi_source: isStated ? 'stated' : null,
    cap_rate: deal['cap_rate_source'] === 'advertised' ? deal['cap_rate'] : null,
  };
};

const assertSame = (row: PublishedRecord, recomputed: PublishedRecord): void =>
  assert.deepEqual(Object.fromEntries(Object.keys(recomputed).map((k) => [k, row[k]])), recomputed);

/** Recompute each figure from the published ones, and all of them from the inputs alone. */
function checkDeal(deal: PublishedRecord, assumptions: AssumptionValue, asOf: string): void {
  const recomputed = { id: idOf(deal), ...recomputeDeal(deal, assumptions, asOf) };
  const columns = Deal.columns.map((c) => c.name);
  assert.deepEqual(
    columns.filter((c) => c in recomputed === READ.has(c)),
    [],
    'each column is either read or recomputed',
  );
  assertSame(deal, recomputed);
  const computed = computeDeal(inputsOf(deal), assumptions, asOf);
  assertSame(deal, Object.fromEntries(Object.keys(recomputed).map((k) => [k, k === 'id' ? deal[k] : computed[k]])));
}

/** The facts in the line of each deal. */
const factsOf = (deals: readonly PublishedRecord[], assumptions: AssumptionValue, asOf: string): string[][] =>
  deals.map((deal) => [...lineOf(valuesOf(deal, assumptions, asOf)).facts]);

/** Assert that no fifth of the lines consists of the same facts, nor two such kinds of a third. */
function assertVaried(facts: readonly string[][]): void {
  const sizes = [...Map.groupBy(facts, String).values()].map(({ length }) => length).sort((a, b) => b - a);
  const [first = 0, second = 0] = sizes.map((size) => size / facts.length);
  assert.ok(first < 1 / 5 && first + second < 1 / 3, `${sizes.slice(0, 5).join()} of ${facts.length} lines`);
  assert.ok(sizes.length > 40, `${sizes.length} kinds of lines`);
}

function checkLead(lead: PublishedRecord, assumptions: AssumptionValue, asOf: string): void {
  const recomputed = recomputeLead(lead, assumptions, asOf);
  assertSame(lead, recomputed);
  const rationale = lead['score_rationale'] as Record<string, string>;
  for (const [part, points] of Object.entries(recomputed['score_parts'] as Record<string, number>))
    assert.ok(rationale[part]?.startsWith(`+${points} points, `), `${part} of ${JSON.stringify(rationale)}`);
}

describe(`${DEALS} published deals`, () => {
  let assumptions: AssumptionValue;
  const built = builtBefore(() => build(randomInputs()));
  before(async () => {
    assumptions = await assumptionsOf(built.rows);
  });

  const published = async (table: string, columns: readonly Column[]): Promise<PublishedRecord[]> =>
    (await built.rows(table)).map((row) => withJson(row, columns));

  it('recompute every computed column', async () => {
    const deals = await published('deals', Deal.columns);
    assert.equal(deals.length, DEALS);
    for (const deal of deals) checkDeal(deal, assumptions, AS_OF);
    for (const [column, values] of Object.entries(EXPECTED_VALUES))
      for (const value of values)
        assert.ok(
          deals.some((d) => d[column] === value),
          `no deal has ${column} ${value}`,
        );
    const said = new Set(factsOf(deals, assumptions, AS_OF).flat());
    assert.deepEqual(
      RARE_FACTS.filter((fact) => !said.has(fact)),
      [],
    );
  });

  it('recompute every part of the score of every lead', async () => {
    const leads = await published('leads', Lead.columns);
    for (const lead of leads) checkLead(lead, assumptions, AS_OF);
    const steps = (await published('lead_steps', LeadSteps.columns)).flatMap((row) => row['steps'] as Step[]);
    assert.deepEqual(steps.flatMap(faultsOf), []);
    assert.ok(steps.some(({ when }) => when === 'days_to_sale <= auction_days_3'));
    assert.deepEqual([...new Set(steps.map(({ figure }) => figure))].sort(), stepsOf(isOfLeads));
    for (const type of ['tax_delinquent', 'sheriff_sale_auction'])
      assert.ok(leads.filter((l) => l['lead_type'] === type).length > DEALS / 5, type);
  });

  it('have reports whose steps and cells follow from their formulas and inputs', async () => {
    const reports = (await published('reports', Report.columns)).map((row) => Report.schema.parse(row));
    assert.equal(reports.length, DEALS);
    const deals = new Map((await built.rows('deals')).map((d) => [String(d['id']), d]));
    const figures = new Set<string>();
    let cells = 0;
    for (const report of reports) {
      const deal = deals.get(report.id) ?? assert.fail(report.id);
      checkSteps(report, deal);
      checkGrid(report, deal);
      for (const { figure } of report.recompute) figures.add(figure);
      cells += report.sensitivity.cells.length;
    }
    assert.ok(cells > 36 * 0.6 * DEALS, `${cells} cells`);
    assert.deepEqual(
      // No random deal is in an area with a vacancy survey.
      [...figures, 'metro_weight', 'shrunk_pct'].sort(),
      stepsOf((model) => !isOfLeads(model)),
    );
    const isFigure = ({ kind, name }: Column): boolean =>
      ['money', 'percent', 'ratio', 'integer'].includes(kind) && !READ.has(name);
    // Counted between reads, or read from tables; no formula of a report has them.
    const counted = ['days_on_feed', 'noi_range_n', 'upfront_repairs_per_unit'];
    const computed = Deal.columns.filter((c) => isFigure(c) && !counted.includes(c.name)).map((c) => c.name);
    assert.deepEqual(
      computed.filter((f) => !figures.has(f)),
      [],
    );
  });
});

const isNoRegister = ({ family }: { readonly family: string }): boolean => family !== 'register';

/** `make prove` tries the default world, `make test` a third of it. */
const { listings, parcels, auctions, ...restOfWorld } = worldOptions(readSettings(pipelineSettings, {}));
const partOf = (count: number): number => thorough(Math.ceil(count / 3), count);

describe('the default world', () => {
  const tables = ['deals', 'reports', 'leads', 'signals', 'auctions', 'assumptions'];
  let published: (table: string, columns: readonly Column[]) => Promise<PublishedRecord[]>;
  let assumptions: AssumptionValue;
  before(async () => {
    const layout = await newLayout();
    const world = makeWorld({
      ...restOfWorld,
      listings: partOf(listings),
      parcels: partOf(parcels),
      auctions: partOf(auctions),
    });
    const { runId } = await runDay({
      layout,
      world,
      day: SANDBOX_DAY,
      only: isNoRegister,
      tables,
      empty: [JOIN_RATES],
    });
    const rows: Rows = (table) => publishedRows(layout, runId, table);
    published = async (table, columns) => (await rows(table)).map((row) => withJson(row, columns));
    assumptions = await assumptionsOf(rows);
  });

  it('has deals whose every figure is recomputed', async () => {
    const deals = await published('deals', Deal.columns);
    assert.equal(deals.length, partOf(600));
    for (const deal of deals) checkDeal(deal, assumptions, SANDBOX_DAY);
    const facts = factsOf(deals, assumptions, SANDBOX_DAY);
    assertVaried(facts);
    const reasons = new Set(deals.flatMap((deal) => deal['confidence_reasons'] as string[]));
    const ofPrice = ['rent_fit_not_tested', 'tax_after_sale_unknown', 'claim_without_price'];
    assert.deepEqual(new Set([...ofPrice, 'tax_after_sale_assumed']).difference(reasons), new Set());
    const said = new Set([...facts.flat(), ...RARE_FACTS]);
    assert.deepEqual(
      FACTS.filter(({ name }) => !said.has(name)),
      [],
    );
  });

  it('has reports whose every step follows from its own formula and inputs', async () => {
    const reports = await published('reports', Report.columns);
    assert.deepEqual(
      reports.flatMap((report) => (report['recompute'] as Step[]).flatMap(faultsOf)),
      [],
    );
  });

  it('has leads, debts and sales whose every figure is recomputed', async () => {
    const leads = await published('leads', Lead.columns);
    assert.ok(leads.length > partOf(4000), `${leads.length} leads`);
    for (const lead of leads) checkLead(lead, assumptions, SANDBOX_DAY);
    const shareOf = (row: PublishedRecord, part: string, whole: string, isOff = false): string | null => {
      const values = [row[part], row[whole]];
      if (values.includes(null) || Number(row[whole]) === 0) return null;
      const [amount, value] = values.map((money) => fraction(String(money))) as [Fraction, Fraction];
      return percent(isOff ? value.minus(amount) : amount, value);
    };
    for (const row of await published('signals', Signal.columns))
      assert.equal(row['amount_to_value_pct'], shareOf(row, 'amount', 'county_value'), JSON.stringify(row));
    for (const row of await published('auctions', Auction.columns))
      assert.equal(
        row['appraisal_discount_pct'],
        shareOf(row, 'opening_bid', 'appraised_value', true),
        String(row['id']),
      );
  });
});

type Report = z.infer<typeof Report.schema>;

function checkSteps({ recompute: steps }: Report, deal: PublishedRecord): void {
  const results = new Map(steps.map((s) => [s.figure, s.result]));
  assert.deepEqual(steps.flatMap(faultsOf), []);
  for (const { figure, inputs, result } of steps) {
    if (deal[figure] !== undefined) assert.equal(String(deal[figure]), result, figure);
    // A later step uses a result under the same name.
    for (const [name, value] of Object.entries(inputs))
      if (value !== null && results.has(name)) assert.equal(value, results.get(name), `${name} in ${figure}`);
  }
}

function checkGrid({ sensitivity: grid }: Report, deal: PublishedRecord): void {
  assert.equal(grid.status === 'computed', grid.cells.length === 36);
  assert.equal(grid.status === 'computed', grid.loans.length === 9);
  const recompute = (formula: string, inputs: Record<string, string | null>): string =>
    evaluate(grid.formulas[formula] ?? '', { ...grid.inputs, ...inputs }).rounded(2);
  for (const { monthly_factor, monthly_payment, annual_debt_service } of [...grid.rates, ...grid.loans]) {
    assert.equal(recompute('monthly_payment', { monthly_factor }), monthly_payment);
    assert.equal(recompute('annual_debt_service', { monthly_payment }), annual_debt_service);
  }
  const underwritten = String(deal['noi_underwritten']);
  for (const { annual_debt_service, dscr } of grid.loans)
    if (dscr !== null) assert.equal(recompute('dscr', { noi: underwritten, annual_debt_service }), dscr);
  for (const { rent_change, vacancy, expense_change, noi, cap_rate_pct, dscr } of grid.cells) {
    assert.equal(recompute('noi', { rent_change, vacancy, expense_change }), noi);
    assert.equal(recompute('cap_rate_pct', { noi }), cap_rate_pct);
    const dscrs = grid.rates.map(({ annual_debt_service }) => recompute('dscr', { noi, annual_debt_service }));
    if (dscr) assert.deepEqual(dscrs, dscr);
    const isVacancyUnchanged = fraction(vacancy)
      .times(fraction(100))
      .equals(fraction(String(deal['vacancy_pct'])));
    if (isVacancyUnchanged && rent_change === '0.00' && expense_change === '0.00') assert.equal(noi, underwritten);
  }
}
