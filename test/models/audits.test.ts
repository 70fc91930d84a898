/**
 * Every audit can fail: each is shown a row that breaks it, in tables that were sound before, and finds it. An audit
 * that is added without such a row fails here.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rowsOf } from '../../lib/duck.ts';
import { auditsOfRecord, type Audit } from '../../models/contract.ts';
import { DRIFT } from '../../models/drift.ts';
import { loadModels, type Model } from '../../models/index.ts';
import { build, type Built, type Given } from './given.ts';

const page = {
  page_sha256: 'a'.repeat(64),
  observed_at: '2026-11-21T09:00:00Z',
  source_url: 'https://public.example/',
};
const CUYAHOGA = { county_fips: '39035', county: 'Cuyahoga County, OH' };
const listing = {
  source: 'site',
  listing_url: 'https://site.example/',
  city: 'Cleveland',
  state: 'OH',
  zip: '44102',
  availability: 'for_sale',
  units: 8,
  ...page,
};
const SOUND: Given = {
  source_reads: ['site', 'county', 'sheriff', 'colorado_sos', 'ohio_sos', 'hud_fmr'].map((source) => ({
    source,
    last_good_at: '2026-11-21T09:00:00Z',
    status: 'good',
    age_days: 0,
  })),
  staged_fmr_area: [
    {
      source: 'hud_fmr',
      fips: '3903599999',
      county_fips: '39035',
      hud_area_code: 'METRO17410N17460',
      hud_area_name: 'Cleveland',
      fmr_2: '1250.00',
      fiscal_year: 2026,
      effective_on: '2025-10-01',
      revision: 'original',
      ...page,
    },
  ],
  staged_listing: [
    {
      ...listing,
      listing_id: 'plain',
      street: '101 Main St',
      list_price: '740000.00',
      cap_rate: '7.40',
      year_built: 1974,
    },
    { ...listing, listing_id: 'dear', street: '103 Main St', list_price: '2400000.00', cap_rate: '5.00' },
    { ...listing, listing_id: 'hidden', street: '105 Main St', list_price: null },
  ],
  staged_tax_parcel: [
    {
      ...CUYAHOGA,
      source: 'county',
      parcel_raw: '001-01-001',
      street: '101 MAIN ST',
      zip: '44102',
      amount: '4000.00',
      county_value: '200000.00',
      years_delinquent: 2,
      ...page,
    },
    { ...CUYAHOGA, source: 'county', parcel_raw: '001-01-002', amount: '900.00', ...page },
  ],
  staged_sheriff_sale: ['2026-12-04', '2026-12-18'].map((sale_date, i) => ({
    ...CUYAHOGA,
    source: 'sheriff',
    case_number: 'CV1',
    parcel_raw: '001-01-003',
    street: '107 MAIN ST',
    zip: '44102',
    state: 'OH',
    status: 'scheduled',
    sale_kind: 'mortgage_foreclosure',
    sale_round: i + 1,
    sale_date,
    appraised_value: '90000.00',
    ...page,
  })),
  staged_registration: [
    {
      source: 'ohio_sos',
      register: 'ohio_sos',
      document_number: '1',
      charter_number: '9',
      business_name_raw: 'OAK LLC',
      filing_date: '2026-11-02',
      agent_name: 'A. AGENT',
      ...page,
    },
  ],
  staged_amendment: [
    {
      source: 'ohio_sos',
      register: 'ohio_sos',
      document_number: '2',
      charter_number: '9',
      kind: 'dissolution',
      effective_date: '2026-11-12',
      business_name_raw: 'OAK LLC',
      ...page,
    },
  ],
};

/** As many rows of the snapshot before as drift is judged from, and more. */
const before_ = (model: string, columns: string): string =>
  `INSERT INTO previous_${model} BY NAME SELECT 'before' || i AS id, ${columns} FROM range(${DRIFT.leastRows * 20}) AS t(i)`;
const few = (model: string, columns: string): string =>
  `INSERT INTO previous_${model} BY NAME SELECT 'before' || i AS id, ${columns} FROM range(${DRIFT.leastRows}) AS t(i)`;
/** The rows of today many times over. */
const copies = (model: string, where: string): string =>
  `INSERT INTO ${model} SELECT * EXCLUDE (i) REPLACE (id || i AS id) FROM (SELECT * FROM ${model} WHERE ${where} LIMIT 1), range(${DRIFT.leastRows * 3}) AS t(i)`;
