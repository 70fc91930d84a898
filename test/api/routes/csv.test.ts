/** CSV, safe against formulas: lists with the values of JSON, and the weekly file, complete before it is sold. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { escapeFormula } from '../../../api/routes/list/csv.ts';
import { LIST_HEADERS } from '../../../lib/list_headers.ts';
import { buyerWith, bodyOf, fetchWithPayment } from '../support/buyers.ts';
import { identifier } from '../support/collecting.ts';
import { rowOf, rowsOfTable, type Row } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';
import { TABLES } from '../../../models/serving/tables.ts';

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

  it('is a different request from JSON: the identifier of one does not return the other', async () => {
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

describe('the weekly file', () => {
  const buyer = buyerWith();
  /** More than one page of a read. */
  const LARGE = 2_001;
  const odd = [
    '=HYPERLINK("http://x","y")',
    '+1',
    '-1 & Sons',
    '@home',
    '\tTab',
    'Plain, "quoted" & Söhne\nsecond line',
    'Ordinary LLC',
  ];
  const inWeek46 = (n: number, given: Row): Row =>
    rowOf('filings', n, { first_seen: '2026-11-15T23:59:59Z', ...given });
  const rowsIn = (text: string): Record<string, string>[] =>
    parse(text, { columns: true }) as unknown as Record<string, string>[];
  const get = (query: string, prefix = ''): Promise<Response> =>
    buyer.fetch(`${shared.app.url}${prefix}/api/batch/weekly.csv${query}`);

  const shared = sharedApp({
    filings: [
      ...odd.map((business_name, i) => inWeek46(i + 1, { business_name })),
      inWeek46(100, { source: 'colorado_sos', source_state: 'CO' }),
      rowOf('filings', 101, { first_seen: '2026-11-16T00:00:00Z' }),
      rowOf('filings', 102, { first_seen: '2026-11-08T23:59:59Z' }),
      // The first load of Ohio. Of those filed before, each belongs to the week of its filing date.
      ...rowsOfTable('filings', LARGE, (i) => ({
        id: `10000000-0000-5000-8000-${String(i).padStart(12, '0')}`,
        first_seen: `2026-10-01T${i % 2 ? '12:00:00' : '23:59:59'}Z`,
      })),
      rowOf('filings', 103, { first_seen: '2026-10-01T13:00:00Z', filing_date: '2026-07-01' }),
      rowOf('filings', 104, { first_seen: '2026-10-02T00:00:00Z', filing_date: '2026-07-01' }),
    ],
  });

  it('is the latest complete week with new rows, with the fields of the record in order', async () => {
    const response = await get('');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(
      response.headers.get('Content-Disposition'),
      'attachment; filename="dealfeed-registrations-2026-W46.csv"',
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.match(response.headers.get('Content-Encoding') ?? '', /^(br|gzip|zstd)$/);
    assert.equal(
      response.headers.get('Unencoded-Digest'),
      `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
    );
    const text = bytes.toString('utf8');
    const [header = ''] = text.split('\r\n');
    assert.deepEqual(
      header.split(','),
      TABLES.filings.columns.map((c) => c.name),
    );
    const rows = rowsIn(text);
    assert.equal(rows.length, odd.length + 1);
    assert.equal(rows[0]?.['naics'], '');
    assert.equal(rows[0]?.['first_seen'], '2026-11-15T23:59:59Z');
  });

  it('is the requested week, of one register under its prefix, with every row of a large week once', async () => {
    const large = rowsIn(await (await get('?week=2026-W40')).text());
    // With the row that was read a day after the first load.
    assert.equal(large.length, LARGE + 1);
    assert.equal(new Set(large.map((r) => r['id'])).size, LARGE + 1);
    assert.deepEqual(
      rowsIn(await (await get('?week=2026-W45')).text()).map((r) => r['document_number']),
      ['D102'],
    );
    assert.deepEqual(
      rowsIn(await (await get('?week=2026-W27')).text()).map((r) => r['document_number']),
      ['D103'],
    );
    assert.deepEqual(
      rowsIn(await (await get('', '/colorado')).text()).map((r) => r['source_state']),
      ['CO'],
    );
    assert.equal((await fetch(`${shared.app.url}/colorado/api/batch/weekly.csv?state=OH`)).status, 400);
  });

  it('is refused before a payment if the week has not ended or does not exist', async () => {
    for (const week of ['2026-W47', '2026-w47', '2027-W01', '2025-W53', '2026-W00', '2026-46', '9999-W99']) {
      const response = await fetch(`${shared.app.url}/api/batch/weekly.csv?week=${week}`);
      assert.equal(response.status, 400, week);
      assert.equal((await bodyOf(response))['field'], 'week', week);
    }
  });

  it('is not billed for an empty week, and the weeks with rows are listed', async () => {
    const settled = shared.app.facilitator.settled;
    for (const [query, prefix] of [
      ['?week=2026-W44', ''],
      ['?week=2026-W40', '/colorado'],
    ] as const) {
      const response = await get(query, prefix);
      assert.equal(response.status, 404);
      const body = await bodyOf(response);
      assert.equal(body['reason'], 'no_matches');
      assert.ok((body['weeks'] as { week: string }[]).some(({ week }) => week === '2026-W46'));
    }
    assert.equal(shared.app.facilitator.settled, settled);
  });

  it('is not billed if it cannot be completed, or is not paid', async () => {
    const settled = shared.app.facilitator.settled;
    using lease = shared.app.snapshots.acquire() ?? assert.fail();
    const { snapshot } = lease;
    const { records } = snapshot;
    let pages = 0;
    Object.assign(snapshot, {
      records: (...args: Parameters<typeof records>) => {
        pages += 1;
        if (pages === 2) throw new Error('a failure after one page');
        return records.apply(snapshot, args);
      },
    });
    const url = `${shared.app.url}/api/batch/weekly.csv?week=2026-W40`;
    const payment = await buyer.sign(url);
    const response = await fetchWithPayment(url, payment);
    Object.assign(snapshot, { records });
    assert.equal(response.status, 500);
    assert.equal(pages, 2);
    assert.equal(shared.app.facilitator.settled, settled);

    // The chain never has this payment: its buyer does not get the file.
    const { onSettle } = shared.app.facilitator;
    shared.app.facilitator.onSettle = async () => ({ transaction: null });
    const unknown = await fetchWithPayment(url, await buyer.sign(url));
    assert.equal(unknown.status, 502);
    assert.equal((await bodyOf(unknown))['reason'], 'settlement_unknown');
    assert.equal(unknown.headers.get('Content-Disposition'), null);
    shared.app.facilitator.onSettle = onSettle;

    const sold = await fetchWithPayment(url, payment);
    assert.equal(sold.status, 200);
    assert.equal(rowsIn(await sold.text()).length, LARGE + 1);
    assert.equal(shared.app.facilitator.settled, settled + 1);
  });
});
