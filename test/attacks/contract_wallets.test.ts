/** Contract wallets whose check depends on the gas price, burns gas or never ends, or that sign as they should. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { concat, type Hex } from 'viem';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf, type ContractName } from '../api/support/contracts.ts';
import { attempt, checkBooks, gasSpent, outcomes, type Attempt } from './books.ts';
import { DEALS, EXCLUSIVE, openShop, type Shop } from '../shop/shop.ts';
import { thorough } from '../thorough.ts';
import { headerOf, randomAddress, signInAs } from './wallets.ts';

/** Open purchases that one payer may have, at most. */
const MAX_OPEN = 4;
const AT_ONCE = 7;
const COSTLY = (['BurnsTenMillionGas', 'NeverReturns', 'ReturnsOneMegabyte'] as const).slice(0, thorough(1, 3));
describe('the wallets of contracts', () => {
  let shop: Shop;
  let selfShop: Shop;
  before(async () => {
    [shop, selfShop] = await Promise.all([openShop(), openShop({ mode: 'self' })]);
  });
  after(() => Promise.all([shop.close(), selfShop.close()]));

  describe('a contract wallet', () => {
    const walletOf = async (name: ContractName, at = shop): Promise<Hex> => {
      const address = randomAddress();
      await at.contract(address, codeOf(name));
      return address;
    };
    const present = async (payer: Hex, path: string, count: number, { url } = shop): Promise<Attempt[]> => {
      const asked = await fetchPaymentRequired(url + path);
      const headers = Array.from({ length: count }, () => headerOf(asked, payer, '0x1234'));
      return Promise.all(headers.map((header) => attempt(url + path, header, signInAs(payer))));
    };
    const openPurchases = async (payer: Hex): Promise<number> => {
      const own = (await shop.purchases()).filter((p) => p.payment.payer === payer.toLowerCase());
      return own.filter((p) => p.state === 'reserved' || p.state === 'settling').length;
    };
    const allRefused = (attempts: readonly Attempt[]): void => {
      assert.deepEqual(outcomes(attempts), { '402 contract_wallet_refused': attempts.length });
      for (const { json } of attempts) assert.equal(json['billed'], false);
    };

    it('that signs only at gas price 0 holds no leads, and has few open purchases of ordinary answers', async () => {
      const payer = await walletOf('ValidAtNoGasPrice');
      const attempts = await present(payer, EXCLUSIVE, AT_ONCE);
      allRefused(attempts);
      assert.equal((await shop.server.running.ledger.claimedLeads(Date.now())).size, 0);
      const ordinary = await present(payer, DEALS, AT_ONCE);
      assert.ok((await openPurchases(payer)) <= MAX_OPEN, JSON.stringify(outcomes(ordinary)));
      const refused = ['402 payment_invalid', '402 contract_wallet_refused', '429 too_many_open_purchases'];
      for (const outcome of Object.keys(outcomes(ordinary)))
        assert.ok([...refused, '502 settlement_unknown'].includes(outcome), outcome);
      await checkBooks(shop, [...attempts, ...ordinary]);
    });

    it('that is costly to ask costs our own key no gas, and is refused before a settlement is requested', async () => {
      for (const name of [...COSTLY, 'AcceptsAnything'] as const) {
        const firstBlock = await selfShop.admin.getBlockNumber();
        const payer = await walletOf(name, selfShop);
        const lists = await present(payer, DEALS, 3, selfShop);
        const attempts = [...lists, ...(await present(payer, EXCLUSIVE, 1, selfShop))];
        assert.equal(await gasSpent(selfShop, firstBlock), 0n, name);
        allRefused(attempts);
        await checkBooks(selfShop, attempts);
      }
      for (const name of COSTLY) {
        const { settlements } = shop.facilitator;
        const [earlier, payer] = [settlements(), await walletOf(name)];
        const attempts = await present(payer, DEALS, 3);
        for (const { status, json } of attempts) assert.deepEqual([status, json['billed']], [402, false], name);
        assert.deepEqual([settlements(), await openPurchases(payer)], [earlier, 0], name);
        await checkBooks(shop, attempts);
      }
    });

    it('that signs buys an ordinary answer and no exclusive lead, as an account that delegates', async () => {
      const payer = await walletOf('AcceptsAnything');
      const ordinary = await present(payer, DEALS, 1);
      const exclusive = await present(payer, EXCLUSIVE, 1);
      await checkBooks(shop, [...ordinary, ...exclusive]);
      assert.deepEqual(outcomes(ordinary), { 200: 1 });
      allRefused(exclusive);
      const account = await shop.buyer();
      const signed = await account.sign(shop.url + EXCLUSIVE);
      await shop.admin.setCode({ address: account.address, bytecode: concat(['0xef0100', payer]) });
      allRefused([await attempt(shop.url + EXCLUSIVE, signed)]);
    });
  });
});
