/**
 * Transactions made to look like payments, and payers who spend or cancel their authorization first, or move their
 * money away.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createWalletClient, encodeFunctionData, http, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { base } from '../api/support/base.ts';
import { USDC } from '../../lib/network.ts';
import { buyerWith, cancelOf, fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';
import { attempt, checkBooks, outcomes, reasonOf, type Attempt } from './books.ts';
import { honest, onlyClaimsToSettle } from '../shop/facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, OAKLAND, openShop, WAYNE, type Shop } from '../shop/shop.ts';
import {
  authorizationFor,
  headerWith,
  randomAddress,
  signAuthorization,
  useOf,
  type Authorization,
} from './wallets.ts';

const forger = parseAbi(['function forge(address payer, bytes32 nonce, address to, uint256 value)']);
const token = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);
const batcher = parseAbi(['function run(address target, bytes[] calls)']);

describe('an attacker', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());
  afterEach(() => {
    shop.facilitator.behave(honest);
  });

  /** A transaction of the attacker's own. */
  const send = async (to: Hex, data: Hex): Promise<Hex> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await shop.admin.setBalance({ address: account.address, value: 10n ** 19n });
    const wallet = createWalletClient({ chain: base, transport: http(shop.chain.rpcUrl), account });
    const hash = await wallet.sendTransaction({ to, data });
    const { status } = await shop.admin.waitForTransactionReceipt({ hash });
    assert.equal(status, 'success');
    return hash;
  };
  const contract = async (name: 'Forger' | 'Batcher'): Promise<Hex> => {
    const address = randomAddress();
    await shop.admin.setCode({ address, bytecode: codeOf(name) });
    return address;
  };
  const payer = async (units = 5n * DOLLAR): Promise<PrivateKeyAccount> => {
    const account = privateKeyToAccount(generatePrivateKey());
    await shop.chain.mint(account.address, units);
    return account;
  };
  const isUnknown = (made: Attempt): void => {
    assert.equal(`${made.status} ${reasonOf(made)}`, '502 settlement_unknown');
  };

  it('whose own contract emits the events of a payment buys nothing', async () => {
    const account = await payer();
    const asked = await fetchPaymentRequired(shop.url + DEALS);
    const authorization = authorizationFor(asked, account.address);
    const signature = await signAuthorization(account, authorization);
    const { from, nonce, to, value } = authorization;
    const args = [from, nonce, to, BigInt(value)] as const;
    const hash = await send(await contract('Forger'), encodeFunctionData({ abi: forger, functionName: 'forge', args }));
    shop.facilitator.behave(onlyClaimsToSettle(hash));
    const made = await attempt(shop.url + DEALS, headerWith(asked, { signature, authorization }));
    await checkBooks(shop, [made]);
    isUnknown(made);
  });

  it('who uses one nonce to pay itself, next to a real payment in one transaction, buys one answer', async () => {
    const account = await payer();
    const asked = await fetchPaymentRequired(shop.url + DEALS);
    const [unpaid, paid] = [authorizationFor(asked, account.address), authorizationFor(asked, account.address)];
    const toItself = { ...unpaid, to: account.address };
    const calls = [
      useOf(toItself, await signAuthorization(account, toItself)),
      useOf(paid, await signAuthorization(account, paid)),
    ];
    const start = await shop.chain.balanceOf(shop.payTo);
    const target = await contract('Batcher');
    const data = encodeFunctionData({ abi: batcher, functionName: 'run', args: [USDC, calls] });
    let batch: Promise<Hex> | undefined;
    shop.facilitator.behave(async ({ reply }) => {
      batch ??= send(target, data);
      reply(200, { success: true, transaction: await batch, network: 'eip155:8453' });
    });
    const present = async (authorization: Authorization): Promise<Attempt> => {
      const signature = await signAuthorization(account, authorization);
      return attempt(shop.url + DEALS, headerWith(asked, { signature, authorization }));
    };
    const attempts = await Promise.all([unpaid, paid].map(present));
    await checkBooks(shop, attempts);
    assert.equal((await shop.chain.balanceOf(shop.payTo)) - start, DOLLAR / 20n);
    const own = (await shop.purchases()).filter((p) => p.payment.payer === account.address.toLowerCase());
    const states = own.map((p) => [p.payment.nonce === paid.nonce, p.state]);
    assert.equal(states.filter(([isPaid, state]) => isPaid === true && state === 'sold').length, 1);
    assert.equal(states.filter(([, state]) => state === 'sold').length, 1);
    await shop.mine(6);
    await shop.server.running.audit.pass();
    const booked = (await Array.fromAsync(shop.server.running.ledger.transfers(null))).filter(
      ({ payer: by }) => by === account.address.toLowerCase(),
    );
    assert.deepEqual(
      booked.map(({ kind, nonce }) => [kind, nonce]),
      [['matched', paid.nonce]],
    );
  });

  for (const [how, lead] of [
    ['cancels the authorization', WAYNE],
    ['pays itself with the nonce', OAKLAND],
  ] as const) {
    it(`who ${how} before the settlement buys nothing, and the lead is free again`, async () => {
      const path = shop.url + lead;
      const account = await payer();
      const asked = await fetchPaymentRequired(path);
      const authorization = authorizationFor(asked, account.address);
      const signature = await signAuthorization(account, authorization);
      const toItself = { ...authorization, to: account.address };
      const first =
        how === 'cancels the authorization'
          ? await cancelOf(account, authorization.nonce)
          : useOf(toItself, await signAuthorization(account, toItself));
      shop.facilitator.behave(async (request) => {
        await send(USDC, first);
        await honest(request);
      });
      const made = await attempt(path, headerWith(asked, { signature, authorization }));
      assert.notEqual(made.status, 200);
      shop.facilitator.behave(honest);
      await shop.mine(200);
      await shop.server.running.watch.pass();
      const buyer = await shop.buyer();
      const other = await attempt(path, await buyer.sign(path), buyer.signIn);
      assert.equal(other.status, 200, `the lead is not free: ${other.status} ${reasonOf(other)}`);
      await checkBooks(shop, [made, other]);
    });
  }

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
});
