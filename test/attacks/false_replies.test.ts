/**
 * A facilitator that says something false: "settled" with any transaction, "refused" although the money moved, or
 * nothing. The chain decides, and no charged buyer reads `billed: false`. The forms of a reply are those of
 * http_facilitator.test.ts.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, checkBooks, namedTransaction, paidIn, reasonOf, type Attempt } from './books.ts';
import {
  honest,
  namesTransaction,
  onlyClaimsToSettle,
  refusesAfterSettling,
  refusesBeforeSettling,
  type SettleBehavior,
} from '../shop/facilitators.ts';
import { DEALS, EXCLUSIVE, KENT, openShop, WAYNE, type Shop } from '../shop/shop.ts';

const WRONG = `0x${'ab'.repeat(32)}`;

describe('a facilitator', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  const buy = async (path: string, behavior: SettleBehavior): Promise<Attempt> => {
    const buyer = await shop.buyer();
    shop.facilitator.behave(behavior);
    const made = await attempt(shop.url + path, await buyer.sign(shop.url + path), buyer.signIn);
    shop.facilitator.behave(honest);
    return made;
  };
  const isUnknown = (made: Attempt): void => {
    assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
  };
  /** The buyer is charged; the response names the chain's transaction, or says that the outcome is not known yet. */
  const isByTheChain = async (made: Attempt): Promise<void> => {
    const { payer, nonce } = made;
    for (let i = 0; i < 200 && !(await paidIn(shop, payer, nonce)); i += 1) await pause(50);
    const paid = (await paidIn(shop, payer, nonce)) ?? assert.fail('the transfer did not happen');
    if (made.status === 200) assert.equal(namedTransaction(made.headers), paid.transaction);
    else isUnknown(made);
  };

  for (const [name, lead, behavior] of [
    ['settles and names a wrong transaction', WAYNE, namesTransaction(WRONG)],
    ['refuses and settles later', KENT, refusesBeforeSettling('insufficient_funds', 600)],
  ] as const) {
    it(`that ${name} leaves the buyer served and the lead taken`, async () => {
      const charged = await buy(lead, behavior);
      const next = await buy(lead, honest);
      const list = await buy(DEALS, behavior);
      await isByTheChain(charged);
      await isByTheChain(list);
      await shop.resolve();
      const last = await buy(lead, honest);
      await checkBooks(shop, [charged, list, next, last]);
      for (const other of [next, last]) assert.equal(`${other.status} ${reasonOf(other)}`, '404 no_matches');
    });
  }

  it('that names no transaction, or refuses for any reason, is not believed', async () => {
    const reasons = ['insufficient_funds', 'not_a_reason'];
    const attempts = [await buy(DEALS, namesTransaction(''))];
    for (const reason of reasons) attempts.push(await buy(DEALS, refusesAfterSettling(200, reason)));
    for (const made of attempts) await isByTheChain(made);
    await checkBooks(shop, attempts);
  });

  for (const [name, transaction] of [
    ['no', ''],
    ['an unknown', WRONG],
  ] as const) {
    it(`that only claims to settle, naming ${name} transaction, sells nothing`, async () => {
      const start = await shop.chain.balanceOf(shop.payTo);
      const attempts: Attempt[] = [];
      for (const path of [DEALS, EXCLUSIVE]) attempts.push(await buy(path, onlyClaimsToSettle(transaction)));
      await checkBooks(shop, attempts);
      attempts.forEach(isUnknown);
      assert.equal(await shop.chain.balanceOf(shop.payTo), start);
    });
  }

  it('that names the transaction of another purchase sells only what was paid', async () => {
    const paid = await buy(DEALS, honest);
    const earlier = (await paidIn(shop, paid.payer, paid.nonce)) ?? assert.fail('the transfer did not happen');
    const claimed: Attempt[] = [];
    for (let i = 0; i < 3; i += 1) claimed.push(await buy(DEALS, onlyClaimsToSettle(earlier.transaction)));
    const settled = await buy(DEALS, namesTransaction(earlier.transaction));
    await isByTheChain(settled);
    await checkBooks(shop, [paid, ...claimed, settled]);
    claimed.forEach(isUnknown);
  });
});
