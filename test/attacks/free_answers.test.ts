/** What a stranger learns for free of the addresses that are sold: by reading everything, and by asking. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { callTool, paymentIn, post } from '../api/mcp/agents.ts';
import { bodyOf, buyerWith, fetchWithPayment, type Buyer } from '../api/support/buyers.ts';
import { afterFirstDay, FIRST_RUN } from '../pipelines/starting_points.ts';
import { thorough } from '../thorough.ts';
import { published } from '../pipelines/runs.ts';

const COLUMNS = {
  deals: 'address',
  signals: 'address',
  auctions: 'property_address',
  leads: 'address',
} as const;
type Table = keyof typeof COLUMNS;
const TABLES = Object.keys(COLUMNS) as Table[];
/** Free records: the fifty deals, the samples, the example report, and the made-up examples of the documents. */
const FREE = ['/api/deals/ids', '/api/meta', '/api/example_report', '/.well-known/x402'];
const STARTS = [...FREE, '/', '/openapi.json', '/sitemap.xml', '/robots.txt', '/llms.txt', '/api/coverage', '/health'];
const UNKNOWN = '70707 Nowhere Rd, Cleveland, OH';
/** Addresses of each table that are asked for, that are misspelled, and queries of each path that are read. */
const [PER_TABLE, NEAR_PER_TABLE, PER_PATH] = thorough([6, 3, 1], [25, 8, 2]);

/** Words with single spaces between them, whatever the markup. */
const plain = (text: string): string =>
  ` ${text
    .replaceAll(/&(?:#39|quot|amp|nbsp);/g, ' ')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')} `;

/** Which of the addresses are in a text. Found by their first two words, which takes milliseconds, not minutes. */
function finderIn(text: string): (addresses: readonly string[]) => string[] {
  const startOf = (words: readonly string[], i: number): string => `${words[i]} ${words[i + 1]}`;
  const words = text.split(' ');
  const starts = new Set(words.map((_, i) => startOf(words, i)));
  return (addresses) =>
    addresses.map(plain).filter((one) => starts.has(startOf(one.split(' '), 1)) && text.includes(one));
}

