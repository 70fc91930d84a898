/** The facilitator of sandbox mode: x402's own exact scheme, in this process, on the local chain. */
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import type { SupportedResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import PQueue from 'p-queue';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { NETWORK } from '../network.ts';
import type { Chain } from './chain.ts';

const RECEIPT_TIMEOUT_MS = 10_000;

/** A facilitator that verifies and settles on `chain`. Rejects where the chain does not answer. */
export function localFacilitator(chain: Chain): FacilitatorClient {
  const account = privateKeyToAccount(chain.gasKey);
  const options = { chain: base, transport: http(chain.rpcUrl, { retryCount: 0 }), pollingInterval: 25, cacheTime: 0 } as const;
  const reader = createPublicClient(options);
  const wallet = createWalletClient({ ...options, account });
  // One transaction is numbered and sent at a time, so that two settlements never take the same number.
  const sending = new PQueue({ concurrency: 1 });
  const scheme = new ExactEvmScheme({
    getAddresses: () => [account.address],
    readContract: (call) => reader.readContract({ ...call, args: call.args ?? [] }),
    verifyTypedData: (data) => reader.verifyTypedData(data as Parameters<typeof reader.verifyTypedData>[0]),
    writeContract: ({ address, abi, functionName, args, dataSuffix }) =>
      sending.add(() => wallet.writeContract({ address, abi, functionName, args, ...(dataSuffix === undefined ? {} : { dataSuffix }) })),
    sendTransaction: (transaction) => sending.add(() => wallet.sendTransaction(transaction)),
    waitForTransactionReceipt: ({ hash, timeout }) => reader.waitForTransactionReceipt({ hash, timeout: timeout ?? RECEIPT_TIMEOUT_MS }),
    getCode: ({ address }) => reader.getCode({ address }),
  });
  const facilitator = new x402Facilitator().register(NETWORK, scheme);
  return {
    async verify(payload, requirements) {
      // The scheme takes an unanswered call for an invalid signature; a chain that is down must not look like a bad payment.
      await chain.ping();
      return facilitator.verify(payload, requirements);
    },
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => {
      await chain.ping();
      return facilitator.getSupported() as SupportedResponse;
    },
  };
}