const ACTIVE = "'active' AS listing_status, 'site' AS source";
const LISTED = "'listed' AS signal_state, 'county' AS source";
const DUE = "'scheduled' AS sale_status, 'sheriff' AS source";
const set = (table: string, what: string, where = 'true'): string => `UPDATE ${table} SET ${what} WHERE ${where}`;

/** What breaks each audit that a model declares. */
const BREAKS: Readonly<Record<string, readonly string[]>> = {
  'assumptions.set_of_the_run': [set('assumptions', "assumption_set_id = 'another'", "key = 'vacancy'")],
  'auctions.bid_absent_as_said': [
    set('auctions', 'opening_bid = NULL', "opening_bid_basis = 'two_thirds_of_appraisal'"),
  ],
  'auctions.days_in_order': [set('auctions', 'next_sale_date = sale_date')],
  'auctions.discount_as_said': [set('auctions', 'appraisal_discount_pct = 33.34', 'sale_round = 1')],
  'auctions.fell': [before_('auctions', DUE)],
  'auctions.figures_in_range': [set('auctions', 'appraised_value = 0')],
  'auctions.none_lost': ["INSERT INTO previous_auctions (id) VALUES ('lost')"],
  'auctions.parties_as_said': [set('auctions', "plaintiff = 'A BANK'")],
  'auctions.past_is_not_scheduled': [set('auctions', "sale_date = DATE '2026-11-20'")],
  'auctions.rose': [few('auctions', DUE), copies('auctions', 'true')],
  'auctions.round_absent_as_said': [set('auctions', 'sale_round = NULL')],
  'auctions.seen_in_order': [set('auctions', 'first_seen = last_seen + INTERVAL 1 DAY')],
  'auctions.sold_as_said': [set('auctions', 'sold_amount = 1')],
  'auctions.tax_never_derived': [set('auctions', "sale_kind = 'tax_foreclosure'", 'opening_bid_derived')],
  // One cent less than two thirds
  'auctions.two_thirds_holds': [set('auctions', 'opening_bid = 59999.99', 'sale_round = 1')],
  'deals.address_absent_as_said': [set('deals', 'address = NULL')],
  'deals.all_but_gone': [before_('deals', ACTIVE)],
  'deals.cap_identity': [set('deals', 'cap_rate_underwritten = cap_rate_underwritten + 0.01')],
  'deals.cap_rate_absent_as_said': [set('deals', 'cap_rate = NULL')],
  'deals.claims_never_lift': [set('deals', 'noi_scoring = noi_underwritten + 0.01')],
  'deals.confidence_is_sum_of_parts': [set('deals', 'confidence_score = confidence_score + 0.01')],
  'deals.debt_service_is_twelve_payments': [set('deals', 'annual_debt_service = annual_debt_service + 0.01')],
  'deals.delisted_as_said': [set('deals', "delisted_on = DATE '2026-11-20'")],
  'deals.distress_as_said': [set('deals', "distress_matches = '[]'")],
  'deals.dscr_absent_as_said': [set('deals', 'dscr = NULL')],
  'deals.dscr_identity': [set('deals', 'dscr = dscr + 0.01')],
  'deals.fell': [before_('deals', ACTIVE)],
  'deals.figures_follow': [set('deals', 'debt_yield_pct = debt_yield_pct + 0.01')],
  'deals.figures_in_range': [set('deals', 'days_on_feed = -1')],
  'deals.gap_identity': [set('deals', 'cap_gap_pct = cap_gap_pct + 0.01')],
  'deals.income_absent_as_said': [set('deals', 'gross_potential_rent = NULL')],
  'deals.listing_exists': [set('deals', "listing_id = 'none'")],
  'deals.matches_exist': ["DELETE FROM signals WHERE parcel_id = '001-01-001'"],
  'deals.motivation_is_sum_of_parts': [set('deals', 'motivation_days = motivation_days + 1')],
  'deals.noi_source_as_said': [set('deals', 'noi_source = NULL', 'noi IS NOT NULL')],
  'deals.offer_absent_as_said': [set('deals', 'offer_low = NULL')],
  'deals.offer_in_order': [set('deals', 'offer_high = list_price + 0.01')],
  'deals.price_absent_as_said': [set('deals', 'loan_amount = NULL')],
  'deals.rationales_agree': [set('deals', "rental_status = 'Hot'", "rental_status <> 'Hot'")],
  'deals.rent_absent_as_said': [set('deals', "rent_basis = 'unknown'")],
  'deals.rose': [few('deals', ACTIVE), copies('deals', "listing_status = 'active'")],
  'deals.score_is_sum_of_parts': [set('deals', 'deal_score = deal_score + 1')],
  'deals.scores_in_range': [set('deals', 'confidence_score = 1.01')],
  'deals.scoring_absent_as_said': [set('deals', 'noi_scoring = 1', "underwrite_reliability <> 'ok'")],
  'deals.underwriting_reason_as_said': [set('deals', 'underwrite_reason = NULL', "underwrite_reliability <> 'ok'")],
  'deals.unreliable_scores_nothing': [set('deals', 'deal_score_yield = 1', "underwrite_reliability <> 'ok'")],
  'deals.versions_have_deals': ["DELETE FROM deals WHERE listing_id = 'plain'"],
  'filings.agent_status_agrees': [set('filings', 'registered_agent_name = NULL')],
  'filings.amended_after_filed': [set('filings', "amendment_date = DATE '2020-01-01'")],
  'filings.naics_as_said': [set('filings', "naics = '531110'")],
  'filings.none_lost': ["INSERT INTO previous_filings (id) VALUES ('lost')"],
  'filings.seen_in_order': [set('filings', 'first_seen = last_seen + INTERVAL 1 DAY')],
  'int_offers.absent_as_said': [set('int_offers', 'offer_high = NULL')],
  'int_scores.motivation_is_sum': [set('int_scores', 'motivation_score = motivation_score + 1')],
  'int_underwriting.reason_agrees': [set('int_underwriting', 'underwrite_reason = NULL')],
  'leads.auction_fields_as_said': [set('leads', 'case_number = NULL')],
  'leads.corroboration_exists': [set('leads', `corroboration = '[{"id": "none"}]'`)],
  'leads.fell': [before_('leads', "'county' AS source")],
  'leads.freshness_agrees': [set('leads', "freshness = 'within_7_days'")],
  'leads.kind_as_said': [set('leads', 'amount = NULL')],
  'leads.mail_ready': [set('leads', 'address_key = NULL')],
  'leads.ratio_as_said': [set('leads', 'amount_to_value_pct = amount_to_value_pct + 0.01')],
  'leads.rationale_agrees': [set('leads', `score_rationale = '{"base": "+1 points, because"}'`)],
  'leads.records_exist': [set('leads', "signal_id = 'none'", 'signal_id IS NOT NULL')],
  'leads.rose': [few('leads', "'county' AS source"), copies('leads', 'true')],
  'leads.sale_to_come': [set('leads', "sale_date = DATE '2026-11-20'")],
  'leads.score_in_range': [set('leads', 'lead_score = 101')],
  'leads.score_is_sum_of_parts': [set('leads', 'lead_score = lead_score + 1')],
  'leads.seven_days': [set('leads', 'verified_age_days = 8')],
  'listing_history.none_lost': [
    "INSERT INTO previous_listing_history (source, listing_id, version) VALUES ('site', 'lost', 1)",
  ],
  'listing_history.one_latest': [set('listing_history', 'is_latest = false')],
  'listing_history.seen_in_order': [set('listing_history', 'version_last_seen = version_first_seen - INTERVAL 1 DAY')],
  'listing_history.versions_follow': [set('listing_history', 'version = 2')],
  'reports.grid_whole': ["DELETE FROM assumptions WHERE key = 'grid_rent_1'"],
  'reports.offer_agrees': [set('deals', 'offer_high = offer_high - 500')],
  'reports.one_a_deal': ['DELETE FROM reports'],
  'signals.address_absent_as_said': [set('signals', 'address = NULL')],
  'signals.all_but_gone': [before_('signals', LISTED)],
  'signals.fell': [before_('signals', LISTED)],
  'signals.figures_in_range': [set('signals', 'amount = 0')],
  'signals.has_address_agrees': [set('signals', 'has_address = NOT has_address')],
  'signals.none_lost': ["INSERT INTO previous_signals (id) VALUES ('lost')"],
  'signals.ratio_as_said': [set('signals', 'amount_to_value_pct = 1', 'county_value IS NULL')],
  'signals.rose': [few('signals', LISTED), copies('signals', 'true')],
  'signals.seen_in_order': [set('signals', 'first_seen = last_seen + INTERVAL 1 DAY')],
  'signals.state_agrees': [set('signals', "state_reason = 'balance_zero'")],
  'signals.years_absent_as_said': [set('signals', 'years_delinquent = NULL')],
  'signals.zip_absent_as_said': [set('signals', 'zip_basis = NULL')],
  'sources.rows_add_up': [set('sources', 'rows_in = rows_in + 1')],
  'sources.something_was_read': [set('sources', 'last_good_at = NULL')],
};
/** What only warns. */
const WARNS = /\.(?:fell|rose)$/u;

