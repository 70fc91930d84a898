/** The summary of a report: sentences from its figures, and from what is unknown. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaryOf } from '../../../api/routes/report/summary.ts';
import { rowOf, uuid, type Row } from '../support/snapshot_fixtures.ts';

describe('the summary of a report', () => {
  const report = rowOf('reports', 1) as Parameters<typeof summaryOf>[1];
  const summary = (given: Row, offer: Row = {}): string[] =>
    summaryOf(rowOf('deals', 1, { why_this_is_interesting: 'Why.', ...given }) as Parameters<typeof summaryOf>[0], {
      ...report,
      offer: { ...report.offer, ...offer },
    });
  const tax = {
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
  };

  it("states the figures of the county's roll, and nothing without a roll", () => {
    const rolled = (given: Row): string[] =>
      summary({ list_price: '225000.00', ...given }).filter((sentence) => /roll/u.test(sentence));
    assert.deepEqual(rolled({ assessed_market_value: null, last_sale_basis: null }), []);
    assert.deepEqual(
      rolled({
        assessed_market_value: '180000.00',
        last_sale_date: '2019-05-04',
        last_sale_price: '150000.00',
        last_sale_basis: 'market',
      }),
      [
        "The county's roll values the parcel at $180,000; the asking price is 125% of it.",
        'It was last transferred on 2019-05-04 for $150,000 (a sale at market by the roll); the asking price is ' +
          '150% of it.',
      ],
    );
    assert.deepEqual(
      rolled({
        list_price: null,
        assessed_market_value: null,
        last_sale_date: '2019-05-04',
        last_sale_price: null,
        last_sale_basis: 'unknown',
      }),
      ['It was last transferred on 2019-05-04 without a price (the roll does not say whether at market).'],
    );
  });
  it('has a sentence for each figure', () => {
    assert.deepEqual(
      summary(
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
          distress_matches: [tax, { ...tax, kind: 'sheriff_sale', amount: null, sale_date: '2026-12-07' }],
        },
        {
          low: '900000.00',
          high: '1000500.50',
          target_cap_pct: '8.00',
          high_binding: 'target_cap',
          status: 'claimed_basis_unverified',
        },
      ),
      [
        'Why.',
        'Asking $1,225,000 for 8 units, $153,125 per unit, after a cut of 2.00% seen by this service.',
        'The advertised cap rate is 7.40%; HUD rents under the declared assumptions give 6.10%, a gap of 1.30 points.',
        "DSCR 1.21 on the broker's NOI, with a loan of 100% at 1.00% (a declared rate) over 1.00 years.",
        'A lender sizes a loan of $391,061 (limited by the income): $371,139 of cash is needed and earns 2.22% a ' +
          'year before income tax.',
        'Rental Hot, wholesale Pass, creative finance Warm.',
        'Suggested offer $900,000 to $1,000,500.50 at a target cap rate of 8.00%, limited by the target cap; ' +
          "it is based on the broker's unverified claim.",
        'County records at this address: delinquent tax of $4,321.09, a sheriff sale on 2026-12-07.',
      ],
    );
  });

  it('names what is unknown, and never contains null', () => {
    const lines = summary(
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
    assert.deepEqual(lines.slice(1), [
      'No asking price is published, for an unstated number of units.',
      'No cap rate is advertised; it could not be underwritten (price missing).',
      "HUD's 2-bedroom rent does not fit this property (price missing), so do not rely on the underwriting.",
      'There is no DSCR: single unit.',
      'Rental Hot, wholesale Hot, creative finance Hot.',
      'No offer is suggested: insufficient data.',
      'Neither tax delinquency nor auctions are read for this county.',
    ]);
    assert.doesNotMatch([...lines, ...summary({})].join(' '), /null|undefined|NaN|\$\$/);
  });

  const covered = (tax_delinquent: boolean, sheriff_sale: boolean): Row => {
    const word = (isCovered: boolean): string => (isCovered ? 'covered' : 'county_not_covered');
    return { distress_coverage: { tax_delinquent: word(tax_delinquent), sheriff_sale: word(sheriff_sale) } };
  };
  const debt = { ...tax, match_basis: 'address_without_zip', amount: '16348.09' };
  const sale = { ...tax, kind: 'sheriff_sale', match_basis: 'address_range', amount: null, sale_date: '2026-12-07' };

  it('never reports a possible record of the property as absent', () => {
    const distressOf = (given: Row): string[] => summary(given).slice(6);
    assert.deepEqual(
      distressOf({ distress_status: 'none_found', distress_candidates: [debt, sale], ...covered(true, true) }),
      [
        'No county record matches this property exactly. County records that may be of this property and score ' +
          'nothing: delinquent tax of $16,348.09 (the county prints no ZIP), a sheriff sale on 2026-12-07 (the house ' +
          'numbers overlap as a range).',
        'Both tax delinquency and auctions are read for this county.',
      ],
    );
    const lien = { ...tax, kind: 'tax_lien', amount: '900.00' };
    const condemned = { ...tax, kind: 'condemned', amount: null };
    const deedSale = { ...sale, kind: 'tax_deed_sale', match_basis: 'address_exact' };
    assert.deepEqual(distressOf({ distress_status: 'matched', distress_matches: [lien, condemned, deedSale] }), [
      'County records at this address: a tax lien of $900, a condemned building, a tax deed sale on 2026-12-07.',
    ]);
    assert.deepEqual(
      distressOf({ distress_status: 'partly_covered', distress_candidates: [debt], ...covered(true, false) })[1],
      'Tax delinquency and auctions are not both read for all of this county.',
    );
    assert.deepEqual(
      distressOf({
        distress_status: 'matched',
        distress_matches: [{ ...tax, match_basis: 'parcel_exact' }],
        distress_candidates: [sale],
      }),
      [
        'County records at this address: delinquent tax of $4,321.09 (of the parcel at it).',
        'Other county records may be of this property and score nothing: a sheriff sale on 2026-12-07 (the house ' +
          'numbers overlap as a range).',
      ],
    );
  });
});
