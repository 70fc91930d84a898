/**
 * A facilitator that loses its reply, or says something false: "settled" with any transaction, or "refused" although
 * the money moved. The chain decides, and no charged buyer reads `billed: false`.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, checkBooks, namedTransaction, paidIn, reasonOf, type Attempt } from './books.ts';
import {
  hangsUp,
  honest,
  namesTransaction,
  onlyClaimsToSettle,
  refusesBeforeSettling,
  type SettleBehavior,
} from '../shop/facilitators.ts';
import { DEALS, EXCLUSIVE, KENT, openShop, type Shop } from '../shop/shop.ts';

const WRONG = `0x${'ab'.repeat(32)}`;

describe('a facilitator', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());
  afterEach(() => shop.facilitator.behave(honest));

  const buyWhile = async (path: string, behavior: SettleBehavior): Promise<Attempt> => {
    const buyer = await shop.buyer();
    shop.facilitator.behave(behavior);
    return attempt(shop.url + path, await buyer.sign(shop.url + path), buyer.signIn);
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

  it('that refuses and settles later leaves the buyer served and the lead taken', async () => {
    const charged = await buyWhile(KENT, refusesBeforeSettling('insufficient_funds', 600));
    await isByTheChain(charged);
    await shop.resolve();
    const next = await buyWhile(KENT, honest);
    await checkBooks(shop, [charged, next]);
    assert.equal(`${next.status} ${reasonOf(next)}`, '404 no_matches');
  });

  it('that claims sells nothing; one that names none, a wrong one or loses its reply has sold', async () => {
    const start = await shop.takings();
    const claimed = [
      await buyWhile(DEALS, onlyClaimsToSettle('')),
      await buyWhile(EXCLUSIVE, onlyClaimsToSettle(WRONG)),
    ];
    claimed.forEach(isUnknown);
    assert.equal(await shop.takings(), start);
    const settled: Attempt[] = [];
    for (const behavior of [namesTransaction(''), namesTransaction(WRONG), hangsUp])
      settled.push(await buyWhile(DEALS, behavior));
    for (const made of settled) await isByTheChain(made);
    await checkBooks(shop, [...claimed, ...settled]);
  });
});
