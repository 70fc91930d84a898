/** Query parameters that are refused: by name, with the accepted values, before a payment. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf } from '../support/buyers.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';

describe('parameters', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 1) });

  it('are refused by name, with the accepted values', async () => {
    const cases: [string, string, string, RegExp][] = [
      ['/api/deals?stat=OH', 'unknown_parameter', 'stat', /state, city, min_price/],
      ['/api/meta?x=1', 'unknown_parameter', 'x', /takes none/],
      ['/api/deals?__proto__=1', 'unknown_parameter', '__proto__', /no parameter/],
      ['/api/deals?state=OH&state=OH', 'repeated_parameter', 'state', /2 times/],
      ['/api/deals?state=Ohio', 'invalid_parameter', 'state', /two-letter/],
      ['/api/deals?state=', 'invalid_parameter', 'state', /two-letter/],
      ['/api/deals?min_price=1e5', 'invalid_parameter', 'min_price', /dollars such as/],
      ['/api/deals?min_price=0x10', 'invalid_parameter', 'min_price', /dollars such as/],
      ['/api/deals?min_cap=NaN', 'invalid_parameter', 'min_cap', /percentage such as/],
      ['/api/deals?min_units=2.5', 'invalid_parameter', 'min_units', /whole number/],
      ['/api/deals?min_score=101', 'invalid_parameter', 'min_score', /0 to 100/],
      ['/api/deals?status=warmer', 'invalid_parameter', 'status', /Hot, Warm, Pass/],
      ['/api/deals?city=%00', 'invalid_parameter', 'city', /without control characters/],
      [`/api/deals?city=${'x'.repeat(201)}`, 'invalid_parameter', 'city', /1 to 200 characters/],
      ['/api/deals?min_price=1234567890123', 'invalid_parameter', 'min_price', /at most 12 digits/],
      ['/api/deals?max_price=1.0000001', 'invalid_parameter', 'max_price', /and 6 after/],
      ['/api/deals?city=%FF', 'invalid_parameter', 'city', /not UTF-8/],
      ['/api/deals?city=100%', 'invalid_parameter', 'city', /Encode a percent sign as %25/],
      ['/api/deals?%FF=1', 'invalid_parameter', '%FF', /not UTF-8/],
      ['/api/lookup?address=1%20Main%20St&city=%C3%28', 'invalid_parameter', 'city', /not UTF-8/],
      ['/api/deals?min_price=2&max_price=1.99', 'invalid_parameter', 'max_price', /below min_price, which is 2\./],
      ['/api/deals?max_units=9&min_units=10', 'invalid_parameter', 'max_units', /below min_units, which is 10\./],
      [
        '/api/auctions?from_date=2026-12-02&to_date=2026-12-01&include_past=true',
        'invalid_parameter',
        'to_date',
        /below from_date, which is 2026-12-02\./,
      ],
      [
        '/api/auctions?to_date=2026-11-19',
        'invalid_parameter',
        'to_date',
        /from_date, which is 2026-11-20 by default \(today by the data clock\)/,
      ],
      ['/api/filings?from_date=2026-02-01&to_date=2026-01-31', 'invalid_parameter', 'to_date', /below from_date/],
      ['/api/auctions?from_date=2026-02-30', 'invalid_parameter', 'from_date', /YYYY-MM-DD; there is no such day/],
      ['/api/auctions?from_date=20261120', 'invalid_parameter', 'from_date', /YYYY-MM-DD/],
      ['/api/auctions?include_past=yes', 'invalid_parameter', 'include_past', /true or false/],
      ['/api/leads?lead_type=mortgage', 'invalid_parameter', 'lead_type', /tax_delinquent, sheriff_sale_auction/],
      ['/api/deals?limit=0', 'invalid_parameter', 'limit', /1 to 500/],
    ];
    for (const [path, reason, field, detail] of cases) {
      const response = await fetch(shared.app.url + path);
      assert.equal(response.status, 400, path);
      const body = await bodyOf(response);
      assert.equal(body['reason'], reason, path);
      assert.equal(body['field'], field, path);
      assert.match(String(body['detail']), detail, path);
      assert.equal(body['billed'], false, path);
    }
  });

  it('of unknown paths and methods get a problem document', async () => {
    const cases: [string, string, number, string][] = [
      ['GET', '/api/nothing', 404, 'not_found'],
      ['GET', '/API/deals', 404, 'not_found'],
      ['POST', '/api/deals', 405, 'method_not_allowed'],
      ['DELETE', '/api/meta', 405, 'method_not_allowed'],
      ['GET', `/api/deals?city=${'x'.repeat(2_000)}`, 414, 'uri_too_long'],
    ];
    for (const [method, path, status, reason] of cases) {
      const response = await fetch(shared.app.url + path, { method });
      assert.equal(response.status, status, path);
      assert.equal(response.headers.get('Content-Type'), 'application/problem+json', path);
      assert.equal((await bodyOf(response))['reason'], reason, path);
    }
  });
});
