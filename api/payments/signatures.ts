/** Whether a wallet signed something. Ordinary accounts are told by the signature alone, contract wallets (EIP-1271) by the chain. */
import { authorizationTypes } from '@x402/evm';
import { LRUCache } from 'lru-cache';
import { verifyMessage, verifyTypedData, type PublicClient } from 'viem';
import type { SignedAuthorization } from './authorization.ts';
import { CHAIN_ID, USDC } from './network.ts';

/** The token's name and version, as its signatures name them. */
const DOMAIN = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC } as const;

/** Authorizations of ordinary accounts that were found to be signed: one is shown again whenever its answer is collected, and to check it takes a millisecond. */
const MOST_FOUND = 5_000;

export interface SignedText { readonly address: `0x${string}`; readonly message: string; readonly signature: `0x${string}` }

export interface Signatures {
  /** Whether the payer signed this authorization, whatever became of it. @throws where a contract wallet must be asked and the chain cannot be */
  authorization(signed: SignedAuthorization): Promise<boolean>;
  /** Whether the wallet signed this text (EIP-191, or EIP-1271). @throws the same */
  text(signed: SignedText): Promise<boolean>;
}

/** `chain` is asked only about contract wallets; without it their signatures are not valid. */
export function signaturesOf(chain: Pick<PublicClient, 'getCode' | 'verifyMessage' | 'verifyTypedData'> | null): Signatures {
  const asked = async (address: `0x${string}`, local: () => Promise<boolean>, remote: (client: NonNullable<typeof chain>) => Promise<boolean>): Promise<boolean> => {
    if (await local().catch(() => false)) return true;
    if (chain === null || (await chain.getCode({ address }) ?? '0x') === '0x') return false;
    return remote(chain);
  };
  const found = new LRUCache<string, true>({ max: MOST_FOUND });
  return {
    async authorization({ signature, authorization: a }) {
      const signed = [signature, a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce].join(' ');
      if (found.has(signed)) return true;
      const data = {
        address: a.from, domain: DOMAIN, types: authorizationTypes, primaryType: 'TransferWithAuthorization', signature,
        message: { from: a.from, to: a.to, value: BigInt(a.value), validAfter: BigInt(a.validAfter), validBefore: BigInt(a.validBefore), nonce: a.nonce },
      } as const;
      const local = async (): Promise<boolean> => {
        const valid = await verifyTypedData(data);
        // What a contract wallet says may change, what an account signed does not.
        if (valid) found.set(signed, true);
        return valid;
      };
      return asked(a.from, local, (client) => client.verifyTypedData(data));
    },
    text: (signed) => asked(signed.address, () => verifyMessage(signed), (client) => client.verifyMessage(signed)),
  };
}
