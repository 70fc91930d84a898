/** Wallets of an attacker: contracts that sign anything, burn gas or never return, and headers with any bytes. */
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { concat, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { compile } from '../../api/payments/local_chain/compile.ts';
import { CHAIN_ID, USDC } from '../../lib/network.ts';
import { buyerWith } from '../api/support/buyers.ts';

const wallet = (name: string, before: string): string => `contract ${name} {
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) { ${before} return 0x1626ba7e; } }`;

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
${wallet('AcceptsAnything', '')}
${wallet('RefusesAll', 'if (block.chainid > 0) return 0xffffffff;')}
${wallet('ValidAtNoGasPrice', 'require(tx.gasprice == 0);')}
${wallet('BurnsTenMillionGas', 'uint256 start = gasleft(); while (start - gasleft() < 10_000_000) {}')}
${wallet('NeverReturns', 'while (block.chainid > 0) {}')}
contract ReturnsOneMegabyte {
  function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
    assembly { mstore(0, shl(224, 0x1626ba7e)) return(0, 0x100000) } } }
contract Forger {
  event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
  event Transfer(address indexed from, address indexed to, uint256 value);
  function forge(address payer, bytes32 nonce, address to, uint256 value) external {
    emit AuthorizationUsed(payer, nonce);
    emit Transfer(payer, to, value);
  } }
contract Batcher {
  function run(address target, bytes[] calldata calls) external {
    for (uint256 i = 0; i < calls.length; i++) {
      (bool success, ) = target.call(calls[i]);
      require(success);
    }
  } }
interface Token { function transfer(address to, uint256 value) external returns (bool); }
contract Permit2StandIn {
  struct Permitted { address token; uint256 amount; }
  struct Permit { Permitted permitted; uint256 nonce; uint256 deadline; }
  struct Witness { address to; uint256 validAfter; }
  mapping(address => mapping(uint256 => bool)) used;
  function settle(Permit calldata permit, address owner, Witness calldata witness, bytes calldata) external {
    require(!used[owner][permit.nonce], "InvalidNonce");
    used[owner][permit.nonce] = true;
    Token(permit.permitted.token).transfer(witness.to, permit.permitted.amount);
  } }`;

export type ContractName =
  | 'AcceptsAnything'
  | 'RefusesAll'
  | 'ValidAtNoGasPrice'
  | 'BurnsTenMillionGas'
  | 'NeverReturns'
  | 'ReturnsOneMegabyte'
  | 'Permit2StandIn'
  | 'Forger'
  | 'Batcher';

let compiled: ReturnType<typeof compile> | undefined;

/** Code of a contract in place, to be put at an address. */
export function codeOf(name: ContractName): Hex {
  compiled ??= compile(SOURCE);
  const code = compiled.contracts[name]?.code;
  if (code === undefined) throw new Error(`no contract ${name}`);
  return code as Hex;
}

/** Code of an account that delegates to a contract (EIP-7702). */
export const delegationTo = (contract: Hex): Hex => concat(['0xef0100', contract]);

export const randomAddress = (): Hex => privateKeyToAccount(generatePrivateKey()).address;

export interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: Hex;
}

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

/** EIP-712 message of an authorization. */
export const typedDataOf = ({ value, validAfter, validBefore, ...rest }: Authorization) =>
  ({
    domain: { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...rest, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
  }) as const;

export const signAuthorization = (account: PrivateKeyAccount, authorization: Authorization): Promise<Hex> =>
  account.signTypedData(typedDataOf(authorization));

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
