/** Lists as CSV: the same values as JSON, safe against formulas, and another request than the JSON one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { escapeFormula } from '../../../api/routes/list/csv.ts';
import { LIST_HEADERS } from '../../../lib/list_headers.ts';
import { buyerWith } from '../support/buyers.ts';
import { identifier } from '../support/collecting.ts';
import { rowOf, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';

const CSV = 'text/csv';
/** The text of a cell, by the documented rule. */
const unescaped = (cell: string): string =>
  cell.startsWith("'") && escapeFormula(cell.slice(1)) === cell ? cell.slice(1) : cell;
/** A JSON value as the text of its cell. */
const textOf = (value: unknown): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);

const HOSTILE = ['=1+1', '+1', '-1 & Sons', '@home', "'=1", ' =1', '\uFF1D1', 'a, "b"\r\nc', "'Tis", '-5'];

describe('a list as CSV', () => {
  const shared = sharedApp({
    deals: rowsOfTable('deals', HOSTILE.length, (i) => ({
      city: HOSTILE[i - 1] ?? 'x',
      cap_gap_pct: `-${i}.50`,
      dscr: '1.20',
      cap_rate: '9.00',
    })),
    signals: rowsOfTable('signals', 5, (i) => ({ owner_name: HOSTILE[i - 1] ?? null })),
    auctions: rowsOfTable('auctions', 3),
    leads: rowsOfTable('leads', 3),
    owners: rowsOfTable('owners', 3),
    filings: [rowOf('filings', 1), rowOf('filings', 2, { source: 'colorado_sos', source_state: 'CO' })],
  });
  const buyer = buyerWith();
  const ask = (path: string, accept: string, payment?: string): Promise<Response> =>
    fetch(shared.app.url + path, {
      headers: { Accept: accept, ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }) },
    });
  const buy = async (path: string, accept: string): Promise<Response> =>
    ask(path, accept, await buyer.sign(shared.app.url + path));

  it('has the values of JSON in its cells and headers, on every list and page', async () => {
    const lists = shared.app.app.routes.filter(({ csvColumns }) => csvColumns !== undefined);
    assert.equal(lists.length, 13);
    for (const { path } of lists) {
      // A list of one register has the records of /api/filings.
      const hasFields = path.startsWith('/api/') && path !== '/api/deals/basic';
      for (const query of ['?limit=2', ...(hasFields ? ['?fields=all&limit=500'] : [])]) {
        const json = await buy(path + query, 'application/json');
        const csv = await buy(path + query, CSV);
        assert.deepEqual([json.status, csv.status], [200, 200], path);
        assert.equal(csv.headers.get('Content-Type'), 'text/csv; charset=utf-8; header=present');
        for (const { headers } of [json, csv]) assert.match(headers.get('Vary') ?? '', /\bAccept\b(?!-)/, path);
        const body = (await json.json()) as Record<string, unknown> & { records: Record<string, unknown>[] };
        const [header = [], ...rows] = parse(await csv.text()) as unknown as string[][];
        assert.deepEqual(header, Object.keys(body.records[0] ?? {}), path);
        assert.deepEqual(
          rows.map((row) => row.map(unescaped)),
          body.records.map((record) => Object.values(record).map(textOf)),
          path,
        );
        for (const row of rows) for (const cell of row) assert.doesNotMatch(cell, /^\s*([=+@]|-(?!\d+(\.\d+)?$))/u);
        for (const [field, name] of Object.entries(LIST_HEADERS)) {
          if (field === 'stale_sources') continue;
          assert.equal(csv.headers.get(name) ?? '', textOf(body[field] ?? null), `${path} ${name}`);
        }
        const next = /^<([^>]+)>; rel="next"$/.exec(csv.headers.get('Link') ?? '')?.[1];
        assert.equal(next === undefined, body['next_cursor'] === null, path);
        if (next !== undefined) assert.equal((await ask(next, CSV)).status, 402, next);
      }
    }
  });

  it('is chosen by Accept, with its quality values; JSON is the default', async () => {
    for (const [accept, isCsv] of [
      ['text/csv', true],
      ['text/*', true],
      ['application/json;q=0.4, text/csv;q=0.5', true],
      ['application/json, text/csv', false],
      ['text/csv;q=0.5, application/json', false],
      ['text/csv;q=0', false],
      ['*/*', false],
      ['', false],
    ] as const) {
      const response = await ask('/api/signals', accept);
      assert.equal(response.status, 402, accept);
      assert.match(response.headers.get('Vary') ?? '', /\bAccept\b(?!-)/, accept);
      const { resource } = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
      assert.equal(resource.mimeType, isCsv ? CSV : 'application/json', accept);
    }
  });

  it('is another request than JSON: it is not sent again for the identifier of the other', async () => {
    const path = '/api/signals?limit=1';
    const url = shared.app.url + path;
    const asCsv = identifier();
    const csv = await ask(path, CSV, await buyer.signAs(url, asCsv));
    const text = await csv.text();
    const settled = shared.app.facilitator.settled;
    const other = await ask(path, 'application/json', await buyer.signAs(url, asCsv));
    const { reason } = (await other.json()) as { reason: string };
    assert.deepEqual([csv.status, other.status, reason], [200, 409, 'payment_identifier_used']);
    const again = await ask(path, CSV, await buyer.signAs(url, asCsv));
    assert.equal(await again.text(), text);
    for (const name of ['Content-Type', 'Content-Disposition', 'Total-Matches', 'Next-Cursor', 'Link', 'As-Of'])
      assert.equal(again.headers.get(name), csv.headers.get(name), name);
    assert.equal(shared.app.facilitator.settled, settled);
  });
});
