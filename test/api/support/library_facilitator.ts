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
import { BASE, NETWORK } from '../../../lib/network.ts';

/** Time for a settlement to be found in a block. */
const RECEIPT_TIMEOUT_MS = 30_000;

export interface LibraryFacilitatorOptions {
  readonly rpcUrl: string;
  /** Key of an account with gas. It never receives what is paid. */
  readonly key: Hex;
  /** How often the chain is asked whether a transaction is in a block. */
  readonly pollingMs: number;
}

/** A facilitator that verifies and settles itself. It rejects where the chain does not answer. */
export function libraryFacilitator({ rpcUrl, key, pollingMs }: LibraryFacilitatorOptions): FacilitatorClient {
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
      reader.waitForTransactionReceipt({ hash, timeout: timeout ?? RECEIPT_TIMEOUT_MS }),
    getCode: ({ address }) => reader.getCode({ address }),
  });
  const facilitator = new x402Facilitator().register(NETWORK, scheme);
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
