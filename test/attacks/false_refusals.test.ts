/** A facilitator refuses although the money moved. The chain decides; no charged buyer reads `billed: false`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt, checkBooks, paidIn, reasonOf, type Attempt } from './books.ts';
import { honest, refusesAfterSettling, refusesBeforeSettling, type SettleBehavior } from './facilitators.ts';
import { DEALS, KENT, MACOMB, OAKLAND, openAttackedShop, WAYNE, type AttackedShop } from './shop.ts';

describe('a refusal after the money moved', () => {
  let shop: AttackedShop;
  before(async () => {
    shop = await openAttackedShop();
  });
  after(() => shop.close());

  const untilPaid = async ({ payer, nonce }: Attempt): Promise<void> => {
    for (let i = 0; i < 200 && !(await paidIn(shop, payer, nonce)); i += 1) await pause(50);
    assert.ok(await paidIn(shop, payer, nonce), 'the transfer did not happen');
  };
  const buy = async (path: string): Promise<Attempt> => {
    const buyer = await shop.buyer();
    return attempt(shop.url + path, await buyer.sign(shop.url + path), buyer.signIn);
  };
  /** One buyer is charged and refused; others want the same lead, right after and once everything is resolved. */
  const refuse = async (path: string, behavior: SettleBehavior): Promise<void> => {
    shop.facilitator.behave(behavior);
    const refused = await buy(path);
    shop.facilitator.behave(honest);
    const next = await buy(path);
    await untilPaid(refused);
    await shop.resolve();
    const last = await buy(path);
    await checkBooks(shop, [refused, next, last]);
    const outcome = `${refused.status} ${reasonOf(refused)}`.trim();
    assert.ok(['200', '502 settlement_unknown'].includes(outcome), outcome);
    for (const other of [next, last]) assert.equal(`${other.status} ${reasonOf(other)}`, '404 no_matches');
  };

  it('as insufficient_funds with status 200 leaves the buyer served and the lead taken', () =>
    refuse(WAYNE, refusesAfterSettling(200, 'insufficient_funds')));

  it('as insufficient_funds with status 400 leaves the buyer served and the lead taken', () =>
    refuse(OAKLAND, refusesAfterSettling(400, 'insufficient_funds')));

  it('as invalid_exact_evm_insufficient_balance with HTTP 500 leaves the buyer served and the lead taken', () =>
    refuse(MACOMB, refusesAfterSettling(500, 'invalid_exact_evm_insufficient_balance')));

  it('that lands after the response leaves the buyer served and the lead taken', () =>
    refuse(KENT, refusesBeforeSettling('insufficient_funds', 600)));

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
