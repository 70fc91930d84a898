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
import { fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';
import { attempt, checkBooks, reasonOf, type Attempt } from './books.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Mode, type Shop } from '../support/shop.ts';
import { thorough } from '../thorough.ts';
import { signAuthorization } from '../api/support/base.ts';
import { authorizationFor, headerOf, headerWith, randomAddress, signInAs } from './wallets.ts';

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

for (const mode of thorough<readonly Mode[]>(['self'], ['facilitator', 'sandbox', 'self'])) {
  describe(`a good signature, with payments by ${mode}`, () => {
    let shop: Shop;
    before(async () => {
      shop = await openShop({ mode });
    });
    after(() => shop.close());

    const payer = async (): Promise<PrivateKeyAccount> => {
      const account = privateKeyToAccount(generatePrivateKey());
      await shop.chain.mint(account.address, DOLLAR);
      return account;
    };
    /** It is refused for one of these reasons, and neither the ledger nor the chain knows of it. */
    const isRefused = async (made: Attempt, reasons: readonly string[], name: string): Promise<void> => {
      assert.deepEqual([made.status, made.json['billed']], [402, false], name);
      assert.ok(reasons.includes(reasonOf(made)), `${name}: ${reasonOf(made)}`);
      assert.match(String(made.json['payment_error']), /^[a-z0-9_]{1,80}$/);
      assert.ok(!(await shop.purchases()).some((p) => p.payment.nonce === made.nonce), name);
      assert.equal(await shop.chain.authorizationUsed(made.payer, made.nonce), false, name);
    };
    const present = async (change: (signature: Hex) => Hex): Promise<Attempt> => {
      const account = await payer();
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const authorization = authorizationFor(asked, account.address);
      const signature = change(await signAuthorization(account, authorization));
      return attempt(shop.url + DEALS, headerWith(asked, { signature, authorization }));
    };

    it('in another form, or of another payer, is refused and charges nothing', async () => {
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const other = await payer();
      const foreign = await signAuthorization(other, authorizationFor(asked, other.address));
      const forms = { ...FORMS, 'of another payer': () => foreign };
      const attempts: Attempt[] = [];
      for (const [name, change] of Object.entries(forms)) {
        const made = await present(change);
        await isRefused(made, REASONS, name);
        attempts.push(made);
      }
      await checkBooks(shop, attempts);
    });

    it('wrapped by ERC-6492 is refused for a contract wallet that accepts anything', async () => {
      const wallet = randomAddress();
      await shop.contract(wallet, codeOf('AcceptsAnything'));
      const asked = await fetchPaymentRequired(shop.url + DEALS);
      const wrapped = serializeErc6492Signature({ address: randomAddress(), data: '0x12345678', signature: '0x1234' });
      const made = await attempt(shop.url + DEALS, headerOf(asked, wallet, wrapped), signInAs(wallet));
      await isRefused(made, [...REASONS, 'contract_wallet_refused'], 'wrapped');
      await checkBooks(shop, [made]);
    });

    it('next to Permit2 or an unknown member, of the payload or the authorization, is refused', async () => {
      const account = await payer();
      const attempts: Attempt[] = [];
      for (const [inPayload, inAuthorization] of [
        [{ permit2Authorization: { from: account.address, nonce: '1', deadline: '99999999999' } }, {}],
        [{ permit2Authorization: null }, {}],
        [{ voucher: {} }, {}],
        [{ type: 'exact' }, {}],
        [{}, { v: 27 }],
        [{}, { signature: '0x12' }],
        [JSON.parse('{"__proto__":{"permit2Authorization":{}}}') as object, {}],
      ] as const) {
        const asked = await fetchPaymentRequired(shop.url + EXCLUSIVE);
        const authorization = authorizationFor(asked, account.address);
        const signature = await signAuthorization(account, authorization);
        const payload = { signature, authorization: { ...authorization, ...inAuthorization }, ...inPayload };
        const made = await attempt(shop.url + EXCLUSIVE, headerWith(asked, payload));
        await isRefused(made, ['payment_malformed'], JSON.stringify([inPayload, inAuthorization]));
        attempts.push(made);
      }
      await checkBooks(shop, attempts);
    });

    it('buys in its own form', async () => {
      const made = await present((signature) => signature);
      assert.equal(made.status, 200, made.text);
      await checkBooks(shop, [made]);
    });
  });
}