describe('audits', () => {
  let built: Built;
  let models: Model[] = [];
  before(async () => {
    built = await build(SOUND);
    models = await loadModels();
  });
  after(() => built.close());

  /** Failing rows after some statements, which are then undone. */
  async function failing(audit: Audit, statements: readonly string[]): Promise<number> {
    await built.connection.run('BEGIN');
    try {
      for (const statement of statements) await built.connection.run(statement);
      return Number((await rowsOf(built.connection, `SELECT count(*) AS n FROM (${audit.sql})`))[0]?.['n']);
    } finally {
      await built.connection.run('ROLLBACK');
    }
  }

  it('find nothing in sound tables', () =>
    assert.deepEqual(
      built.results
        .flatMap((r) => r.audits)
        .filter((a) => a.failing > 0)
        .map((a) => a.name),
      [],
    ));

  it('find the row that breaks them, each of those that models declare, and block publication but for drift that may be real', async () => {
    const declared = models.flatMap((m) => m.contract.audits);
    assert.ok(declared.length > 85);
    for (const audit of declared) {
      const statements = BREAKS[audit.name] ?? assert.fail(`nothing breaks ${audit.name}`);
      assert.ok((await failing(audit, statements)) > 0, `${audit.name} does not see ${statements.join('; ')}`);
      assert.equal(audit.blocking, !WARNS.test(audit.name), audit.name);
    }
  });

  it('find a repeated key, a null without a reason and a value outside its list, in every table that has rows', async () => {
    let tried = 0;
    for (const {
      name,
      contract: { record },
    } of models.filter(({ contract }) => contract.view !== true)) {
      const [count] = await rowsOf(built.connection, `SELECT count(*) AS n FROM ${name}`);
      if (Number(count?.['n']) === 0) continue;
      for (const audit of auditsOfRecord(name, record)) {
        const kind = audit.name.slice(name.length + 1);
        const required = record.columns.find((c) => c.absent === undefined)?.name;
        const statement =
          kind === 'grain_unique'
            ? `INSERT INTO ${name} SELECT * FROM ${name} LIMIT 1`
            : kind === 'no_silent_null'
              ? set(name, `"${required}" = NULL`)
              : set(name, `"${kind.replace(/_closed$/u, '')}" = 'unheard of'`);
        assert.ok((await failing(audit, [statement])) > 0, `${audit.name} does not see ${statement}`);
        assert.ok(audit.blocking, audit.name);
        tried += 1;
      }
    }
    assert.ok(tried > 100, `${tried} audits of records tried`);
  });

  it('hold for the rows of a view in the table that they go into', () => {
    const recordOf = (model: string): Model['contract']['record'] =>
      models.find(({ name }) => name === model)?.contract.record ?? assert.fail(model);
    const [view, table] = [recordOf('stg_registrations'), recordOf('filings')];
    assert.deepEqual(
      models.filter(({ contract }) => contract.view).map(({ name }) => name),
      ['stg_registrations'],
    );
    const into: Readonly<Record<string, string>> = { filing_id: 'id', register: 'source', observed_at: 'last_seen' };
    for (const column of view.columns) {
      const there =
        table.columns.find(({ name }) => name === (into[column.name] ?? column.name)) ?? assert.fail(column.name);
      assert.deepEqual(
        [there.absent === undefined, there.values],
        [column.absent === undefined, column.values],
        `${column.name} is held to the same`,
      );
    }
  });

  it('take no fall of a small table, and none of a source that is no longer one, for drift', async () => {
    const audit =
      models.flatMap((m) => m.contract.audits).find((a) => a.name === 'deals.all_but_gone') ?? assert.fail();
    assert.equal(
      await failing(audit, [
        `INSERT INTO previous_deals BY NAME SELECT 'before' || i AS id, ${ACTIVE} FROM range(${DRIFT.leastRows - 1}) AS t(i)`,
      ]),
      0,
    );
    assert.equal(await failing(audit, [before_('deals', "'active' AS listing_status, 'retired' AS source")]), 0);
  });
});
