/** A contract wallet (EIP-1271) on the local chain, whose owner signs payments. */
import { createTestClient, http, pad, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';
import { authorizationFor, headerWith, signAuthorization } from '../../attacks/wallets.ts';
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
      const authorization = authorizationFor(required, address);
      return headerWith(required, { signature: await signAuthorization(owner, authorization), authorization });
    },
  };
}
