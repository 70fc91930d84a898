/** Payloads that carry Permit2 or unknown members next to the authorization. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PERMIT2_ADDRESS, permit2WitnessTypes, x402ExactPermit2ProxyAddress } from '@x402/evm';
import type { PaymentRequired } from '@x402/core/types';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { CHAIN_ID, USDC } from '../../lib/network.ts';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { attempt, checkBooks, outcomes, type Attempt } from './books.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Mode, type Shop } from '../shop/shop.ts';
import { thorough } from '../thorough.ts';
import { authorizationFor, headerWith, randomAddress, signAuthorization } from './wallets.ts';

const FOREVER = '99999999999';

interface SignedPermit {
  readonly permit: object;
  readonly signature: Hex;
}

/** A Permit2 authorization for what is asked, signed by its owner. */
async function permit2For(asked: PaymentRequired, owner: PrivateKeyAccount): Promise<SignedPermit> {
  const { amount, payTo } = asked.accepts[0] ?? assert.fail('nothing is asked for');
  const permitted = { token: USDC, amount } as const;
  const spender = x402ExactPermit2ProxyAddress;
  const witness = { to: payTo as Hex, validAfter: '0' };
  const nonce = BigInt(generatePrivateKey()).toString();
  const signature = await owner.signTypedData({
    domain: { name: 'Permit2', chainId: CHAIN_ID, verifyingContract: PERMIT2_ADDRESS },
    types: permit2WitnessTypes,
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token: USDC, amount: BigInt(amount) },
      spender,
      nonce: BigInt(nonce),
      deadline: BigInt(FOREVER),
      witness: { to: witness.to, validAfter: 0n },
    },
  });
  return { permit: { from: owner.address, permitted, spender, nonce, deadline: FOREVER, witness }, signature };
}

for (const mode of thorough<readonly Mode[]>(['self'], ['facilitator', 'sandbox', 'self'])) {
  describe(`with payments by ${mode}`, () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop({ mode });
    });
    after(() => shop.close());

    const nothingHappens = async (attempts: readonly Attempt[]): Promise<void> => {
      const sold = (await shop.purchases()).filter((p) => p.state !== 'released');
      assert.deepEqual(
        { outcomes: outcomes(attempts), purchases: sold.length, received: await shop.chain.balanceOf(shop.payTo) },
        { outcomes: { '402 payment_malformed': attempts.length }, purchases: 0, received: 0n },
      );
      for (const { json } of attempts) assert.equal(json['billed'], false);
      await checkBooks(shop, attempts);
    };

    it('a Permit2 authorization next to an unsigned one buys no leads for nothing', async () => {
      const asked = await fetchPaymentRequired(shop.url + EXCLUSIVE);
      const owner = privateKeyToAccount(generatePrivateKey());
      const attempts: Attempt[] = [];
      for (let i = 0; i < 3; i += 1) {
        const { permit, signature } = await permit2For(asked, owner);
        const authorization = authorizationFor(asked, randomAddress());
        const header = headerWith(asked, { signature, authorization, permit2Authorization: permit });
        attempts.push(await attempt(shop.url + EXCLUSIVE, header));
      }
      await nothingHappens(attempts);
      for (const { text } of attempts) assert.match(text, /permit2Authorization/i);
    });

    it('unknown members of the payload or the authorization are refused, though the signature is good', async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      await shop.chain.mint(account.address, 20n * DOLLAR);
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const attempts: Attempt[] = [];
      const present = async (inPayload: object, inAuthorization: object): Promise<void> => {
        const authorization = authorizationFor(asked, account.address);
        const signature = await signAuthorization(account, authorization);
        const payload = { signature, authorization: { ...authorization, ...inAuthorization }, ...inPayload };
        attempts.push(await attempt(shop.url + DEALS, headerWith(asked, payload)));
      };
      await present({ permit2Authorization: null }, {});
      await present({ channelId: '0x12' }, {});
      await present({ voucher: {} }, {});
      await present({ type: 'exact' }, {});
      await present({}, { v: 27 });
      await present({}, { signature: '0x12' });
      await present(JSON.parse('{"__proto__":{"permit2Authorization":{}}}') as object, {});
      await nothingHappens(attempts);
      for (const { text } of attempts) assert.match(text, /signature/);
    });
  });
}
