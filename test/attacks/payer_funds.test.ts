/** Payers who sign more than they have hold few leads and get the reason; other buyers still buy. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createWalletClient, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from '../../api/payments/chain/evm_chain.ts';
import { USDC } from '../../lib/network.ts';
import { buyerWith } from '../api/support/buyers.ts';
import { attempt, checkBooks, outcomes, reasonOf, untilHeldOrAnswered, type Attempt } from './books.ts';
import { randomAddress } from './wallets.ts';
import { gated, honest } from '../shop/facilitators.ts';
import { DOLLAR, EXCLUSIVE, LEADS, openShop, type Shop } from '../shop/shop.ts';

const AT_ONCE = 12;
const token = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);
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

  it('that moves its money away during each settlement, and back at once, holds three leads a day', async () => {
    const [key, hidden] = [generatePrivateKey(), randomAddress()];
    const payer = buyerWith(key);
    const wallet = createWalletClient({
      account: privateKeyToAccount(key),
      chain: base,
      transport: http(shop.chain.rpcUrl),
    });
    await shop.admin.setBalance({ address: payer.address, value: 10n ** 18n });
    await shop.chain.mint(payer.address, 4n * DOLLAR);
    const path = shop.url + EXCLUSIVE;
    const present = async (url = path): Promise<Attempt> => attempt(url, await payer.sign(url), payer.signIn);
    const other = await shop.buyer();
    const list = `${shop.url}/api/deals`;
    // Both bought before: the leads that payers who never bought hold together are not theirs.
    const attempts = [await present(list), await attempt(list, await other.sign(list), other.signIn)];
    shop.facilitator.behave(async ({ settle, reply }) => {
      const args = [hidden, 4n * DOLLAR] as const;
      const hash = await wallet.writeContract({ address: USDC, abi: token, functionName: 'transfer', args });
      await shop.admin.waitForTransactionReceipt({ hash });
      const settled = await settle();
      await shop.chain.mint(payer.address, 4n * DOLLAR);
      reply(200, settled);
    });
    attempts.push(await present(), await present(), await present());
    shop.facilitator.behave(honest);
    assert.deepEqual(outcomes(attempts), { 200: 2, '502 settlement_unknown': 3 });
    attempts.push(await attempt(path, await other.sign(path), other.signIn));
    assert.equal(attempts.at(-1)?.status, 200);
    // The payments expire: they are void in a safe block.
    await shop.admin.increaseTime({ seconds: 120 });
    await shop.mine(5);
    await shop.server.running.watch.pass();
    const own = (await shop.purchases()).filter((p) => p.payment.payer === payer.address.toLowerCase());
    const ended = own.filter(({ leadId }) => leadId !== null);
    assert.deepEqual(
      ended.map(({ state, why }) => `${state} ${why}`),
      Array.from({ length: 3 }, () => 'released expired_unused'),
    );
    const refused = await present();
    assert.deepEqual(
      [refused.status, reasonOf(refused), refused.json['billed']],
      [429, 'payer_unbilled_too_often', false],
    );
    const seconds = Number(refused.headers.get('Retry-After'));
    assert.ok(seconds > 80_000 && seconds <= 86_400, `Retry-After: ${seconds}`);
    await checkBooks(shop, [...attempts, refused]);
  });
});
