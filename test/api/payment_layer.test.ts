/** What a buyer is told when the facilitator, the handler or the settlement fail. No chain: the facilitator is scripted. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FacilitatorTimeoutError } from '@x402/core/server';
import { SettleError } from '@x402/core/types';
import { NETWORK } from '../../api/payments/network.ts';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { openSqliteLedger } from '../../ledger/sqlite.ts';
import { ScriptedFacilitator, startApp, type Started } from './apps_started.ts';
import { bodyOf, buyerWith, fetchPaying } from './buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from './snapshots_made.ts';

const TX = `0x${'2'.repeat(64)}`;

describe('the folder of the payment layer', () => {
  it('stands on its own: it knows the ledger and packages, and nothing else of the API', async () => {
    const folder = fileURLToPath(new URL('../../api/payments/', import.meta.url));
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    assert.ok(files.length > 15);
    for (const name of files) {
      const text = await readFile(join(folder, name), 'utf8');
      for (const [, from = ''] of text.matchAll(/ from '(\.[^']+)'/g)) {
        const path = relative(join(folder, '../..'), resolve(dirname(join(folder, name)), from));
        assert.match(path, /^(api\/payments\/|ledger\/ledger\.ts$|lib\/files\.ts$)/, `${name} imports ${path}`);
      }
    }
  });
});

describe('the payment layer', () => {
  let folder: DataFolder;
  let started: Started;
  let facilitator: ScriptedFacilitator;
  const buyer = buyerWith();
  const url = (query = ''): string => `${started.url}/api/deals${query}`;
  const reasonOf = async (response: Response): Promise<unknown> => (await bodyOf(response))['reason'];

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2) });
  });
  after(() => folder.remove());
  beforeEach(async () => {
    facilitator = new ScriptedFacilitator();
    started = await startApp(folder.path, { facilitator });
  });
  afterEach(() => started.close());

  it('answers 503 with Retry-After, never 402, when verification cannot be asked for', async () => {
    const payment = await buyer.sign(url());
    facilitator.onVerify = async () => { throw new TypeError('fetch failed'); };
    const response = await fetchPaying(url(), payment);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('Retry-After'), '5');
    assert.equal(await reasonOf(response), 'payments_unavailable');
    facilitator.onVerify = async () => ({ isValid: true });
    assert.equal((await fetchPaying(url(), payment)).status, 200);
  });

  it('starts without its facilitator, sells nothing meanwhile, and recovers without a restart', async () => {
    let now = Date.now();
    const down = new ScriptedFacilitator();
    const answer = down.onSupported;
    down.onSupported = async () => { throw new TypeError('fetch failed'); };
    const app = await startApp(folder.path, { facilitator: down, nowMs: () => now });
    try {
      assert.equal((await fetch(`${app.url}/api/meta`)).status, 200);
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 503);
      assert.equal((await bodyOf(await fetch(`${app.url}/health`)))['status'], 'degraded');
      down.onSupported = answer;
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 503, 'it is not asked again at once');
      now += 6_000;
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 402);
      assert.equal((await bodyOf(await fetch(`${app.url}/health`)))['status'], 'ok');
    } finally { await app.close(); }
  });

  it('refuses to start on a facilitator that does not serve the network', async () => {
    const other = new ScriptedFacilitator();
    other.onSupported = async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }], extensions: [], signers: {} });
    const app = await startApp(folder.path, { facilitator: other });
    try {
      await assert.rejects(app.app.payments.start(), { name: 'RouteConfigurationError' });
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 503);
    } finally { await app.close(); }
  });

  it('does not settle when the handler has nothing, and frees the payment', async () => {
    const payment = await buyer.sign(url());
    assert.equal((await fetchPaying(url('?state=ZZ'), payment)).status, 404);
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchPaying(url(), payment)).status, 200);
    assert.equal(facilitator.settled, 1);
  });

  it('does not settle when the handler crashes, and says nothing of itself', async () => {
    const payment = await buyer.sign(url());
    const lease = started.snapshots.acquire();
    assert.ok(lease);
    const { snapshot } = lease;
    const { texts } = snapshot;
    Object.assign(snapshot, { texts: () => { throw new Error('a secret of the inside'); } });
    const response = await fetchPaying(url(), payment);
    Object.assign(snapshot, { texts });
    lease.release();
    assert.equal(response.status, 500);
    const text = await response.text();
    assert.doesNotMatch(text, /secret|\.ts|at /);
    assert.equal((JSON.parse(text) as Record<string, unknown>)['reason'], 'internal_error');
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchPaying(url(), payment)).status, 200);
  });

  it('calls a copy used, not invalid, that was being verified while the first was settled', async () => {
    const payment = await buyer.sign(url());
    const [bothAsked, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    facilitator.onVerify = async () => {
      asked += 1;
      if (asked === 1) {
        await bothAsked.promise;
        return { isValid: true };
      }
      bothAsked.resolve();
      await settled.promise;
      return { isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used' };
    };
    const responses = await Promise.all([0, 1].map(async () => {
      const response = await fetchPaying(url(), payment);
      if (response.status === 200) settled.resolve();
      return response;
    }));
    const refused = responses.find((r) => r.status !== 200);
    assert.equal(refused?.status, 409);
    assert.equal(await reasonOf(refused), 'payment_already_used');
    assert.equal(facilitator.settled, 1);
  });

  it('holds what was signed against what is asked itself, whatever a facilitator says of it', async () => {
    const other = '0x00000000000000000000000000000000000000bb';
    for (const change of [{ value: '49999' }, { value: '50001' }, { to: other }]) {
      const payment = await buyer.forge(url(), (p) => ({ ...p, payload: { ...p.payload, authorization: { ...(p.payload as { authorization: object }).authorization, ...change } } }));
      const response = await fetchPaying(url(), payment);
      assert.equal(response.status, 402, JSON.stringify(change));
      assert.equal((await bodyOf(response))['payment_error'], 'authorization_mismatch');
    }
    assert.equal(facilitator.settled, 0);
  });

  it('says that a settlement failed, and frees the payment, only when that is sure', async () => {
    const payment = await buyer.sign(url());
    const refused = { success: false, errorReason: 'invalid_exact_evm_insufficient_balance', transaction: '', network: NETWORK } as const;
    for (const failing of [async () => refused, async () => { throw new SettleError(400, refused); }]) {
      facilitator.onSettle = failing;
      const response = await fetchPaying(url(), payment);
      assert.equal(response.status, 402);
      const body = await bodyOf(response);
      assert.equal(body['reason'], 'settlement_failed');
      assert.equal(body['billed'], false);
      assert.equal(body['payment_error'], 'invalid_exact_evm_insufficient_balance');
      assert.equal('records' in body, false);
    }
    facilitator.onSettle = new ScriptedFacilitator().onSettle;
    assert.equal((await fetchPaying(url(), payment)).status, 200);
  });

  const failure = (errorReason: string, transaction = '') => async () => ({ success: false, errorReason, transaction, network: NETWORK } as const);
  const unknown: [string, () => Promise<never> | ReturnType<ReturnType<typeof failure>>, string | undefined][] = [
    ['the reply is lost', async () => { throw new TypeError('fetch failed'); }, undefined],
    ['the reply is late', async () => { throw new FacilitatorTimeoutError('settle', 30_000); }, undefined],
    ['the facilitator answers 500', async () => { throw new Error('Facilitator settle failed (500)'); }, undefined],
    ['the transaction is pending, twice', failure('settlement_pending', TX), TX],
    ['the sending of the transaction failed in some way', failure('invalid_exact_evm_transaction_failed'), undefined],
    ['the authorization turns out to be used', failure('invalid_exact_evm_nonce_already_used'), undefined],
  ];
  for (const [name, onSettle, transaction] of unknown) {
    it(`does not call a settlement failed, give the goods, or reuse the payment, when ${name}`, async () => {
      const payment = await buyer.sign(url());
      facilitator.onSettle = onSettle;
      const response = await fetchPaying(url(), payment);
      assert.equal(response.status, 502);
      assert.equal(response.headers.get('PAYMENT-RESPONSE'), null);
      const body = await bodyOf(response);
      assert.equal(body['reason'], 'settlement_unknown');
      assert.equal(body['billed'], null);
      assert.equal(body['transaction'], transaction);
      assert.equal('records' in body, false);
      assert.equal(started.requests.at(-1)?.unresolved?.['payer'], buyer.address.toLowerCase());
      facilitator.onSettle = new ScriptedFacilitator().onSettle;
      assert.equal((await fetchPaying(url(), payment)).status, 409);
      assert.equal(facilitator.settled, 0);
    });
  }

  it('does not take a later refusal for a failure once a transaction was pending', async () => {
    const payment = await buyer.sign(url());
    const answers = [await failure('settlement_pending', TX)(), await failure('invalid_exact_evm_insufficient_balance')()];
    facilitator.onSettle = async () => answers.shift() ?? assert.fail('asked a third time');
    assert.equal((await fetchPaying(url(), payment)).status, 502);
  });

  it('settles once a pending transaction is confirmed', async () => {
    const payment = await buyer.sign(url());
    const answers = [await failure('settlement_pending', TX)(), { success: true, transaction: TX, network: NETWORK } as const];
    facilitator.onSettle = async () => answers.shift() ?? assert.fail('asked a third time');
    assert.equal((await fetchPaying(url(), payment)).status, 200);
  });

  it('does not charge a buyer who has hung up before the answer was ready', async () => {
    const payment = await buyer.sign(url());
    const buyerGone = new AbortController();
    facilitator.onVerify = async () => {
      buyerGone.abort();
      await pause(150);
      return { isValid: true };
    };
    const logged = started.requests.length;
    await assert.rejects(fetch(url(), { headers: { 'PAYMENT-SIGNATURE': payment }, signal: buyerGone.signal }));
    while (started.requests.length === logged) await pause(20);
    facilitator.onVerify = new ScriptedFacilitator().onVerify;
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchPaying(url(), payment)).status, 200);
  });

  describe('whose ledger is not there', () => {
    /** A ledger that cannot be written while `down` names the step. */
    const failing = async (): Promise<{ ledger: Ledger; down: Set<keyof Ledger> }> => {
      const real = await openSqliteLedger(':memory:');
      const down = new Set<keyof Ledger>();
      return { down, ledger: new Proxy(real, { get: (target, name: keyof Ledger) => (...args: never[]) => {
        if (down.has(name)) throw new LedgerUnavailable('the ledger is locked');
        return (target[name] as (...given: never[]) => unknown)(...args);
      } }) };
    };
    const withLedger = async (test: (app: Started, down: Set<keyof Ledger>) => Promise<void>): Promise<void> => {
      const { ledger, down } = await failing();
      const app = await startApp(folder.path, { facilitator, ledger });
      try { await test(app, down); } finally {
        down.clear();
        await app.close();
        await ledger.close();
      }
    };

    it('sells nothing and charges nobody: 503, and the payment is good once it is back', () => withLedger(async (app, down) => {
      const payment = await buyer.sign(`${app.url}/api/deals`);
      for (const step of ['find', 'begin', 'settling'] as const) {
        down.add(step);
        const response = await fetchPaying(`${app.url}/api/deals`, payment);
        assert.equal(response.status, 503, step);
        assert.equal(response.headers.get('Retry-After'), '5', step);
        const body = await bodyOf(response);
        assert.deepEqual([body['reason'], body['billed'], 'records' in body], ['payments_unavailable', false, false], step);
        down.delete(step);
      }
      assert.equal(facilitator.settled, 0);
      assert.equal((await fetchPaying(`${app.url}/api/deals`, payment)).status, 200);
    }));

    it('does not send an answer whose settlement it could not write down, and keeps it for its buyer', () => withLedger(async (app, down) => {
      const payment = await buyer.sign(`${app.url}/api/deals`);
      down.add('sold');
      const response = await fetchPaying(`${app.url}/api/deals`, payment);
      assert.equal(response.status, 502);
      const body = await bodyOf(response);
      assert.deepEqual([body['reason'], body['billed'], body['transaction'], 'records' in body], ['settlement_unknown', null, `0x${'1'.repeat(64)}`, false]);
      assert.equal(facilitator.settled, 1);
      const [open] = await app.ledger.unresolved(Date.now() + 1);
      assert.equal(open?.transaction, `0x${'1'.repeat(64)}`);
      assert.ok(await app.ledger.answerOf(open?.id ?? ''), 'the answer is kept');
      assert.equal((await fetchPaying(`${app.url}/api/deals`, payment)).status, 409);
    }));

    it('offers no lead that may be sold: lists and discovery are 503, the rest goes on', () => withLedger(async (app, down) => {
      down.add('claimedLeads');
      const discovery = await fetch(`${app.url}/api/meta`);
      assert.equal(discovery.status, 503);
      assert.equal((await bodyOf(discovery))['reason'], 'payments_unavailable');
      assert.equal((await fetchPaying(`${app.url}/api/leads`, await buyer.sign(`${app.url}/api/leads`))).status, 503);
      assert.equal((await fetch(`${app.url}/api/deals/ids`)).status, 200);
    }));
  });

  it('builds the resource address from the configured public address, whatever the request says', async () => {
    const response = await fetch(url('?state=OH'), { headers: { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example' } });
    const header = JSON.parse(Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8')) as { resource: { url: string } };
    assert.equal(header.resource.url, 'https://api.dealfeed.example/api/deals?state=OH');
  });

  it('logs what was charged, and no payment header', async () => {
    const payment = await buyer.sign(url());
    await (await fetchPaying(url(), payment)).arrayBuffer();
    const entry = started.requests.find((r) => r.charged !== undefined);
    assert.equal(entry?.charged, '0.05');
    assert.equal(JSON.stringify(started.requests).includes(payment.slice(0, 40)), false);
  });
});
