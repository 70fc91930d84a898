/** Buying in a real Chromium, with a wallet of the browser (EIP-1193) over a local chain. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createPublicClient, http, type Hex, type TypedDataDefinition } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { parseKeys, verifyContent, verifyReceipt } from '../../clients/verify.ts';
import { rowOf, rowsOfTable, uuid } from '../api/support/snapshot_fixtures.ts';
import { DOLLAR, openShop, type Shop } from '../support/shop.ts';
import { newPage, startBrowser, type Opened } from './browser.ts';

const DEALS = 5;
const PRICE = 50_000n;
const LIST = '/api/deals?state=OH';
const REPORT = `/api/deals/${uuid(1)}/report`;
const OTHER_CHAIN = '0x1';
const TABLES = {
  deals: rowsOfTable('deals', DEALS, (i) => ({
    state: 'OH',
    address: i === 1 ? '=1+1' : `${i} Main St`,
    list_price: '250000.00',
  })),
  reports: [rowOf('reports', 1, { id: uuid(1) })],
};

/** A wallet that starts on another network, does not know ours, and names its account in lower case. */
class Wallet {
  readonly account = privateKeyToAccount(generatePrivateKey());
  readonly asked: string[] = [];
  declines = false;
  readonly #known = new Map([[OTHER_CHAIN, 'Ethereum']]);
  #chain = OTHER_CHAIN;
  readonly #rpcUrl: string;
  constructor(rpcUrl: string) {
    this.#rpcUrl = rpcUrl;
  }
  get network(): string | undefined {
    return this.#known.get(this.#chain);
  }

