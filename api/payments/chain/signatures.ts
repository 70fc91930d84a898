/**
 * Checks signatures of wallets. For an ordinary account the signature alone decides. A contract wallet (EIP-1271) is
 * called through our node, with limited gas and time.
 */
import {
  encodeFunctionData,
  hashMessage,
  hashTypedData,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  recoverAddress,
  size,
  slice,
  verifyMessage,
  type Hex,
  type PublicClient,
} from 'viem';
import type { SignedAuthorization } from './authorization.ts';
import { ChainUnavailable, fromNode } from './node.ts';
import { BASE, type Network } from '../../../lib/network.ts';

/** What a payer signs (EIP-3009). The library's own table comes with all its schemes, a twentieth of a start. */
export const authorizationTypes = {
  TransferWithAuthorization: parseAbiParameters(
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
  ),
};

/** The EIP-712 domain of the network's token. */
const domainOf = ({ chainId, usdc: { name, version, address: verifyingContract } }: Network) =>
  ({ name, version, chainId, verifyingContract }) as const;

const wallet = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** Result of isValidSignature for a valid signature. */
const VALID = '0x1626ba7e';
/** Gas limit of a contract wallet's check; a multi-signature wallet with ten owners needs about 100,000. */
const CONTRACT_GAS = 300_000n;
/** Half the order of secp256k1. The token rejects a higher s, which is another encoding of the same signature. */
const HIGHEST_S = 0x7fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_5d57_6e73_57a4_501d_dfe9_2f46_681b_20a0n;
const SIGNATURE_BYTES = 65;
const V_VALUES = ['0x1b', '0x1c'];

export interface Signatures {
  /** Whether the key of `from` signed this authorization, in the one encoding that the token accepts. */
  byKey(signed: SignedAuthorization): Promise<boolean>;
  /** Whether the contract wallet `from` accepts the signature. @throws ChainUnavailable */
  byContract(signed: SignedAuthorization): Promise<boolean>;
  /** Whether the key of the address, or the contract wallet there, signed this text. @throws ChainUnavailable */
  text(signed: { readonly address: Hex; readonly message: string; readonly signature: Hex }): Promise<boolean>;
}

/** The hash that the payer signs; null if a number does not fit into 256 bits, which nobody can sign. */
function hashOf(domain: ReturnType<typeof domainOf>, { authorization }: SignedAuthorization): Hex | null {
  const [value = 0n, validAfter = 0n, validBefore = 0n] = [
    authorization.value,
    authorization.validAfter,
    authorization.validBefore,
  ].map(BigInt);
  if ([value, validAfter, validBefore].some((number) => number > maxUint256)) return null;
  const message = { ...authorization, value, validAfter, validBefore };
  return hashTypedData({ domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message });
}

/** Whether the signature has the one encoding that the token accepts. */
const isCanonical = (signature: Hex): boolean =>
  size(signature) === SIGNATURE_BYTES &&
  BigInt(slice(signature, 32, 64)) <= HIGHEST_S &&
  V_VALUES.includes(slice(signature, 64));

/** @param chain used for contract wallets only; null refuses their signatures */
export function signaturesOf(
  chain: Pick<PublicClient, 'call' | 'getCode'> | null,
  network: Network = BASE,
): Signatures {
  const domain = domainOf(network);
  const contractAccepts = async (address: Hex, hash: Hex, signature: Hex): Promise<boolean> => {
    if (chain === null) return false;
    const code = await fromNode(chain.getCode({ address }));
    if (code === undefined || code === '0x') return false;
    const data = encodeFunctionData({ abi: wallet, functionName: 'isValidSignature', args: [hash, signature] });
    try {
      const { data: answer } = await fromNode(chain.call({ to: address, data, gas: CONTRACT_GAS }));
      return answer !== undefined && size(answer) >= 32 && slice(answer, 0, 4) === VALID;
    } catch (error) {
      // The call reverted or ran out of gas: not signed. The node itself answered just before.
      if (error instanceof ChainUnavailable) return false;
      throw error;
    }
  };
  const isByKey = async (signed: SignedAuthorization): Promise<boolean> => {
    const { signature, authorization } = signed;
    const hash = hashOf(domain, signed);
    if (hash === null || !isCanonical(signature)) return false;
    try {
      return (await recoverAddress({ hash, signature })).toLowerCase() === authorization.from;
    } catch {
      return false;
    }
  };
  // Recovering a key takes milliseconds, and two checks of one request need it.
  const checked = new WeakMap<SignedAuthorization, Promise<boolean>>();
  const byKey = (signed: SignedAuthorization): Promise<boolean> => {
    const known = checked.get(signed) ?? isByKey(signed);
    checked.set(signed, known);
    return known;
  };
  const byContract = async (signed: SignedAuthorization): Promise<boolean> => {
    const hash = hashOf(domain, signed);
    return hash !== null && contractAccepts(signed.authorization.from, hash, signed.signature);
  };
  return {
    byKey,
    byContract,
    text: async ({ address, message, signature }) =>
      (await verifyMessage({ address, message, signature }).catch(() => false)) ||
      contractAccepts(address, hashMessage(message), signature),
  };
}
