/** The x402 extensions of every 402, in a header short enough for proxies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import {
  extractDiscoveryInfoFromExtension,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from '@x402/extensions/bazaar';
import { validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { sharedApp } from '../support/test_app.ts';
import { fetchPaymentRequired } from '../support/buyers.ts';
import { neededQuery, rowsOfTable, uuid } from '../support/snapshot_fixtures.ts';

/** Longest header line that common proxies accept. */
const LINE_BYTES = 4_096;

describe('the 402 of every priced route', () => {
  const priced = (): string[] =>
    shared.app.app.routes.filter((r) => r.price !== null).map((r) => r.path.replace(':id', uuid(1)));
  const lineOf = async (url: string): Promise<number> => {
    const response = await fetch(url);
    assert.equal(response.status, 402, url);
    return `PAYMENT-REQUIRED: ${response.headers.get('PAYMENT-REQUIRED') ?? ''}\r\n`.length;
  };

  const requiredFor = async (path: string, type: string): Promise<PaymentRequired> => {
    const response = await fetch(shared.app.url + path, { headers: { Accept: type } });
    await response.arrayBuffer();
    return decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
  };

  const shared = sharedApp({ deals: rowsOfTable('deals', 1) });

  it('describes its input and output for the Bazaar, and supports a payment identifier', async () => {
    assert.equal(priced().length, 20);
    for (const path of priced()) {
      const { extensions } = await fetchPaymentRequired(shared.app.url + path + neededQuery(path));
      const bazaar = extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtension(bazaar), { valid: true }, path);
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, path);
      const info = extractDiscoveryInfoFromExtension(bazaar);
      assert.equal('method' in info.input && info.input.method, 'GET', path);
      assert.ok(info.output?.example, path);
      assert.deepEqual(validatePaymentIdentifier(extensions?.['payment-identifier']), { valid: true }, path);
      assert.deepEqual(Object.keys(extensions ?? {}), ['bazaar', 'payment-identifier'], path);
    }
  });

  it('describes a file as the text that it is', async () => {
    for (const path of ['/api/batch/weekly.csv', '/ohio/api/batch/weekly.csv', '/colorado/api/batch/weekly.csv']) {
      const { extensions, resource } = await fetchPaymentRequired(shared.app.url + path);
      const { output } = extractDiscoveryInfoFromExtension(extensions?.['bazaar'] as DiscoveryExtension);
      assert.deepEqual([resource.mimeType, output?.type, output?.format], ['text/csv', 'text', 'text/csv']);
      assert.match(String(output?.example), /^id,document_number,.*\n[0-9a-f-]{36},\d+,/u);
    }
  });

  it('describes a list as CSV if the request accepts CSV, with the Accept header', async () => {
    const lists = shared.app.app.routes.filter((r) => r.csvColumns);
    assert.ok(lists.length > 10);
    for (const { path, csvColumns } of lists) {
      const { extensions, resource } = await requiredFor(path, 'text/csv');
      const bazaar = extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtension(bazaar), { valid: true }, path);
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, path);
      const { input, output } = extractDiscoveryInfoFromExtension(bazaar);
      assert.deepEqual([resource.mimeType, output?.type, output?.format], ['text/csv', 'text', 'text/csv'], path);
      assert.deepEqual('headers' in input && input.headers, { Accept: 'text/csv' }, path);
      const lines = String(output?.example).split('\r\n');
      const columns = lines[0]?.split(',') ?? [];
      assert.deepEqual([lines.length, lines[2], columns[0]], [3, '', 'id'], path);
      const known = csvColumns?.({}) ?? [];
      assert.deepEqual(
        columns.filter((name) => !known.includes(name)),
        [],
        path,
      );
      const json = extractDiscoveryInfoFromExtension(
        (await requiredFor(path, 'application/json')).extensions?.['bazaar'] as DiscoveryExtension,
      );
      assert.equal(json.output?.type, 'json', path);
    }
  });

  it('is at most 3,000 characters for every route and type', async () => {
    for (const path of priced()) {
      for (const type of ['application/json', 'text/csv']) {
        const required = await requiredFor(path + neededQuery(path), type);
        const size = encodePaymentRequiredHeader(required).length;
        assert.ok(size <= 3_000, `${path} as ${type}: ${size}`);
        assert.ok(required.extensions?.['bazaar'], path);
      }
    }
  });

  it('keeps the Bazaar entry however long the URL is, in a header line that proxies accept', async () => {
    for (const query of [`city=${'x'.repeat(190)}`, `city=${'%E2%82%AC'.repeat(200)}`]) {
      const url = `${shared.app.url}/api/deals?${query}`;
      assert.ok((await lineOf(url)) <= LINE_BYTES, query);
      assert.ok((await fetchPaymentRequired(url)).extensions?.['bazaar'], query);
    }
  });
});
