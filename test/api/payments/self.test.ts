/**
 * A server that settles itself: its gas, and payments that somebody else sends. A token whose issuer has paused it, or
 * blocks an account: typed refusals, and a warning.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createWalletClient, encodeFunctionData, http, parseAbi, type Hex } from 'viem';
import { serve, type Serving } from '../../../api/http/serve.ts';
import type { SignedAuthorization } from '../../../api/payments/chain/authorization.ts';
import { paymentHealth } from '../../../api/payments/health.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { attempt } from '../../attacks/books.ts';
import { authorizationFor, headerWith, sendAsStranger } from '../../attacks/wallets.ts';
import { signAuthorization, base } from '../support/base.ts';
import { DEALS, DOLLAR, openShop, type Shop } from '../../support/shop.ts';
import { bodyOf, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { USDC } from '../../../lib/network.ts';
import { codeOf } from '../support/contracts.ts';

describe('a server that settles itself', () => {
  let shop: Shop;
  const open: Serving[] = [];
  before(async () => {
    shop = await openShop({ mode: 'self' });
  });
  afterEach(async () => {
    shop.node.before(null);
    for (const server of open.splice(0)) await server.close();
  });
  after(() => shop.close());

  /** Another server of the shop, with its ledger and its key. @returns the URL of its deals */
  const started = async (env: Record<string, string>): Promise<string> => {
    const server = await serve(readServerSettings({ ...shop.env, ...env }));
    open.push(server);
    return server.url + DEALS;
  };
  const transactions = (): Promise<number> => shop.admin.getTransactionCount({ address: shop.gasAccount });

  it('stops sales when the daily gas limit is spent, also after a restart, until the limit is raised', async () => {
    const limits = { GAS_PER_SETTLEMENT: '150000', GAS_PER_DAY: '300000' };
    const [buyer, sent] = [await shop.buyer(), await transactions()];
    const first = await started(limits);
    for (let i = 0; i < 2; i += 1) assert.equal((await buyer.fetch(first)).status, 200);
    await open.pop()?.close();
    const again = await started(limits);
    const payment = await buyer.sign(again);
    const refused = await fetchWithPayment(again, payment);
    const { reason, billed } = await bodyOf(refused);
    assert.deepEqual(
      [refused.status, refused.headers.get('Retry-After'), reason, billed],
      [503, '3600', 'settlement_budget_spent', false],
    );
    const raised = await started({ ...limits, GAS_PER_DAY: '450000' });
    assert.equal((await fetchWithPayment(raised, payment)).status, 200, 'the payment was not used');
    assert.equal((await transactions()) - sent, 3);
  });

  it('refuses a settlement above the gas limit before anything is sent', async () => {
    const url = await started({ GAS_PER_SETTLEMENT: '21000' });
    const [payment, sent] = [await (await shop.buyer()).sign(url), await transactions()];
    const refused = await fetchWithPayment(url, payment);
    const { reason, payment_error, billed } = await bodyOf(refused);
    assert.deepEqual(
      [refused.status, reason, payment_error, billed, await transactions()],
      [402, 'payment_invalid', 'settlement_gas_above_limit', false, sent],
    );
  });

  const signed = async (): Promise<{ payload: SignedAuthorization; header: string }> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await shop.chain.mint(account.address, DOLLAR);
    const asked = await fetchPaymentRequired(shop.url + DEALS);
    const authorization = authorizationFor(asked, account.address);
    const payload = { authorization, signature: await signAuthorization(account, authorization) };
    return { payload, header: headerWith(asked, payload) };
  };
  const alerts = async (): Promise<string[]> => {
    await shop.mine(6);
    await shop.server.running.audit.pass();
    const codes = (await paymentHealth(shop.server.running, Date.now)()).warnings.map(({ code }) => code);
    return codes.filter((code) => ['sent_by_others', 'transfers_owed'].includes(code));
  };

  it('completes the sale if a stranger sends its payment first, and raises an alert', async () => {
    assert.deepEqual(await alerts(), [], 'it has sent payments itself');
    const { payload, header } = await signed();
    let sent = false;
    shop.node.before(async (method) => {
      // The first call that shows the signature: the estimate of its gas.
      if (!['eth_fillTransaction', 'eth_estimateGas'].includes(method) || sent) return;
      sent = true;
      await sendAsStranger(shop.chain, payload);
    });
    const made = await attempt(shop.url + DEALS, header);
    assert.deepEqual(
      [made.status, made.json['payment_error'], made.json['billed']],
      [402, 'settlement_simulation_failed', false],
    );
    assert.deepEqual(await alerts(), ['sent_by_others']);
    assert.equal(shop.server.running.audit.last().sentByOthers, 1);
    const own = (await shop.purchases()).find((p) => p.payment.nonce === made.nonce.toLowerCase());
    assert.equal(own?.state, 'sold');
    assert.notEqual(await shop.server.running.ledger.answerOf(own.id), null);
  });
});

