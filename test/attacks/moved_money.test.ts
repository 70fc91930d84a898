/** A payer who moves its money away during the settlement. exclusive.test.ts has one who cancels the payment. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createWalletClient, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from '../api/support/base.ts';
import { USDC } from '../../lib/network.ts';
import { buyerWith } from '../api/support/buyers.ts';
import { attempt, checkBooks, outcomes, reasonOf, type Attempt } from './books.ts';
import { honest } from '../support/facilitators.ts';
import { DOLLAR, EXCLUSIVE, openShop, type Shop } from '../support/shop.ts';
import { randomAddress } from './wallets.ts';

const token = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

let shop: Shop;
before(async () => {
  shop = await openShop();
});
after(() => shop.close());

it('who moves the money away during each settlement, and back at once, holds three leads a day', async () => {
  const [key, hidden] = [generatePrivateKey(), randomAddress()];
  const mover = buyerWith(key);
  const wallet = createWalletClient({
    account: privateKeyToAccount(key),
    chain: base,
    transport: http(shop.chain.rpcUrl),
  });
  await shop.admin.setBalance({ address: mover.address, value: 10n ** 18n });
  await shop.chain.mint(mover.address, 4n * DOLLAR);
  const path = shop.url + EXCLUSIVE;
  const present = async (url = path): Promise<Attempt> => attempt(url, await mover.sign(url), mover.signIn);
  const other = await shop.buyer();
  const list = `${shop.url}/api/deals`;
  // Both bought before: the leads that payers who never bought hold together are not theirs.
  const attempts = [await present(list), await attempt(list, await other.sign(list), other.signIn)];
  shop.facilitator.behave(async ({ settle, reply }) => {
    const args = [hidden, 4n * DOLLAR] as const;
    const hash = await wallet.writeContract({ address: USDC, abi: token, functionName: 'transfer', args });
    await shop.admin.waitForTransactionReceipt({ hash });
    const settled = await settle();
    await shop.chain.mint(mover.address, 4n * DOLLAR);
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
  const own = (await shop.purchases()).filter((p) => p.payment.payer === mover.address.toLowerCase());
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