  async #answer(method: string, params: readonly unknown[]): Promise<unknown> {
    const [first] = params as [{ chainId: string; chainName: string; to: Hex; data: Hex }];
    switch (method) {
      case 'eth_requestAccounts':
        return [this.account.address.toLowerCase()];
      case 'eth_chainId':
        return this.#chain;
      case 'wallet_addEthereumChain':
        this.#known.set(first.chainId, first.chainName);
        return null;
      case 'wallet_switchEthereumChain':
        if (!this.#known.has(first.chainId)) throw Object.assign(new Error('Unrecognized chain'), { code: 4902 });
        this.#chain = first.chainId;
        return null;
      case 'eth_call':
        return (await createPublicClient({ transport: http(this.#rpcUrl) }).call(first)).data;
      case 'eth_signTypedData_v4':
        if (this.declines) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
        return this.account.signTypedData(JSON.parse(String(params[1])) as TypedDataDefinition);
      case 'personal_sign':
        return this.account.signMessage({ message: { raw: String(params[0]) as Hex } });
      default:
        throw Object.assign(new Error(method), { code: 4200 });
    }
  }

  /** An answer that can leave the browser's binding: errors keep their code. */
  request = async (method: string, params: readonly unknown[]): Promise<object> => {
    this.asked.push(method);
    try {
      return { result: await this.#answer(method, params) };
    } catch (error) {
      return { error: { code: (error as { code?: number }).code, message: (error as Error).message } };
    }
  };
}

/** Script of the page: a provider that asks the wallet. It announces itself (EIP-6963), or is window.ethereum. */
const provider = (how: 'announced' | 'ethereum'): string => `(() => {
  const provider = { async request({ method, params = [] }) {
    const { result, error } = await window.walletRequest(method, params);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  } };
  if (${how === 'ethereum'}) return void (window.ethereum = provider);
  const detail = Object.freeze({ info: { uuid: '1', name: 'Fox', icon: '', rdns: 'test.fox' }, provider });
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
})()`;

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

/** A page of a shop with a wallet in it. */
async function openWith(
  shop: Shop,
  wallet: Wallet,
  path: string,
  how: 'announced' | 'ethereum' = 'announced',
): Promise<Opened> {
  const opened = await newPage(browser, shop.url);
  await opened.page.context().exposeFunction('walletRequest', wallet.request);
  await opened.page.addInitScript(provider(how));
  await opened.page.goto(path);
  return opened;
}

const outcome = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('.pay [role=status]', { hasText: text }).waitFor();

/** The file that a link saves. */
async function saved(page: Page, label: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#answer a:text-is("${label}")`)]);
  return readFile(await download.path(), 'utf8');
}

describe('a browser wallet', () => {
  let shop: Shop;
  let wallet: Wallet;
  let takings: bigint;
  const moved = async (): Promise<bigint> => (await shop.takings()) - takings;
  before(async () => {
    shop = await openShop({ mode: 'self', tables: TABLES });
  });
  beforeEach(async () => {
    wallet = new Wallet(shop.chain.rpcUrl);
    await shop.chain.mint(wallet.account.address, 4n * DOLLAR);
    takings = await shop.takings();
  });
  after(() => shop.close());

  it('buys a list after switching to our network: a table, and files that the receipt proves', async () => {
    const { page, errors } = await openWith(shop, wallet, LIST);
    await page.click('text=Pay $0.05 with Fox');
    await outcome(page, /^Paid \$0\.05\. Transaction 0x[0-9a-f]{64}\.$/u);
    assert.equal(await moved(), PRICE);
    assert.equal(wallet.network, 'Base');
    assert.ok(wallet.asked.includes('wallet_addEthereumChain'));
    assert.equal(await page.locator('#answer tbody tr').count(), DEALS);
    assert.match(await page.locator('#answer table').innerText(), /2 Main St.*\$250,000/su);
    assert.equal(
      await page.locator('#answer h3').first().innerText(),
      `Cleveland: ${DEALS} of the records, price and score`,
    );
    assert.match((await page.locator('#answer .metro-map .price').first().textContent()) ?? '', /^\$250k/u);
    const [answer, receipt] = [await saved(page, 'JSON'), await saved(page, 'Receipt')];
    const keys = parseKeys(await (await fetch(`${shop.url}/.well-known/jwks.json`)).text());
    const { payload } = await verifyReceipt(receipt, keys, Date.now());
    verifyContent(payload, Buffer.from(answer));
    const csv = await saved(page, 'CSV');
    assert.equal(csv.split('\r\n').length, DEALS + 2);
    assert.ok(csv.includes(",'=1+1,"), csv);
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  it('that declines, or holds too little, is charged nothing', async () => {
    const { page } = await openWith(shop, wallet, LIST);
    wallet.declines = true;
    await page.click('text=Pay $0.05 with Fox');
    await outcome(page, 'You declined. Nothing was charged.');
    const poor = new Wallet(shop.chain.rpcUrl);
    const other = await openWith(shop, poor, LIST);
    await other.page.click('text=Pay $0.05 with Fox');
    await outcome(other.page, 'This wallet holds $0.00 in USDC on Base. Nothing was charged.');
    assert.ok(!poor.asked.includes('eth_signTypedData_v4'));
    assert.equal(await moved(), 0n);
    await Promise.all([page.context().close(), other.page.context().close()]);
  });

  it('buys the next page of a list, and the table has both', async () => {
    const { page } = await openWith(shop, wallet, `${LIST}&limit=3`);
    await page.click('text=Pay $0.05 with Fox');
    await page.click('text=Buy the next page for $0.05');
    await outcome(page, 'Paid $0.10.');
    assert.equal(await moved(), 2n * PRICE);
    assert.equal(await page.locator('#answer tbody tr').count(), DEALS);
    assert.equal(await page.locator('text=Buy the next page').count(), 0);
    assert.deepEqual(
      [await saved(page, 'JSON 1'), await saved(page, 'JSON 2')].map(
        (text) => (JSON.parse(text) as { count: number }).count,
      ),
      [3, 2],
    );
    await page.context().close();
  });

  it('at window.ethereum buys a report, which has the layout of the example report', async () => {
    const { page, errors } = await openWith(shop, wallet, REPORT, 'ethereum');
    await page.click('text=Pay $1.50 with your wallet');
    await outcome(page, 'Paid $1.50.');
    assert.equal(await moved(), 1_500_000n);
    await page.locator('#answer h2[id]').first().waitFor();
    const headings = await page.locator('#answer h2[id]').allInnerTexts();
    const example = await newPage(browser, shop.url);
    await example.page.goto('/report');
    assert.deepEqual(headings, await example.page.locator('main h2[id]').allInnerTexts());
    assert.ok(headings.length > 10, String(headings.length));
    assert.deepEqual(errors, []);
    await Promise.all([page.context().close(), example.page.context().close()]);
  });

  it('whose answer is lost gets it when the page asks again, and is charged once', async () => {
    const { page } = await openWith(shop, wallet, LIST);
    let lost = 0;
    await page.route('**/api/deals?*', async (route) => {
      if (route.request().headers()['payment-signature'] === undefined || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await page.click('text=Pay $0.05 with Fox');
    await outcome(page, 'Paid $0.05.');
    assert.equal(lost, 1);
    assert.equal(await page.locator('#answer tbody tr').count(), DEALS);
    assert.equal(await moved(), PRICE);
    await page.context().close();
  });

  it('whose page was closed before the answer came collects it by signing in, without paying again', async () => {
    const { page } = await openWith(shop, wallet, LIST);
    const sent = Promise.withResolvers<undefined>();
    await page.route('**/api/deals?*', async (route) => {
      if (route.request().headers()['payment-signature'] === undefined) return route.continue();
      await route.fetch();
      sent.resolve(undefined);
      return route.abort();
    });
    await page.click('text=Pay $0.05 with Fox');
    await sent.promise;
    await page.unrouteAll();
    await page.reload();
    await page.click('text=Collect what Fox paid for');
    await outcome(page, 'Collected, free.');
    assert.equal(await page.locator('#answer tbody tr').count(), DEALS);
    assert.equal(await moved(), PRICE);
    await page.reload();
    assert.deepEqual(await page.locator('.wallets button').allInnerTexts(), ['Pay $0.05 with Fox']);
    await page.context().close();
  });

  it('is the only wallet: the server has no test wallet', async () => {
    const body = JSON.stringify({ method: 'eth_requestAccounts' });
    const headers = { 'Content-Type': 'application/json' };
    assert.equal((await fetch(`${shop.url}/sandbox/wallet`, { method: 'POST', headers, body })).status, 404);
  });
});

describe('the sandbox', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop({ mode: 'sandbox', tables: TABLES });
  });
  after(() => shop.close());

  const ask = (method: string, params: readonly unknown[], headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${shop.url}/sandbox/wallet`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ method, params }),
    });

  it('offers only its test wallet, also in the query builder, and pays with it', async () => {
    const wallet = new Wallet(shop.chain.rpcUrl);
    const { page, errors } = await openWith(shop, wallet, '/build?call=/api/deals');
    await page.selectOption('#f-state', 'OH');
    await page.locator('#built .pay[data-call*="state=OH"]').waitFor();
    await page.waitForTimeout(400);
    assert.deepEqual(await page.locator('.wallets button').allInnerTexts(), ['Pay $0.05 with test money']);
    await page.click('.wallets button');
    await outcome(page, 'Paid $0.05.');
    assert.equal(await page.locator('#answer tbody tr').count(), DEALS);
    assert.equal(await shop.takings(), PRICE);
    assert.deepEqual(wallet.asked, []);
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  it('signs with the test wallet only payments to its own server, for pages of its own', async () => {
    const { message, domain } = {
      message: {
        from: shop.payTo,
        to: shop.payTo,
        value: '50000',
        validAfter: '0',
        validBefore: '9',
        nonce: `0x${'0'.repeat(64)}`,
      },
      domain: {
        name: 'USD Coin',
        version: '2',
        chainId: 8453,
        verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      },
    };
    const sign = async (more: object, headers?: Record<string, string>): Promise<number> =>
      (await ask('eth_signTypedData_v4', ['', JSON.stringify({ domain, message: { ...message, ...more } })], headers))
        .status;
    assert.equal(await sign({}), 200);
    assert.equal(await sign({ to: uuid(1).replaceAll('-', '').padStart(42, '0x00000000') }), 400);
    assert.equal(await sign({ value: '2000001' }), 400);
    assert.equal(await sign({}, { 'Sec-Fetch-Site': 'cross-site' }), 400);
    assert.equal(await sign({}, { 'Content-Type': 'text/plain' }), 400);
    assert.equal((await ask('personal_sign', ['0x68656c6c6f', ''])).status, 400);
    assert.equal((await ask('eth_sendTransaction', [])).status, 400);
  });

  it('lays out a whole report and draws a map of deals, sent by a page of its own, and nothing else', async () => {
    const lay = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${shop.url}/bought`, { method: 'POST', headers, body })).status;
    const example = await (await fetch(`${shop.url}/api/example_report`)).text();
    const json = { 'Content-Type': 'application/json' };
    assert.equal(await lay(example, json), 200);
    assert.equal(await lay(example, { 'Content-Type': 'text/plain' }), 400);
    assert.equal(await lay(example, { ...json, 'Sec-Fetch-Site': 'cross-site' }), 400);
    assert.equal(await lay('{"deal":{}}', json), 400);
    const draw = (record: object, headers = {}): Promise<Response> =>
      fetch(`${shop.url}/bought`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: JSON.stringify({ records: [record] }),
      });
    const deal = {
      zip: '44113',
      city: '<b>',
      list_price: '465000.00',
      deal_score: 61,
      listing_url: 'https://a.test/1',
    };
    const drawn = await (await draw(deal)).text();
    assert.match(drawn, /href="https:\/\/a\.test\/1"[^]*>\$465k · 61</u);
    assert.ok(!drawn.includes('<b>'));
    assert.equal((await draw(deal, { 'Sec-Fetch-Site': 'cross-site' })).status, 400);
    assert.equal((await draw({ ...deal, listing_url: 'javascript:alert(1)' })).status, 400);
    assert.equal(await (await draw({ ...deal, zip: '99999' })).text(), '');
  });
});
