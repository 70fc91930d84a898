/** Payers who sign more than they have hold few leads and get the reason; other buyers still buy. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { attempt, checkBooks, outcomes, reasonOf, untilHeldOrAnswered, type Attempt } from './books.ts';
import { gated, honest } from '../shop/facilitators.ts';
import { DOLLAR, EXCLUSIVE, LEADS, openShop, type Shop } from '../shop/shop.ts';

const AT_ONCE = 12;
/** Leads that new payers may hold together, at most. */
const MAX_HELD_TOGETHER = 9;
/** More than that. */
const MANY = 11;

describe('a payer', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());
  afterEach(() => {
    shop.facilitator.behave(honest);
  });

  const claimedLeads = async (): Promise<number> => (await shop.server.running.ledger.claimedLeads(Date.now())).size;
  /** Sign 12 payments, present them at once, and count the leads that are held before any settlement. */
  const rush = async (units: bigint, path: string): Promise<{ attempts: Attempt[]; other: Attempt; held: number }> => {
    const payer = await shop.buyer(units);
    const headers = await Promise.all(Array.from({ length: AT_ONCE }, () => payer.sign(shop.url + path)));
    const gate = gated();
    shop.facilitator.behave(gate.behavior);
    const [claimedBefore, settlementsBefore] = [await claimedLeads(), shop.facilitator.settlements()];
    const rushed = headers.map((header) => attempt(shop.url + path, header, payer.signIn));
    await untilHeldOrAnswered(shop, rushed, settlementsBefore);
    const held = (await claimedLeads()) - claimedBefore;
    shop.facilitator.behave(honest);
    const buyer = await shop.buyer();
    const other = await attempt(shop.url + path, await buyer.sign(shop.url + path), buyer.signIn);
    gate.open();
    return { attempts: await Promise.all(rushed), other, held };
  };
  const isTyped = (attempts: readonly Attempt[]): void => {
    const expected = [
      '200',
      '402 payer_without_funds',
      '429 too_many_open_purchases',
      '429 too_many_held_leads',
      '429 payer_unbilled_too_often',
      '502 settlement_unknown',
    ];
    for (const made of attempts) {
      const outcome = `${made.status} ${reasonOf(made)}`.trim();
      assert.ok(expected.includes(outcome), outcome);
      if (made.status === 402 || made.status === 429) assert.equal(made.json['billed'], false);
      if (made.status === 429) assert.notEqual(made.headers.get('Retry-After'), null);
    }
  };

  it('with funds for one lead who signs 12 at once holds one, and others buy meanwhile', async () => {
    const { attempts, other, held } = await rush(DOLLAR, EXCLUSIVE);
    assert.ok(held <= 1, `${held} leads are held: ${JSON.stringify(outcomes(attempts))}`);
    assert.equal(other.status, 200);
    isTyped(attempts);
    assert.ok(attempts.some((made) => reasonOf(made) === 'payer_without_funds'));
    await checkBooks(shop, [...attempts, other]);
  });

  it('is one of many who take one lead each, and together they hold only a share of the pool', async () => {
    const payers = await Promise.all(Array.from({ length: MANY }, () => shop.buyer(DOLLAR)));
    const headers = await Promise.all(payers.map((payer) => payer.sign(shop.url + EXCLUSIVE)));
    shop.facilitator.behave(async ({ reply }) => {
      reply(500, { error: 'busy' });
    });
    const claimedBefore = await claimedLeads();
    const present = (header: string, i: number): Promise<Attempt> =>
      attempt(shop.url + EXCLUSIVE, header, payers[i]?.signIn);
    const attempts = await Promise.all(headers.map(present));
    shop.facilitator.behave(honest);
    const held = (await claimedLeads()) - claimedBefore;
    assert.ok(held <= MAX_HELD_TOGETHER, `${held} of ${LEADS} leads are held: ${JSON.stringify(outcomes(attempts))}`);
    const refused = attempts.filter((made) => made.status !== 502);
    for (const made of refused) {
      assert.equal(`${made.status} ${reasonOf(made)}`, '503 lead_pool_held');
      assert.notEqual(made.headers.get('Retry-After'), null);
    }
    await checkBooks(shop, attempts);
  });
});
