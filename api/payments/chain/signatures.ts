/**
 * Whether a wallet signed something. The signature alone decides for an ordinary account; a contract wallet (EIP-1271) is
 * asked by a call to our node that is bounded in gas and time.
 */
import { authorizationTypes } from '@x402/evm';
import {
  encodeFunctionData,
  hashMessage,
  hashTypedData,
  maxUint256,
  parseAbi,
  recoverAddress,
  size,
  slice,
  verifyMessage,
  type Hex,
  type PublicClient,
} from 'viem';
import type { SignedAuthorization } from './authorization.ts';
import { ChainUnavailable, fromNode } from './chain_errors.ts';
import { CHAIN_ID, USDC } from '../../../lib/network.ts';

/** The token's name and version, as its signatures name them. */
const DOMAIN = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC } as const;

const wallet = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** What isValidSignature returns for a valid one. */
const VALID = '0x1626ba7e';
/** Gas a contract wallet may use to check a signature: a multi-signature wallet of ten owners takes about 100,000. */
const CONTRACT_GAS = 300_000n;
/** Half of the order of secp256k1. The token refuses a signature with a higher s: it is another writing of the same one. */
const HIGHEST_S = 0x7fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_5d57_6e73_57a4_501d_dfe9_2f46_681b_20a0n;
const SIGNATURE_BYTES = 65;
const V_VALUES = ['0x1b', '0x1c'];

export interface SignedText {
  readonly address: Hex;
  readonly message: string;
  readonly signature: Hex;
}

export interface Signatures {
  /** Whether the key of `from` signed this authorization, in the one form that the token accepts. */
  byKey(signed: SignedAuthorization): Promise<boolean>;
  /** Whether the contract wallet `from` accepts the signature. @throws ChainUnavailable */
  byContract(signed: SignedAuthorization): Promise<boolean>;
  /** Either of the two, for an authorization that already paid. @throws ChainUnavailable */
  authorization(signed: SignedAuthorization): Promise<boolean>;
  /** Whether the wallet signed this text (EIP-191, or EIP-1271). @throws ChainUnavailable */
  text(signed: SignedText): Promise<boolean>;
}

/** What the payer signs; null where a number does not fit into 256 bits, which nobody can sign. */
function hashOf({ authorization: a }: SignedAuthorization): Hex | null {
  const message = {
    from: a.from,
    to: a.to,
    value: BigInt(a.value),
    validAfter: BigInt(a.validAfter),
    validBefore: BigInt(a.validBefore),
    nonce: a.nonce,
  };
  if ([message.value, message.validAfter, message.validBefore].some((number) => number > maxUint256)) return null;
  return hashTypedData({
    domain: DOMAIN,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
}

/** Whether the signature is written in the one way that the token accepts. */
function isCanonical(signature: Hex): boolean {
  return (
    size(signature) === SIGNATURE_BYTES &&
    BigInt(slice(signature, 32, 64)) <= HIGHEST_S &&
    V_VALUES.includes(slice(signature, 64))
  );
}

/** @param chain asked about contract wallets only; null: their signatures do not count */
export function signaturesOf(chain: Pick<PublicClient, 'call' | 'getCode'> | null): Signatures {
  const contractAccepts = async (address: Hex, hash: Hex, signature: Hex): Promise<boolean> => {
    if (chain === null) return false;
    const code = await fromNode(chain.getCode({ address }));
    if (code === undefined || code === '0x') return false;
    const data = encodeFunctionData({ abi: wallet, functionName: 'isValidSignature', args: [hash, signature] });
    try {
      const { data: answer } = await fromNode(chain.call({ to: address, data, gas: CONTRACT_GAS }));
      return answer !== undefined && size(answer) >= 32 && slice(answer, 0, 4) === VALID;
    } catch (error) {
      // A call that reverts or runs out of gas is no; whether the node answers at all was seen right before.
      if (error instanceof ChainUnavailable) return false;
      throw error;
    }
  };
  const byKey = async (signed: SignedAuthorization): Promise<boolean> => {
    const {
      signature,
      authorization: { from },
    } = signed;
    const hash = hashOf(signed);
    if (hash === null || !isCanonical(signature)) return false;
    try {
      return (await recoverAddress({ hash, signature })).toLowerCase() === from.toLowerCase();
    } catch {
      return false;
    }
  };
  const byContract = async (signed: SignedAuthorization): Promise<boolean> => {
    const hash = hashOf(signed);
    return hash !== null && contractAccepts(signed.authorization.from, hash, signed.signature);
  };
  return {
    byKey,
    byContract,
    authorization: async (signed) => (await byKey(signed)) || byContract(signed),
    async text({ address, message, signature }) {
      if (await verifyMessage({ address, message, signature }).catch(() => false)) return true;
      return contractAccepts(address, hashMessage(message), signature);
    },
  };
}
