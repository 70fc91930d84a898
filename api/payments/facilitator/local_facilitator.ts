/** A facilitator in this process: a key that pays the gas, a chain node, and a limit on the gas. */
import type { PaymentPayload } from '@x402/core/types';
import PQueue from 'p-queue';
import {
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  http,
  parseAbi,
  RpcRequestError,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { SignedAuthorization } from '../chain/authorization.ts';
import { evmChainOf, fromNode, readerOf } from '../chain/node.ts';
import type { Facilitator } from './facilitator.ts';
import type { Network } from '../../../lib/network.ts';

const token = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, ' +
    'uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** Gas of settlements, reserved before it is spent. */
export interface GasBudget {
  /** Gas limit of every settlement; a settlement that needs more is refused. */
  readonly perSettlement: bigint;
  /** @returns false if the day's gas is used up */
  reserve(gas: bigint): Promise<boolean>;
  hasLeft(): Promise<boolean>;
}

interface LocalFacilitatorOptions {
  readonly network: Network;
  readonly rpcUrl: string;
  /** Key of an account with gas. Buyers never pay this account. */
  readonly key: Hex;
  readonly gas: GasBudget;
}

/** The call that settles a payment. */
function callFor({ usdc }: Network, payload: PaymentPayload) {
  const { signature, authorization: a } = payload.payload as SignedAuthorization;
  const [value, validAfter, validBefore] = [BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore)];
  return {
    address: usdc.address,
    abi: token,
    functionName: 'transferWithAuthorization',
    args: [a.from, a.to, value, validAfter, validBefore, a.nonce, signature],
  } as const;
}

/** Whether the node answered that the call fails, rather than not answering. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((inner) => inner instanceof ContractFunctionRevertedError || inner instanceof RpcRequestError) !== null;

export function localFacilitator({ network, rpcUrl, key, gas }: LocalFacilitatorOptions): Facilitator {
  const account = privateKeyToAccount(key);
  const reader = readerOf(network, rpcUrl);
  const wallet = createWalletClient({
    chain: evmChainOf(network),
    transport: http(rpcUrl, { retryCount: 0 }),
    account,
  });
  // Send one transaction at a time, so that two settlements never use the same account nonce.
  const sending = new PQueue({ concurrency: 1 });
  return {
    async settle(payload) {
      const call = callFor(network, payload);
      try {
        const needed = await reader.estimateContractGas({ ...call, account });
        if (needed > gas.perSettlement) return { transaction: null, unsent: 'settlement_gas_above_limit' };
        if (!(await gas.reserve(gas.perSettlement))) return { transaction: null, unsent: 'gas_spent' };
      } catch (error) {
        const unsent = isRefusal(error) ? 'settlement_simulation_failed' : 'unavailable';
        return { transaction: null, unsent };
      }
      try {
        return {
          transaction: await sending.add(() => wallet.writeContract({ ...call, gas: gas.perSettlement })),
        };
      } catch {
        // It may have been sent; the chain decides.
        return { transaction: null };
      }
    },
    supported: async () => (await fromNode(reader.getChainId())) === network.chainId,
    hasBudget: () => gas.hasLeft(),
    async settlementsLeft() {
      const [balance, price] = await fromNode(
        Promise.all([reader.getBalance({ address: account.address }), reader.getGasPrice()]),
      );
      return price === 0n ? balance : balance / (price * gas.perSettlement);
    },
  };
}
