/** The summary of a report: each figure and status that it states is that of a field, also where much is unknown. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaryOf } from '../../../api/routes/report/summary.ts';
import { rowOf, uuid, type Row } from '../support/snapshot_fixtures.ts';
import { assertConsistent } from './summary_claims.ts';

type Deal = Parameters<typeof summaryOf>[0];
type Report = Parameters<typeof summaryOf>[1];

describe('the summary of a report', () => {
  const report = rowOf('reports', 1) as Report;
  /** The summary of a deal, which contradicts no field and has no absent value in words. */
  const summary = (given: Row, offer: Row = {}): string => {
    const deal = rowOf('deals', 1, { why_this_is_interesting: 'Why.', ...given }) as Deal;
    const whole = { ...report, offer: { ...report.offer, ...offer } } as Report;
    const lines = summaryOf(deal, whole);
    assertConsistent(lines, deal, whole);
    assert.equal(lines[0], 'Why.');
    assert.doesNotMatch(lines.join(' '), /null|undefined|NaN|\$\$/);
    return lines.join(' ');
  };
  const record = (given: Row): Row => ({
    kind: 'tax_delinquent',
    id: uuid(7),
    match_basis: 'address_exact',
    county: 'Cuyahoga County, OH',
    parcel_id: null,
    address: null,
    amount: '4321.09',
    sale_date: null,
    filed_on: null,
    description: null,
    source_url: 'https://county.example',
    last_seen: '2026-11-20T12:00:00Z',
    ...given,
  });
  const sale = record({ kind: 'sheriff_sale', amount: null, sale_date: '2026-12-07', match_basis: 'address_range' });

  it("states the figures of the county's roll, and nothing without a roll", () => {
    const sold = { last_sale_date: '2019-05-04', last_sale_price: '150000.00', last_sale_basis: 'market' };
    const none = { assessed_market_value: null, last_sale_basis: null };
    assert.doesNotMatch(summary({ list_price: '225000.00', ...none }), /roll/u);
    for (const given of [
      { list_price: '225000.00', assessed_market_value: '180000.00', ...sold },
      { list_price: null, ...none, ...sold, last_sale_price: null, last_sale_basis: 'unknown' },
    ])
      assert.match(summary(given), /roll/u);
  });

  it('states each figure', () => {
    const text = summary(
      {
        list_price: '1225000.00',
        units: 8,
        price_per_unit: '153125.00',
        price_reduction_pct: '2.00',
        cap_rate: '7.40',
        cap_rate_source: 'advertised',
        cap_rate_underwritten: '6.10',
        cap_gap_pct: '1.30',
        dscr: '1.21',
        noi_source: 'stated',
        loan_sized: '391061.00',
        loan_binding: 'debt_coverage',
        cash_needed: '371139.00',
        cash_on_cash_pct: '2.22',
        wholesale_status: 'Pass',
        creative_finance_status: 'Warm',
        distress_status: 'matched',
        distress_matches: [record({}), { ...sale, id: uuid(8) }],
      },
      { low: '900000.00', high: '1000500.50', target_cap_pct: '8.00', status: 'claimed_basis_unverified' },
    );
    for (const known of ['$1,225,000', '$1,000,500.50', '7.40%', '2026-12-07', '4,321.09', 'Warm'])
      assert.ok(text.includes(known), known);
  });

  it('has the reason of each figure that is unknown', () => {
    const text = summary(
      {
        list_price: null,
        units: null,
        cap_rate: null,
        cap_rate_source: 'none',
        underwrite_reliability: 'proxy_out_of_range',
        underwrite_reason: 'price_missing',
        dscr_reason: 'single_unit',
        distress_status: 'county_not_covered',
      },
      { status: 'insufficient_data' },
    );
    for (const reason of ['price missing', 'single unit', 'insufficient data', 'not fit'])
      assert.match(text, RegExp(reason));
    summary({});
  });

  it('never reports a possible record of the property as absent', () => {
    const covered = (tax: string): Row => ({
      distress_coverage: { tax_delinquent: 'covered', sheriff_sale: tax },
    });
    const debt = record({ match_basis: 'address_without_zip', amount: '16348.09', id: uuid(9) });
    const candidates = { distress_candidates: [debt, sale] };
    assert.match(summary({ distress_status: 'none_found', ...candidates, ...covered('covered') }), /score nothing/);
    assert.match(
      summary({ distress_status: 'partly_covered', ...candidates, ...covered('county_not_covered') }),
      /not both read/,
    );
    const others = ['tax_lien', 'condemned'].map((kind, i) =>
      record({ kind, id: uuid(20 + i), amount: kind === 'condemned' ? null : '900.00' }),
    );
    summary({ distress_status: 'matched', distress_matches: others, distress_candidates: [sale] });
  });
});
