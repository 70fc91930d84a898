/** The x402 extensions of every 402, in a header short enough for proxies. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  extractDiscoveryInfoFromExtension,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from '@x402/extensions/bazaar';
import { validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { startApp, type Started } from '../support/test_app.ts';
import { fetchPaymentRequired } from '../support/buyers.ts';
import { dataFolder, neededQuery, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

/** Longest header line that common proxies accept. */
const LINE_BYTES = 4_096;

describe('the 402 of every priced route', () => {
  let folder: DataFolder;
  let started: Started;
  const priced = (): string[] =>
    started.app.routes.filter((r) => r.price !== null).map((r) => r.path.replace(':id', uuid(1)));
  const lineOf = async (url: string): Promise<number> => {
    const response = await fetch(url);
    assert.equal(response.status, 402, url);
    return `PAYMENT-REQUIRED: ${response.headers.get('PAYMENT-REQUIRED') ?? ''}\r\n`.length;
  };

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
    started = await startApp(folder.path);
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  it('describes its input and output for the Bazaar, and supports a payment identifier', async () => {
    assert.equal(priced().length, 20);
    for (const path of priced()) {
      const { extensions } = await fetchPaymentRequired(started.url + path + neededQuery(path));
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
      const { extensions, resource } = await fetchPaymentRequired(started.url + path);
      const { output } = extractDiscoveryInfoFromExtension(extensions?.['bazaar'] as DiscoveryExtension);
      assert.deepEqual([resource.mimeType, output?.type, output?.format], ['text/csv', 'text', 'text/csv']);
      assert.match(String(output?.example), /^id,document_number,.*\n[0-9a-f-]{36},\d+,/u);
    }
  });

  it('keeps the Bazaar entry however long the URL is, in a header line that proxies accept', async () => {
    for (const query of [`city=${'x'.repeat(190)}`, `city=${'%E2%82%AC'.repeat(200)}`]) {
      const url = `${started.url}/api/deals?${query}`;
      assert.ok((await lineOf(url)) <= LINE_BYTES, query);
      assert.ok((await fetchPaymentRequired(url)).extensions?.['bazaar'], query);
    }
  });
});
