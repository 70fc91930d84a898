/** Our own node is down, or behind the facilitator. Meanwhile nothing is sold on a facilitator's word. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { attempt, checkBooks, namedTransaction, outcomes, paidIn, reasonOf, type Attempt } from './books.ts';
import { honest } from './facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

describe('a node', () => {
  let shop: AttackedShop;
  before(async () => {
    shop = await openAttackedShop();
  });
  after(() => shop.close());
  afterEach(() => {
    shop.facilitator.behave(honest);
  });

  const sign = async (path: string): Promise<() => Promise<Attempt>> => {
    const buyer = await shop.buyer();
    const header = await buyer.sign(shop.url + path);
    return () => attempt(shop.url + path, header, buyer.signIn);
  };

  for (const [name, how] of [
    ['that is down', 'drop'],
    ['that answers 429', 429],
    ['that answers 500', 500],
  ] as const) {
    it(`${name} stops sales before anything is reserved or sent`, async () => {
      const claimedLeads = () => shop.server.running.ledger.claimedLeads(Date.now());
      const counts = async () => [
        (await claimedLeads()).size,
        (await shop.purchases()).length,
        shop.facilitator.settlements(),
      ];
      const countsBefore = await counts();
      const presents = await Promise.all([DEALS, EXCLUSIVE].map(sign));
      shop.node.fail(how);
      const attempts: Attempt[] = [];
      for (const present of presents) attempts.push(await present());
      shop.node.recover();
      assert.deepEqual(outcomes(attempts), { '503 payments_unavailable': 2 });
      for (const { json, headers } of attempts) {
        assert.equal(json['billed'], false);
        assert.notEqual(headers.get('Retry-After'), null);
      }
      assert.deepEqual(await counts(), countsBefore);
      const again = (await presents[0]?.()) ?? assert.fail('nothing was signed');
      assert.equal(again.status, 200, 'the same payment works once the node is back');
      // The first payment was presented again: its refusal is compared by the status above.
      await checkBooks(shop, [...attempts.slice(1), again]);
    });
  }

  it('that is behind the facilitator gives an unknown outcome, collectable later and charged once', async () => {
    for (const path of [DEALS, EXCLUSIVE]) {
      const start = await shop.chain.balanceOf(shop.payTo);
      const present = await sign(path);
      await shop.node.freeze();
      const made = await present();
      assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
      assert.equal(made.json['billed'], null);
      const collect = `https://dealfeed.test/api/purchases/${made.headers.get('Receipt-Id')}`;
      assert.equal(made.json['collect'], collect);
      const { status } = await present();
      assert.equal(status, 409, 'the payment is not used again meanwhile');
      shop.node.thaw();
      await checkBooks(shop, [made]);
      const price = path === DEALS ? DOLLAR / 20n : DOLLAR;
      assert.equal((await shop.chain.balanceOf(shop.payTo)) - start, price);
    }
  });

  it('that is behind for a moment delays the answer, and the buyer is served or can collect', async () => {
    const present = await sign(DEALS);
    await shop.node.freeze();
    const timer = setTimeout(() => {
      shop.node.thaw();
    }, 1_000);
    const made = await present();
    clearTimeout(timer);
    shop.node.thaw();
    const paid = await paidIn(shop, made.payer, made.nonce);
    if (made.status === 200) assert.equal(namedTransaction(made.headers), paid?.transaction);
    else assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
    await checkBooks(shop, [made]);
  });

  it('that fails after the money moved gives an unknown outcome, which can be collected later', async () => {
    const present = await sign(EXCLUSIVE);
    shop.facilitator.behave(async ({ settle, reply }) => {
      const settled = await settle();
      shop.node.fail('drop');
      reply(200, settled);
    });
    const made = await present();
    assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
    shop.node.recover();
    await checkBooks(shop, [made]);
  });
});
