/**
 * A contract wallet that accepts any bytes signs many payments with the same bytes. A facilitator that remembers
 * pending settlements by signature reports one transaction for all of them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Hex } from 'viem';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';
import { attempt, checkBooks, outcomes, untilHeldOrAnswered, type Attempt } from './books.ts';
import { gated, honest } from '../shop/facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Shop, type ShopOptions } from '../shop/shop.ts';
import { thorough } from '../thorough.ts';
import { headerOf, randomAddress, signInAs } from './wallets.ts';

const SIGNATURE = '0x1234';
/** `make prove` tries 30. */
const NONCES = thorough(5, 30);
const PRICES: Readonly<Record<Path, bigint>> = { [DEALS]: DOLLAR / 20n, [EXCLUSIVE]: DOLLAR };

type Path = typeof DEALS | typeof EXCLUSIVE;

describe('one signature for many payments of a wallet that accepts anything', () => {
  let shop: Shop;
  /** Open the shop that the tests of a describe share. */
  const share = (options: ShopOptions): void => {
    before(async () => {
      shop = await openShop(options);
    });
    after(() => shop.close());
  };

  const wallet = async (units: bigint): Promise<Hex> => {
    const address = randomAddress();
    await shop.contract(address, codeOf('AcceptsAnything'), units);
    return address;
  };
  const begin = async (payer: Hex, path: string, count: number): Promise<Promise<Attempt>[]> => {
    const asked = await fetchPaymentRequired(shop.url + path);
    const headers = Array.from({ length: count }, () => headerOf(asked, payer, SIGNATURE));
    return headers.map((header) => attempt(shop.url + path, header, signInAs(payer)));
  };
  const present = async (payer: Hex, path: string, count: number): Promise<Attempt[]> =>
    Promise.all(await begin(payer, path, count));
  /** One payment goes pending while blocks stop. Once it is mined, others follow with its signature. */
  const collideOnce = async (path: Path, payer: Hex): Promise<Attempt[]> => {
    await shop.stopBlocks();
    const pending = await present(payer, path, 1);
    await shop.mine();
    await shop.admin.setAutomine(true);
    return [...pending, ...(await present(payer, path, NONCES))];
  };
  /** The same over HTTP; the facilitator starts all held settlements at once. */
  const collideTogether = async (path: Path): Promise<Attempt[]> => {
    const payer = await wallet(2n * PRICES[path]);
    await shop.stopBlocks();
    const pending = await present(payer, path, 1);
    await shop.mine();
    await shop.admin.setAutomine(true);
    const gate = gated();
    shop.facilitator.behave(gate.behavior);
    const settlementsBefore = shop.facilitator.settlements();
    const others = await begin(payer, path, NONCES);
    await untilHeldOrAnswered(shop, others, settlementsBefore);
    gate.open();
    const attempts = [...pending, ...(await Promise.all(others))];
    shop.facilitator.behave(honest);
    await checkBooks(shop, attempts);
    return attempts;
  };
  const isContractWalletRefused = (attempts: readonly Attempt[]): void => {
    assert.deepEqual(outcomes(attempts), { '402 contract_wallet_refused': attempts.length });
    for (const { json } of attempts) assert.equal(json['billed'], false);
  };
  const isPaidOrRefused = (attempts: readonly Attempt[]): void => {
    const seen = JSON.stringify(outcomes(attempts));
    for (const { status } of attempts) assert.ok([200, 402, 429, 502].includes(status), seen);
    assert.ok(attempts.filter(({ status }) => status === 200).length <= 2);
  };

  describe('over HTTP', () => {
    share({ receiptTimeoutMs: 300 });

    it('buys no exclusive lead', async () => {
      isContractWalletRefused(await collideTogether(EXCLUSIVE));
    });

    it('buys no answer that was not paid', async () => {
      isPaidOrRefused(await collideTogether(DEALS));
    });
  });

  describe('in the sandbox', () => {
    share({ mode: 'sandbox' });

    for (const [path, check] of [
      [EXCLUSIVE, isContractWalletRefused],
      [DEALS, isPaidOrRefused],
    ] as const) {
      it(path === EXCLUSIVE ? 'buys no exclusive lead' : 'buys no answer that was not paid', async () => {
        const attempts = await collideOnce(path, await wallet(2n * PRICES[path]));
        await checkBooks(shop, attempts);
        check(attempts);
      });
    }
  });
});
