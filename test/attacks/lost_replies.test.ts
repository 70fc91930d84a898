/** A facilitator loses its reply, and another one is asked to settle the same payment: it is paid once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, checkBooks, reasonOf, type Attempt } from './books.ts';
import {
  hangsUp,
  honest,
  onlyHangsUp,
  refusesBeforeSettling,
  type FacilitatorServer,
  type SettleBehavior,
} from '../shop/facilitators.ts';
import { DEALS, DOLLAR, openShop, type Shop } from '../shop/shop.ts';

const PRICE = 50_000n;
/** When a transfer arrives that was not requested at once. */
const LATER_MS = 300;

describe('two facilitators', () => {
  let shop: Shop;
  let second: FacilitatorServer;
  before(async () => {
    shop = await openShop({ hasSecond: true });
    second = shop.second ?? assert.fail('no second facilitator');
  });
  after(() => shop.close());

  const buy = async (): Promise<Attempt> => {
    const buyer = await shop.buyer(DOLLAR);
    return attempt(shop.url + DEALS, await buyer.sign(shop.url + DEALS), buyer.signIn);
  };
  /** Buy while they behave like this, then let the first one be the preferred one again. */
  const sell = async (first: SettleBehavior, other: SettleBehavior) => {
    shop.facilitator.behave(first);
    second.behave(other);
    const earlier = [shop.facilitator.settlements(), second.settlements()] as const;
    const bought = await buy();
    const asked = [shop.facilitator.settlements() - earlier[0], second.settlements() - earlier[1]];
    await pause(2 * LATER_MS);
    shop.facilitator.behave(honest);
    second.behave(onlyHangsUp);
    const next = await buy();
    assert.equal(next.status, 200);
    return { bought, next, asked };
  };
  const takings = (): Promise<bigint> => shop.chain.balanceOf(shop.payTo);

  it('are tried in turn if the first settles and loses its reply: paid once, and answered', async () => {
    const start = await takings();
    const { bought, next, asked } = await sell(hangsUp, honest);
    assert.equal(bought.status, 200);
    assert.deepEqual(asked, [1, 1]);
    assert.equal((await takings()) - start, 2n * PRICE, 'this purchase and the next one');
    await checkBooks(shop, [bought, next]);
  });

  it('are not tried in turn after a refusal, which may come although the money moves', async () => {
    const start = await takings();
    const { bought, next, asked } = await sell(refusesBeforeSettling('insufficient_funds', LATER_MS), honest);
    assert.deepEqual(asked, [1, 0]);
    await shop.resolve();
    assert.ok(['200', '502 settlement_unknown'].includes(`${bought.status} ${reasonOf(bought)}`.trim()));
    assert.equal((await takings()) - start, 2n * PRICE);
    await checkBooks(shop, [bought, next]);
  });
});
