/** A token whose issuer has paused it, or blocks an account, on the local chain: typed refusals, and a warning. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createWalletClient, encodeFunctionData, http, parseAbi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { serve } from '../../../api/http/serve.ts';
import { base } from '../support/base.ts';
import { paymentHealth } from '../../../api/payments/health.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { USDC } from '../../../lib/network.ts';
import { DEALS, openShop, type Shop } from '../../support/shop.ts';
import { bodyOf, fetchWithPayment } from '../support/buyers.ts';
import { codeOf } from '../support/contracts.ts';

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

  it('that blocks a payer refuses that payer with 402, and no other', async () => {
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

  it('without these functions is no USDC, and no server starts on it', async () => {
    await shop.admin.setCode({ address: USDC, bytecode: codeOf('AcceptsAnything') });
    await assert.rejects(serve(readServerSettings(shop.env)), {
      name: 'SettingError',
      message: /^RPC_URL is not shown, expected a node of Base: the contract 0x\w+ of this chain does not answer/,
    });
  });
});
