/**
 * Forms of a signature that USDC does not take, or takes twice, and payloads that carry Permit2 or unknown members next
 * to the authorization. Each is refused and nothing is charged.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  concat,
  hexToBigInt,
  numberToHex,
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
  slice,
  toHex,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { PaymentRequired } from '@x402/core/types';
import { PERMIT2_ADDRESS, permit2WitnessTypes, x402ExactPermit2ProxyAddress } from '@x402/evm';
import { CHAIN_ID, USDC } from '../../lib/network.ts';
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';
import { attempt, checkBooks, outcomes, reasonOf, type Attempt } from './books.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Mode, type Shop } from '../shop/shop.ts';
import { thorough } from '../thorough.ts';
import { authorizationFor, headerOf, headerWith, randomAddress, signAuthorization, signInAs } from './wallets.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const REASONS = ['payment_invalid', 'payment_malformed'];

const partsOf = (signature: Hex): { r: Hex; s: Hex; v: number } => ({
  r: slice(signature, 0, 32),
  s: slice(signature, 32, 64),
  v: Number(hexToBigInt(slice(signature, 64, 65))),
});
const join = (r: Hex, s: Hex, v: number): Hex => concat([r, s, numberToHex(v, { size: 1 })]);

/** The same signature, written in another way. */
const FORMS: Readonly<Record<string, (signature: Hex) => Hex>> = {
  'with a high s and the other v': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, numberToHex(ORDER - hexToBigInt(s), { size: 32 }), v === 27 ? 28 : 27);
  },
  'with v 0 or 1': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, s, v - 27);
  },
  'with v 29 or 30': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, s, v + 2);
  },
  'with v of EIP-155': (signature) => {
    const { r, s, v } = partsOf(signature);
    return join(r, s, v + 8);
  },
  'in 64 bytes (EIP-2098)': (signature) =>
    serializeCompactSignature(signatureToCompactSignature(parseSignature(signature))),
  'in 64 bytes without v': (signature) => slice(signature, 0, 64),
  'in 66 bytes': (signature) => concat([signature, '0x00']),
  'twice in 130 bytes': (signature) => concat([signature, signature]),
  'wrapped by ERC-6492': (signature) =>
    serializeErc6492Signature({ address: randomAddress(), data: '0x12345678', signature }),
  'with an odd number of digits': (signature) => `${signature}0`,
  'in 3 kB': (signature) => concat([signature, toHex(new Uint8Array(3_000))]),
};

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
  describe(`a good signature, with payments by ${mode}`, () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop({ mode });
    });
    after(() => shop.close());

    const isRefused = async (made: Attempt): Promise<void> => {
      await checkBooks(shop, [made]);
      assert.equal(made.status, 402);
      assert.ok(REASONS.includes(reasonOf(made)), reasonOf(made));
      assert.equal(made.json['billed'], false);
      assert.match(String(made.json['payment_error']), /^[a-z0-9_]{1,80}$/);
      await isUnknown(made);
    };
    /** Neither the ledger nor the chain knows of it. */
    const isUnknown = async ({ payer, nonce }: Attempt): Promise<void> => {
      assert.equal(
        (await shop.purchases()).some((p) => p.payment.nonce === nonce),
        false,
      );
      assert.equal(await shop.chain.authorizationUsed(payer, nonce), false);
    };
    const present = async (change: (signature: Hex) => Hex): Promise<Attempt> => {
      const account = privateKeyToAccount(generatePrivateKey());
      await shop.chain.mint(account.address, DOLLAR);
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const authorization = authorizationFor(asked, account.address);
      const signature = change(await signAuthorization(account, authorization));
      return attempt(shop.url + DEALS, headerWith(asked, { signature, authorization }));
    };

    for (const [name, change] of Object.entries(FORMS)) {
      it(`${name} is refused and charges nothing`, async () => {
        await isRefused(await present(change));
      });
    }

    it('of another payer is refused and charges nothing', async () => {
      const other = privateKeyToAccount(generatePrivateKey());
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const foreign = await signAuthorization(other, authorizationFor(asked, other.address));
      await isRefused(await present(() => foreign));
    });

    it('wrapped by ERC-6492 is refused for a contract wallet that accepts anything', async () => {
      const payer = randomAddress();
      await shop.contract(payer, codeOf('AcceptsAnything'));
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const wrapped = serializeErc6492Signature({ address: randomAddress(), data: '0x12345678', signature: '0x1234' });
      const made = await attempt(shop.url + DEALS, headerOf(asked, payer, wrapped), signInAs(payer));
      await checkBooks(shop, [made]);
      assert.equal(made.status, 402);
      assert.ok([...REASONS, 'contract_wallet_refused'].includes(reasonOf(made)), reasonOf(made));
      await isUnknown(made);
    });

    const nothingHappens = async (attempts: readonly Attempt[]): Promise<void> => {
      assert.deepEqual(outcomes(attempts), { '402 payment_malformed': attempts.length });
      for (const made of attempts) {
        assert.equal(made.json['billed'], false);
        await isUnknown(made);
      }
      await checkBooks(shop, attempts);
    };

    it('of Permit2 next to an unsigned authorization buys no leads for nothing', async () => {
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

    it('with unknown members of the payload or the authorization is refused', async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      await shop.chain.mint(account.address, 20n * DOLLAR);
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const attempts: Attempt[] = [];
      const offer = async (inPayload: object, inAuthorization: object): Promise<void> => {
        const authorization = authorizationFor(asked, account.address);
        const signature = await signAuthorization(account, authorization);
        const payload = { signature, authorization: { ...authorization, ...inAuthorization }, ...inPayload };
        attempts.push(await attempt(shop.url + DEALS, headerWith(asked, payload)));
      };
      await offer({ permit2Authorization: null }, {});
      await offer({ channelId: '0x12' }, {});
      await offer({ voucher: {} }, {});
      await offer({ type: 'exact' }, {});
      await offer({}, { v: 27 });
      await offer({}, { signature: '0x12' });
      await offer(JSON.parse('{"__proto__":{"permit2Authorization":{}}}') as object, {});
      await nothingHappens(attempts);
      for (const { text } of attempts) assert.match(text, /signature/);
    });

    it('in its own form buys', async () => {
      const made = await present((signature) => signature);
      assert.equal(made.status, 200, made.text);
      await checkBooks(shop, [made]);
    });
  });
}
