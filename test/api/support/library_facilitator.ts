/** The facilitator of x402's library in this process, for comparisons: its exact scheme, a gas key and a node. */
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import type { SupportedResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import PQueue from 'p-queue';
import { createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from '../../../api/payments/chain/base_chain.ts';
import { readerOf } from '../../../api/payments/chain/node.ts';
import type { Facilitator } from '../../../api/payments/facilitator/facilitator_client.ts';
import { FacilitatorUnavailable } from '../../../api/payments/facilitator/unavailable.ts';
import { BASE, NETWORK } from '../../../lib/network.ts';

/** Time for a settlement to be found in a block. */
const RECEIPT_TIMEOUT_MS = 30_000;

export interface LibraryFacilitatorOptions {
  readonly rpcUrl: string;
  /** Key of an account with gas. It never receives what is paid. */
  readonly key: Hex;
  /** How often the chain is asked whether a transaction is in a block. */
  readonly pollingMs: number;
  /** Time for a settlement to be found in a block, before the facilitator says "pending". Default: the caller's. */
  readonly receiptTimeoutMs?: number;
}

/** The library's own facilitator. */
export function x402FacilitatorOf(options: LibraryFacilitatorOptions): x402Facilitator {
  const { rpcUrl, key, pollingMs, receiptTimeoutMs } = options;
  const account = privateKeyToAccount(key);
  const reader = readerOf(BASE, rpcUrl, pollingMs);
  const wallet = createWalletClient({ chain: base, transport: http(rpcUrl, { retryCount: 0 }), account });
  // One transaction is numbered and sent at a time, so that two settlements never take the same number.
  const sending = new PQueue({ concurrency: 1 });
  const scheme = new ExactEvmScheme({
    getAddresses: () => [account.address],
    readContract: (call) => reader.readContract({ ...call, args: call.args ?? [] }),
    verifyTypedData: (data) => reader.verifyTypedData(data as Parameters<typeof reader.verifyTypedData>[0]),
    writeContract: ({ address, abi, functionName, args, dataSuffix }) =>
      sending.add(() =>
        wallet.writeContract({ address, abi, functionName, args, ...(dataSuffix === undefined ? {} : { dataSuffix }) }),
      ),
    sendTransaction: (transaction) => sending.add(() => wallet.sendTransaction({ ...transaction, chain: base })),
    waitForTransactionReceipt: ({ hash, timeout }) =>
      reader.waitForTransactionReceipt({ hash, timeout: receiptTimeoutMs ?? timeout ?? RECEIPT_TIMEOUT_MS }),
    getCode: ({ address }) => reader.getCode({ address }),
  });
  return new x402Facilitator().register(NETWORK, scheme);
}

/** A facilitator that verifies and settles itself. It rejects where the chain does not answer. */
export function libraryFacilitator(options: LibraryFacilitatorOptions): FacilitatorClient {
  const facilitator = x402FacilitatorOf(options);
  const reader = readerOf(BASE, options.rpcUrl, options.pollingMs);
  return {
    async verify(payload, requirements) {
      // The scheme treats a failed call as an invalid signature; a node that is down must not look like that.
      await reader.getBlockNumber();
      return facilitator.verify(payload, requirements);
    },
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => {
      await reader.getBlockNumber();
      return facilitator.getSupported() as SupportedResponse;
    },
  };
}

const TRANSACTION = /^0x[0-9a-f]{64}$/;
const REASON = /^[a-z0-9_]{1,80}$/;

const unavailable = (): never => {
  throw new FacilitatorUnavailable('the facilitator gave no usable reply');
};

/** A facilitator of x402's own interface as our payment layer takes it. */
export const adaptedFacilitator = (client: FacilitatorClient): Facilitator => ({
  async verify(payload, requirements) {
    const { isValid, invalidReason = '' } = await client.verify(payload, requirements).catch(unavailable);
    return isValid
      ? { isValid: true }
      : { isValid: false, reason: REASON.test(invalidReason) ? invalidReason : 'refused_by_facilitator' };
  },
  async settle(payload, requirements) {
    const transaction = await client.settle(payload, requirements).then(
      (reply) => reply.transaction.toLowerCase(),
      () => '',
    );
    return { transaction: TRANSACTION.test(transaction) ? transaction : null };
  },
  async supported() {
    const { kinds } = await client.getSupported().catch(unavailable);
    return kinds.some(
      ({ x402Version, scheme, network }) => x402Version === 2 && scheme === 'exact' && network === NETWORK,
    );
  },
});
