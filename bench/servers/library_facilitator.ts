/** A facilitator in this process: x402's own exact scheme, with a key that pays for the gas and a node of the chain. */
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import type { SupportedResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import PQueue from 'p-queue';
import { createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from './base.ts';
import { readerOf } from './node.ts';
import { NETWORK } from './network.ts';

/** Time for a settlement to be found in a block. */
const RECEIPT_TIMEOUT_MS = 30_000;
/** Gas that one settlement takes, rounded up. */
const SETTLEMENT_GAS = 120_000n;

export interface OwnFacilitatorOptions {
  readonly rpcUrl: string;
  /** Key of an account with gas. It never receives what is paid. */
  readonly key: Hex;
  /** How often the chain is asked whether a transaction is in a block. */
  readonly pollingMs: number;
}

export interface OwnFacilitator extends FacilitatorClient {
  readonly address: Hex;
  /** How many settlements the gas is enough for at today's price. Rejects where the chain cannot be asked. */
  settlementsLeft(): Promise<bigint>;
}

/** A facilitator that verifies and settles itself. It rejects where the chain does not answer. */
export function ownFacilitator({ rpcUrl, key, pollingMs }: OwnFacilitatorOptions): OwnFacilitator {
  const account = privateKeyToAccount(key);
  const reader = readerOf(rpcUrl, pollingMs);
  const wallet = createWalletClient({ chain: base, transport: http(rpcUrl, { retryCount: 0 }), account });
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
    address: account.address,
    async verify(payload, requirements) {
      // The scheme takes an unanswered call for an invalid signature; a chain that is down must not look like a bad payment.
      await reader.getBlockNumber();
      return facilitator.verify(payload, requirements);
    },
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => {
      await reader.getBlockNumber();
      return facilitator.getSupported() as SupportedResponse;
    },
    async settlementsLeft() {
      const [balance, price] = await Promise.all([reader.getBalance({ address: account.address }), reader.getGasPrice()]);
      return price === 0n ? balance : balance / (price * SETTLEMENT_GAS);
    },
  };
}
