/** A facilitator that refuses after the money moved. The chain decides; no buyer is told that nothing was charged. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, checkBooks, paidIn, reasonOf, type Attempt } from './books.ts';
import { honest, refusesAfterSettling, refusesBeforeSettling, type SettleBehavior } from './facilitators.ts';
import { DEALS, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

/** One lead matches. */
const ONE_LEAD = `${EXCLUSIVE}?county=wayne`;

describe('a refusal after the money moved', () => {
  let shop: AttackedShop;
  beforeEach(async () => {
    shop = await openAttackedShop();
  });
  afterEach(() => shop.close());

  const untilPaid = async ({ payer, nonce }: Attempt): Promise<void> => {
    for (let i = 0; i < 200 && !(await paidIn(shop, payer, nonce)); i += 1) await pause(50);
    assert.ok(await paidIn(shop, payer, nonce), 'the transfer did not happen');
  };
  const buy = async (path: string): Promise<Attempt> => {
    const buyer = await shop.buyer();
    return attempt(shop.url + path, await buyer.sign(shop.url + path), buyer.signIn);
  };
  /** One buyer is charged and refused; others want the same lead, right after and once everything is resolved. */
  const refuse = async (behavior: SettleBehavior): Promise<void> => {
    shop.facilitator.behave(behavior);
    const refused = await buy(ONE_LEAD);
    shop.facilitator.behave(honest);
    const next = await buy(ONE_LEAD);
    await untilPaid(refused);
    await shop.resolve();
    const last = await buy(ONE_LEAD);
    await checkBooks(shop, [refused, next, last]);
    const outcome = `${refused.status} ${reasonOf(refused)}`.trim();
    assert.ok(['200', '502 settlement_unknown'].includes(outcome), outcome);
    for (const other of [next, last]) assert.equal(`${other.status} ${reasonOf(other)}`, '404 no_matches');
  };

  it('as insufficient_funds with status 200 leaves the buyer served and the lead taken', () =>
    refuse(refusesAfterSettling(200, 'insufficient_funds')));

  it('as insufficient_funds with status 400 leaves the buyer served and the lead taken', () =>
    refuse(refusesAfterSettling(400, 'insufficient_funds')));

  it('as invalid_exact_evm_insufficient_balance with HTTP 500 leaves the buyer served and the lead taken', () =>
    refuse(refusesAfterSettling(500, 'invalid_exact_evm_insufficient_balance')));

  it('that lands three seconds after the refusal leaves the buyer served and the lead taken', () =>
    refuse(refusesBeforeSettling('insufficient_funds', 3_000)));

  it('is not believed whatever its reason, and no reply says settlement_failed', async () => {
    const attempts: Attempt[] = [];
    const reasons = ['insufficient_funds', 'invalid_exact_evm_signature', 'unsupported_scheme', 'not_a_reason', ''];
    for (const reason of reasons) {
      shop.facilitator.behave(refusesAfterSettling(200, reason));
      attempts.push(await buy(DEALS));
    }
    shop.facilitator.behave(honest);
    await checkBooks(shop, attempts);
    assert.deepEqual(
      attempts.filter((made) => reasonOf(made) === 'settlement_failed'),
      [],
    );
  });
});
