/**
 * A facilitator that loses its reply, where another one is asked to settle the same payment, and one that says
 * something false: "settled" with any transaction, or "refused" although the money moved. The chain decides, a payment
 * is paid once, and no charged buyer reads `billed: false`. The forms of a reply are those of http_facilitator.test.ts.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, checkBooks, namedTransaction, paidIn, reasonOf, type Attempt } from './books.ts';
import {
  hangsUp,
  honest,
  namesTransaction,
  saysItSettled,
  onlyHangsUp,
  refusesAfterSettling,
  refusesBeforeSettling,
  type FacilitatorServer,
  type SettleBehavior,
} from '../support/facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, KENT, openShop, WAYNE, type Shop } from '../support/shop.ts';

const PRICE = 50_000n;
/** When a transfer arrives that was not requested at once. */
const LATER_MS = 300;

const WRONG = `0x${'ab'.repeat(32)}`;

describe('a shop with two facilitators', () => {
  let shop: Shop;
  let second: FacilitatorServer;
  before(async () => {
    shop = await openShop({ hasSecond: true });
    second = shop.second ?? assert.fail('no second facilitator');
  });
  after(() => shop.close());
  afterEach(() => {
    shop.facilitator.behave(honest);
    second.behave(honest);
  });

  describe('two facilitators', () => {
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

    it('are tried in turn if the first settles and loses its reply: the buyer pays once and is served', async () => {
      const start = await takings();
      const { bought, next, asked } = await sell(hangsUp, honest);
      assert.equal(bought.status, 200);
      assert.deepEqual(asked, [1, 1]);
      assert.equal((await takings()) - start, 2n * PRICE, 'this purchase and the next one');
      await checkBooks(shop, [bought, next]);
    });

    it('are not tried in turn after a refusal, because the money may move anyway', async () => {
      const start = await takings();
      const { bought, next, asked } = await sell(refusesBeforeSettling('insufficient_funds', LATER_MS), honest);
      assert.deepEqual(asked, [1, 0]);
      await shop.resolve();
      assert.ok(['200', '502 settlement_unknown'].includes(`${bought.status} ${reasonOf(bought)}`.trim()));
      assert.equal((await takings()) - start, 2n * PRICE);
      await checkBooks(shop, [bought, next]);
    });
  });

  describe('a facilitator', () => {
    const buyWhile = async (path: string, behavior: SettleBehavior): Promise<Attempt> => {
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
        const charged = await buyWhile(lead, behavior);
        const next = await buyWhile(lead, honest);
        const list = await buyWhile(DEALS, behavior);
        await isByTheChain(charged);
        await isByTheChain(list);
        await shop.resolve();
        const last = await buyWhile(lead, honest);
        await checkBooks(shop, [charged, list, next, last]);
        for (const other of [next, last]) assert.equal(`${other.status} ${reasonOf(other)}`, '404 no_matches');
      });
    }

    it('is never trusted: the chain alone decides whether a payment settled', async () => {
      const paid = await buyWhile(DEALS, honest);
      const earlier = (await paidIn(shop, paid.payer, paid.nonce)) ?? assert.fail('the transfer did not happen');
      const start = await shop.chain.balanceOf(shop.payTo);
      const lied: Attempt[] = [];
      for (const [path, transaction] of [
        [DEALS, ''],
        [EXCLUSIVE, WRONG],
        [DEALS, earlier.transaction],
      ] as const)
        lied.push(await buyWhile(path, saysItSettled(transaction)));
      lied.forEach(isUnknown);
      assert.equal(await shop.chain.balanceOf(shop.payTo), start);
      const settled: Attempt[] = [];
      for (const behavior of [
        namesTransaction(''),
        namesTransaction(earlier.transaction),
        refusesAfterSettling(200, 'insufficient_funds'),
      ])
        settled.push(await buyWhile(DEALS, behavior));
      for (const made of settled) await isByTheChain(made);
      await checkBooks(shop, [paid, ...lied, ...settled]);
    });
  });
});
