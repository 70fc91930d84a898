/** A facilitator that says "settled" and names any transaction. The outcome and the transaction come from the chain. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { attempt, checkBooks, namedTransaction, paidIn, reasonOf, type Attempt } from './books.ts';
import { honest, namesTransaction, onlyClaimsToSettle, type SettleBehavior } from './facilitators.ts';
import { DEALS, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

const WRONG = `0x${'ab'.repeat(32)}`;

describe('a success', () => {
  let shop: AttackedShop;
  before(async () => {
    shop = await openAttackedShop();
  });
  after(() => shop.close());

  const buy = async (path: string, behavior: SettleBehavior): Promise<Attempt> => {
    const buyer = await shop.buyer();
    shop.facilitator.behave(behavior);
    const made = await attempt(shop.url + path, await buyer.sign(shop.url + path), buyer.signIn);
    shop.facilitator.behave(honest);
    return made;
  };
  /** The buyer is charged; the reply names the transaction of the chain, or says that the outcome is not known yet. */
  const isByTheChain = async (transaction: unknown): Promise<void> => {
    const attempts: Attempt[] = [];
    for (const path of [DEALS, EXCLUSIVE]) {
      const made = await buy(path, namesTransaction(transaction));
      const paid = await paidIn(shop, made.payer, made.nonce);
      assert.ok(paid, 'the transfer did not happen');
      if (made.status === 200) assert.equal(namedTransaction(made.headers), paid.transaction);
      else assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
      assert.doesNotMatch(made.text, /Set-Cookie|x{100}/);
      attempts.push(made);
    }
    await checkBooks(shop, attempts);
  };

  it('that names a wrong transaction is decided by the chain', () => isByTheChain(WRONG));

  it('that names no transaction is decided by the chain', () => isByTheChain(''));

  it('whose transaction carries CR LF is decided by the chain', () =>
    isByTheChain(`${WRONG}\r\nSet-Cookie: session=stolen`));

  it('whose transaction is 200 kB long is decided by the chain, and the answer stays collectable', () =>
    isByTheChain(`0x${'x'.repeat(200_000)}`));

  it('whose transaction is not hex is decided by the chain', () => isByTheChain('settled, trust me'));

  it('whose transaction is not text is decided by the chain', () => isByTheChain({ hash: WRONG }));

  it('that names the transaction of another purchase is decided by the chain', async () => {
    const first = await buy(DEALS, honest);
    const earlier = await paidIn(shop, first.payer, first.nonce);
    assert.ok(earlier);
    const second = await buy(DEALS, namesTransaction(earlier.transaction));
    if (second.status === 200) assert.notEqual(namedTransaction(second.headers), earlier.transaction);
    await checkBooks(shop, [first, second]);
  });

  for (const [name, transaction] of [
    ['no', ''],
    ['an unknown', WRONG],
  ] as const) {
    it(`without a transfer, naming ${name} transaction, sells nothing`, async () => {
      const start = await shop.chain.balanceOf(shop.payTo);
      const attempts: Attempt[] = [];
      for (const path of [DEALS, EXCLUSIVE]) attempts.push(await buy(path, onlyClaimsToSettle(transaction)));
      await checkBooks(shop, attempts);
      for (const made of attempts) assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
      assert.equal(await shop.chain.balanceOf(shop.payTo), start);
    });
  }

  it('without a transfer, naming a transaction that paid for another purchase, sells nothing', async () => {
    const paid = await buy(DEALS, honest);
    const earlier = await paidIn(shop, paid.payer, paid.nonce);
    assert.ok(earlier);
    const attempts: Attempt[] = [];
    for (let i = 0; i < 3; i += 1) attempts.push(await buy(DEALS, onlyClaimsToSettle(earlier.transaction)));
    await checkBooks(shop, [paid, ...attempts]);
    for (const made of attempts) assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
  });
});
