/** A contract wallet (EIP-1271) on the local chain, whose owner signs payments. */
import assert from 'node:assert/strict';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { createTestClient, http, pad, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID, USDC } from '../../../lib/network.ts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';
import { fetchPaymentRequired } from './buyers.ts';
import { codeOf } from './contracts.ts';

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
      const [accepted = assert.fail('no payment is required')] = required.accepts;
      const validBefore = BigInt(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds);
      const message = {
        from: address,
        to: accepted.payTo as Hex,
        value: BigInt(accepted.amount),
        validAfter: 0n,
        validBefore,
        nonce: generatePrivateKey(),
      };
      const domain = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC } as const;
      const signature = await owner.signTypedData({
        domain,
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message,
      });
      const authorization = { ...message, value: accepted.amount, validAfter: '0', validBefore: String(validBefore) };
      return encodePaymentSignatureHeader({
        x402Version: 2,
        resource: required.resource,
        accepted,
        payload: { signature, authorization },
      });
    },
  };
}