const switches = parseAbi([
  'function setPaused(bool isPaused)',
  'function setBlacklisted(address account, bool isBlocked)',
]);

describe('a token', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());
  const undo: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const one of undo.splice(0)) await one();
  });

  /** Send a switch of the token, until the end of the test. */
  const switchOn = async (dataOf: (isOn: boolean) => Hex): Promise<void> => {
    const account = privateKeyToAccount(shop.chain.gasKey);
    const sender = createWalletClient({ chain: base, transport: http(shop.chain.rpcUrl), account });
    const send = async (isOn: boolean): Promise<void> => {
      const hash = await sender.sendTransaction({ to: USDC, data: dataOf(isOn) });
      await shop.admin.waitForTransactionReceipt({ hash });
    };
    await send(true);
    undo.push(() => send(false));
  };
  const pause = (): Promise<void> =>
    switchOn((isOn) => encodeFunctionData({ abi: switches, functionName: 'setPaused', args: [isOn] }));
  const block = (account: Hex): Promise<void> =>
    switchOn((isOn) => encodeFunctionData({ abi: switches, functionName: 'setBlacklisted', args: [account, isOn] }));
  const told = async (response: Response): Promise<unknown[]> => {
    const { reason, billed } = await bodyOf(response);
    return [response.status, reason, billed];
  };

  it('that blocks a payer causes a 402 for that payer only', async () => {
    const [blocked, other] = [await shop.buyer(), await shop.buyer()];
    await block(blocked.address);
    const [url, settlements] = [shop.url + DEALS, shop.facilitator.settlements()];
    assert.deepEqual(await told(await fetchWithPayment(url, await blocked.sign(url))), [402, 'payer_blocked', false]);
    assert.equal(shop.facilitator.settlements(), settlements);
    assert.equal((await fetchWithPayment(url, await other.sign(url))).status, 200);
  });

  for (const [reason, stop] of [
    ['token_paused', pause],
    ['pay_to_blocked', () => block(shop.payTo)],
  ] as const) {
    it(`stops every sale with 503 ${reason}, before anything is signed, and warns the operator`, async () => {
      const url = shop.url + DEALS;
      const { running } = shop.server;
      const payment = await (await shop.buyer()).sign(url);
      await stop();
      const refused = await fetchWithPayment(url, payment);
      assert.equal(refused.headers.get('Retry-After'), '3600');
      assert.deepEqual(await told(refused), [503, reason, false]);
      await running.token.pass();
      assert.deepEqual(await told(await fetch(url)), [503, reason, false]);
      const { warnings } = await paymentHealth(running, Date.now)();
      assert.equal(warnings.filter(({ code }) => code === reason).length, 1, JSON.stringify(warnings));
      for (const one of undo.splice(0)) await one();
      await running.token.pass();
      assert.equal((await fetch(url)).status, 402);
      assert.equal((await fetchWithPayment(url, payment)).status, 200, 'the payment is still good');
    });
  }

  it('without these functions is not USDC, and the server does not start', async () => {
    await shop.admin.setCode({ address: USDC, bytecode: codeOf('AcceptsAnything') });
    await assert.rejects(serve(readServerSettings(shop.env)), {
      name: 'SettingError',
      message: /^RPC_URL is not shown, expected a node of Base: the contract 0x\w+ of this chain does not answer/,
    });
  });
});