describe('a stranger', () => {
  let server: Serving;
  let folder: string;
  let buyer: Buyer;
  /** Addresses of each table that no free record has. */
  const sold = new Map<Table, string[]>();
  const records = new Map<Table, Record<string, unknown>[]>();
  before(async () => {
    const { layout } = await afterFirstDay();
    folder = layout.root;
    server = await serve(readServerSettings({ DATA_DIR: folder, PORT: '0', UNBILLED_PER_MINUTE: '0' }));
    buyer = buyerWith(server.running.payments.sandbox?.buyer.privateKey);
    const free = plain((await Promise.all(FREE.map(async (path) => (await fetch(server.url + path)).text()))).join());
    for (const table of TABLES) {
      const column = COLUMNS[table];
      const rows = await published(layout, FIRST_RUN, table, `WHERE ${column} IS NOT NULL ORDER BY id`);
      const open = rows.filter((row) => !free.includes(plain(String(row[column]))));
      records.set(table, open);
      sold.set(table, [...new Set(open.map((row) => String(row[column])))]);
    }
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Everything that can be read from the entry points by following links, as plain text. */
  const readAll = async (): Promise<Map<string, string>> => {
    const pages = new Map<string, string>();
    const queue = [...STARTS];
    const visits = new Map<string, number>();
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const [place = ''] = path.split('?');
      const visited = visits.get(place) ?? 0;
      if (pages.has(path) || visited === PER_PATH) continue;
      visits.set(place, visited + 1);
      const response = await fetch(server.url + path, { headers: { Accept: 'text/html, */*;q=0.5' } });
      const terms = Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8');
      const text = (await response.text()).replaceAll('&amp;', '&') + terms;
      pages.set(path, plain(text));
      const local = new RegExp(`(?:href="|src="|${server.publicUrl})(/[^\\s"'<>)\\\\#]*)`, 'g');
      for (const [, found = '/'] of text.matchAll(local)) if (!found.startsWith('//')) queue.push(found);
    }
    const tools = await post(server.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    return pages.set('tools/list', plain(await tools.text()));
  };

  it('finds no address that is for sale in any page, document, sample or terms', async () => {
    const pages = await readAll();
    assert.ok(pages.size > 100, `${pages.size} pages`);
    for (const path of ['/metros/cleveland', '/reference/lookup', '/api/deals', '/build'])
      assert.ok(
        [...pages.keys()].some((page) => page.split('?')[0] === path),
        path,
      );
    const namedIn = finderIn([...pages.values()].join(' '));
    for (const [table, addresses] of sold) {
      assert.ok(addresses.length >= 9, `${addresses.length} of ${table}`);
      const found = namedIn(addresses);
      assert.deepEqual(
        found.map((one) => [one, [...pages].find(([, text]) => text.includes(one))?.[0]]),
        [],
        table,
      );
    }
  });

  it('without a payment gets the same answer for known and unknown addresses', async () => {
    const answers = new Map<string, Set<string>>();
    const ask = async (kind: string, path: string, id = '?'): Promise<void> => {
      const response = await fetch(server.url + path);
      const terms = Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8');
      const { resource: _, ...offered } = (terms === '' ? {} : JSON.parse(terms)) as Record<string, unknown>;
      const { instance: _id, ...body } = await bodyOf(response);
      const seen = answers.get(kind) ?? new Set();
      answers.set(kind, seen.add(JSON.stringify([response.status, offered, body]).replaceAll(id, 'ID')));
    };
    const asked = [UNKNOWN, ...TABLES.flatMap((table) => (sold.get(table) ?? []).slice(0, PER_TABLE))].map((address) =>
      encodeURIComponent(address),
    );
    for (const address of asked.filter((one) => /^\d/.test(one))) await ask('lookup', `/api/lookup?address=${address}`);
    const parcels = (records.get('signals') ?? []).slice(0, PER_TABLE).map((row) => String(row['parcel_id']));
    for (const parcel of ['999-99-999', ...parcels])
      await ask('parcel', `/api/lookup?apn=${encodeURIComponent(parcel)}`);
    const ids = (records.get('deals') ?? []).map((row) => String(row['id']));
    for (const id of ['00000000-0000-5000-8000-000000000000', ...ids])
      await ask('report', `/api/deals/${id}/report`, id);
    for (const [kind, seen] of answers) {
      assert.equal(seen.size, 1, kind);
      assert.match([...seen].join(), /^\[402,/, kind);
    }
    const terms = await callTool(server.url, 'lookup', { address: UNKNOWN });
    const known = await callTool(server.url, 'lookup', { address: sold.get('deals')?.[0] });
    const amounts = [terms, known].map(({ structuredContent }) => JSON.stringify(structuredContent['accepts']));
    assert.equal(amounts[0], amounts[1]);
  });

  it('with money learns no address from a miss, which is free', async () => {
    const lookup = `${server.url}/api/lookup?apn=1`;
    const payment = await buyer.sign(lookup);
    const learned: string[] = [];
    const misses: string[] = [];
    for (const table of TABLES) {
      for (const address of (sold.get(table) ?? []).filter((one) => /^\d+ /.test(one)).slice(0, NEAR_PER_TABLE)) {
        // Another house of the street, and its name misspelled.
        const street = address.replace(/^\d+ /, '');
        for (const near of [`70707 ${street}`, address.replace(/^\d+ \w/, '$&x')]) misses.push(near);
      }
    }
    for (const near of misses) {
      const path = `/api/lookup?address=${encodeURIComponent(near)}`;
      const response = await fetchWithPayment(server.url + path, payment);
      const body = await bodyOf(response);
      assert.deepEqual([response.status, body['billed']], [404, false], near);
      const { filters: _, understood_as: __, ...rest } = body;
      learned.push(plain(JSON.stringify(rest)));
    }
    const overMcp = await callTool(server.url, 'lookup', { address: misses[0] }, paymentIn(payment));
    learned.push(plain(JSON.stringify(overMcp)));
    assert.equal(misses.length, 2 * NEAR_PER_TABLE * TABLES.length);
    const namedIn = finderIn(learned.join(' '));
    for (const [table, addresses] of sold) assert.deepEqual(namedIn(addresses), [], table);
    assert.deepEqual(await Array.fromAsync(server.running.ledger.purchases()), [], 'nothing was bought');
  });
});
