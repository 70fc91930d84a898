/** Base as viem takes it, payments of USDC as wallets sign and use them, and the chain of sandbox servers. */
import type { PaymentRequirements } from '@x402/core/types';
import { authorizationTypes, eip3009ABI } from '@x402/evm';
import { encodeFunctionData, type Hex, type PrivateKeyAccount } from 'viem';
import { evmChainOf } from '../../../api/payments/chain/node.ts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';
import { createBuyerKey, fundBuyer, writeWallet } from '../../../api/payments/local_chain/wallet.ts';
import { BASE, CHAIN_ID, NETWORK, USDC } from '../../../lib/network.ts';
import { PAY_TO } from './receipt_key.ts';

export const base = evmChainOf(BASE);

/** EIP-712 domain of USDC. */
export const domain = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC } as const;

/** What a call of $0.05 asks for. */
export const TERMS: PaymentRequirements = {
  scheme: 'exact',
  network: NETWORK,
  asset: USDC,
  amount: '50000',
  payTo: '0x00000000000000000000000000000000000000aa',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};

export interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
}

export const signAuthorization = (account: PrivateKeyAccount, authorization: Authorization): Promise<Hex> => {
  const { value, validAfter, validBefore, ...rest } = authorization;
  return account.signTypedData({
    domain,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...rest, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
  });
};

/** Call data that uses an authorization, with its signature whole or in three parts. */
export const useOf = (a: Authorization, ...signature: readonly [Hex] | readonly [number, Hex, Hex]): Hex => {
  const terms = [a.from, a.to, BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore), a.nonce] as const;
  const call = { abi: eip3009ABI, functionName: 'transferWithAuthorization' } as const;
  return signature.length === 1
    ? encodeFunctionData({ ...call, args: [...terms, ...signature] })
    : encodeFunctionData({ ...call, args: [...terms, ...signature] });
};

/** Let the sandbox servers on a data folder join a chain that outlives them, as if the first of them still ran. */
export async function joinOn(dataDir: string, chain: Chain, payTo: string = PAY_TO): Promise<void> {
  const { privateKey: private_key, address } = createBuyerKey();
  await fundBuyer(chain, address);
  await writeWallet(dataDir, chain, { base_url: 'http://first.test', private_key, address, pay_to: payTo });
}
