/**
 * A facilitator that settles and replies with 60 MB, malformed JSON, or not at all. The chain decides. The proof
 * measures the memory of a server.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { attempt, checkBooks, reasonOf, type Attempt } from './books.ts';
import {
  hangsUp,
  honest,
  neverReplies,
  repliesAtLength,
  repliesInPieces,
  repliesMalformed,
  type SettleBehavior,
} from './facilitators.ts';
import { DEALS, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

const MEGABYTE = 1_000_000;
/** Timeout of the server for a reply of the facilitator. */
const REPLY_TIMEOUT_MS = 2_000;

describe('a facilitator that settles', () => {
  let shop: AttackedShop;
  before(async () => {
    shop = await openAttackedShop({ timeoutMs: REPLY_TIMEOUT_MS });
  });
  after(() => shop.close());
  afterEach(() => {
    shop.facilitator.behave(honest);
  });

  const buy = async (behavior: SettleBehavior, path: string): Promise<Attempt> => {
    const buyer = await shop.buyer();
    const header = await buyer.sign(shop.url + path);
    shop.facilitator.behave(behavior);
    return attempt(shop.url + path, header, buyer.signIn);
  };
  const areSold = async (attempts: readonly Attempt[]): Promise<void> => {
    const purchases = await shop.purchases();
    const states = attempts.map(({ nonce }) => purchases.find((p) => p.payment.nonce === nonce)?.state);
    assert.deepEqual([...new Set(states)], ['sold']);
  };
  const isByTheChain = async (behavior: SettleBehavior): Promise<void> => {
    const attempts = await Promise.all([buy(behavior, DEALS), buy(behavior, EXCLUSIVE)]);
    shop.facilitator.behave(honest);
    await checkBooks(shop, attempts);
    for (const made of attempts) {
      const outcome = `${made.status} ${reasonOf(made)}`.trim();
      assert.ok(['200', '502 settlement_unknown'].includes(outcome), outcome);
      assert.doesNotMatch(made.text, /127\.0\.0\.1|fetch failed|JSON/);
    }
    await areSold(attempts);
  };

  it('and replies with malformed JSON has its sale decided by the chain', () => isByTheChain(repliesMalformed));

  it('and closes the connection has its sale decided by the chain', () => isByTheChain(hangsUp));

  it('and never replies has its sale decided by the chain', () => isByTheChain(neverReplies));

  it('and replies with 65 kB has its sale decided by the chain', () => isByTheChain(repliesAtLength(66_000)));

  it('and replies with 60 MB has its sale decided by the chain, and its connection closed', async () => {
    const sent: number[] = [];
    await isByTheChain(repliesInPieces(60 * MEGABYTE, (bytes) => sent.push(bytes)));
    // Some megabytes are in the buffers of the connection.
    for (const bytes of sent) assert.ok(bytes < 30 * MEGABYTE, `the server read ${bytes} bytes`);
    assert.equal(sent.length, 2);
  });
});
