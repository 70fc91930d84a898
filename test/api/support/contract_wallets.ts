/** A contract wallet (EIP-1271) on the local chain, and payments that its owner signs. */
import assert from 'node:assert/strict';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { createTestClient, http, pad, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID, USDC } from '../../../lib/network.ts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';
import { compile } from '../../../api/payments/local_chain/compile.ts';
import { fetchPaymentRequired } from './buyers.ts';

const WALLET = `// SPDX-License-Identifier: MIT
  pragma solidity ^0.8.30;
  contract Wallet { address owner; function isValidSignature(bytes32 hash, bytes calldata s) external view returns (bytes4) {
    return ecrecover(hash, uint8(s[64]), bytes32(s[0:32]), bytes32(s[32:64])) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff); } }`;

export interface ContractWallet {
  readonly address: Hex;
  readonly ownerKey: Hex;
  /** PAYMENT-SIGNATURE for what this URL asks, signed by the owner in the name of the wallet. */
  sign(url: string): Promise<string>;
}

export async function contractWallet(chain: Chain, units: bigint): Promise<ContractWallet> {
  const ownerKey = generatePrivateKey();
  const owner = privateKeyToAccount(ownerKey);
  const { address } = privateKeyToAccount(generatePrivateKey());
  const admin = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  await admin.setCode({ address, bytecode: compile(WALLET).contracts['Wallet']?.code as Hex });
  await admin.setStorageAt({ address, index: 0, value: pad(owner.address) });
  await chain.mint(address, units);
  return {
    address,
    ownerKey,
    async sign(url) {
      const asked = await fetchPaymentRequired(url);
      const [accepted = assert.fail('nothing is asked for')] = asked.accepts;
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
        resource: asked.resource,
        accepted,
        payload: { signature, authorization },
      });
    },
  };
}
