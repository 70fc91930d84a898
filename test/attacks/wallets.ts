/** Wallets of an attacker: contracts that sign anything, burn gas or never return, and headers with any bytes. */
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { concat, createTestClient, createWalletClient, http, pad, publicActions, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { SignedAuthorization } from '../../api/payments/chain/authorization.ts';
import { base, signAuthorization, useOf, type Authorization } from '../api/support/base.ts';
import { USDC } from '../../lib/network.ts';
import type { Chain } from '../../api/payments/local_chain/chain.ts';
import { buyerWith, fetchPaymentRequired } from '../api/support/buyers.ts';
import { codeOf } from '../api/support/contracts.ts';

/** Code of an account that delegates to a contract (EIP-7702). */
export const delegationTo = (contract: Hex): Hex => concat(['0xef0100', contract]);

export const randomAddress = (): Hex => privateKeyToAccount(generatePrivateKey()).address;

const firstOf = (asked: PaymentRequired): PaymentRequirements => {
  const [accepted] = asked.accepts;
  if (!accepted) throw new Error('the call asks for no payment');
  return accepted;
};

/** An authorization for what is asked, with a new nonce. */
export function authorizationFor(asked: PaymentRequired, from: Hex): Authorization {
  const { payTo, amount, maxTimeoutSeconds } = firstOf(asked);
  const validBefore = String(Math.floor(Date.now() / 1000) + maxTimeoutSeconds);
  return { from, to: payTo as Hex, value: amount, validAfter: '0', validBefore, nonce: generatePrivateKey() };
}

/** PAYMENT-SIGNATURE with this payload, whatever is in it. */
export const headerWith = (asked: PaymentRequired, payload: Record<string, unknown>): string =>
  encodePaymentSignatureHeader({ x402Version: 2, resource: asked.resource, accepted: firstOf(asked), payload });

/** PAYMENT-SIGNATURE of a wallet that signs with any bytes. */
export const headerOf = (asked: PaymentRequired, from: Hex, signature: Hex): string =>
  headerWith(asked, { signature, authorization: authorizationFor(asked, from) });

/** SIGN-IN-WITH-X in the name of a contract wallet that accepts any signature. */
export const signInAs =
  (address: Hex) =>
  (url: string): Promise<string> =>
    buyerWith().signIn(url, undefined, address);

/** Settle a signed payment from an account of nobody's. */
export async function sendAsStranger(
  { rpcUrl }: Pick<Chain, 'rpcUrl'>,
  { authorization, signature }: Pick<SignedAuthorization, 'signature'> & { readonly authorization: Authorization },
): Promise<void> {
  const account = privateKeyToAccount(generatePrivateKey());
  const admin = createTestClient({ chain: base, mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  await admin.setBalance({ address: account.address, value: 10n ** 19n });
  const sender = createWalletClient({ chain: base, transport: http(rpcUrl), account });
  const hash = await sender.sendTransaction({ to: USDC, data: useOf(authorization, signature) });
  const { status } = await admin.waitForTransactionReceipt({ hash, pollingInterval: 25 });
  if (status !== 'success') throw new Error('the payment was not settled');
}

/** A contract wallet (EIP-1271), whose owner signs payments. */
export interface ContractWallet {
  readonly address: Hex;
  readonly ownerKey: Hex;
  /** PAYMENT-SIGNATURE for this URL, signed by the owner for the wallet. */
  sign(url: string): Promise<string>;
}

export async function contractWallet(chain: Chain, units: bigint): Promise<ContractWallet> {
  const ownerKey = generatePrivateKey();
  const owner = privateKeyToAccount(ownerKey);
  const { address } = privateKeyToAccount(generatePrivateKey());
  const admin = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  await admin.setCode({ address, bytecode: codeOf('Wallet') });
  await admin.setStorageAt({ address, index: 0, value: pad(owner.address) });
  await chain.mint(address, units);
  return {
    address,
    ownerKey,
    async sign(url) {
      const required = await fetchPaymentRequired(url);
      const authorization = authorizationFor(required, address);
      return headerWith(required, { signature: await signAuthorization(owner, authorization), authorization });
    },
  };
}
