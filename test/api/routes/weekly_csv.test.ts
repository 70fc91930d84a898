/** The weekly CSV file: complete before it is sold, and without formulas. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { TABLES } from '../../../models/serving/tables.ts';
import { sharedApp } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { rowOf, rowsOfTable, type Row } from '../support/snapshot_fixtures.ts';

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
