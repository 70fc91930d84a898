/** The facilitator of x402's library over HTTP, where it is honest or lies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import PQueue from 'p-queue';
import { createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from '../api/support/base.ts';
import { readerOf } from '../../api/payments/chain/node.ts';
import { BASE, NETWORK } from '../../lib/network.ts';
import { startTestServer } from './server.ts';

interface LibraryFacilitatorOptions {
  readonly rpcUrl: string;
  /** Key of an account with gas. It never receives what is paid. */
  readonly key: Hex;
  /** How often the chain is asked whether a transaction is in a block. */
  readonly pollingMs: number;
  /** Time for a settlement to be found in a block, before the facilitator says "pending". */
  readonly receiptTimeoutMs: number;
}

/** The library's own facilitator. */
function x402FacilitatorOf(options: LibraryFacilitatorOptions): x402Facilitator {
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
    waitForTransactionReceipt: ({ hash }) => reader.waitForTransactionReceipt({ hash, timeout: receiptTimeoutMs }),
    getCode: ({ address }) => reader.getCode({ address }),
  });
  return new x402Facilitator().register(NETWORK, scheme);
}

interface FacilitatorRequest {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

interface SettleRequest {
  /** Settle honestly. */
  settle(): Promise<SettleResponse>;
  /** Reply with this status and JSON. */
  reply(status: number, body: object): void;
  readonly response: ServerResponse;
}

/** What a facilitator does with a request to settle. */
export type SettleBehavior = (request: SettleRequest) => Promise<void>;

export interface FacilitatorServer {
  readonly url: string;
  /** Payments that it was shown so far. */
  settlements(): number;
  /** From now on; `honest` to start with. */
  behave(behavior: SettleBehavior): void;
  close(): Promise<void>;
}

export const honest: SettleBehavior = async ({ settle, reply }) => {
  reply(200, await settle());
};

const refusal = (errorReason: string): object => ({ success: false, errorReason, transaction: '', network: NETWORK });
const success = (transaction: unknown): object => ({ success: true, transaction, network: NETWORK });

/** Settles, and says that it was refused. */
export const refusesAfterSettling =
  (status: number, reason: string): SettleBehavior =>
  async ({ settle, reply }) => {
    await settle();
    reply(status, refusal(reason));
  };

/** Says at once that it was refused, and settles later. */
export const refusesBeforeSettling =
  (reason: string, laterMs: number): SettleBehavior =>
  async ({ settle, reply }) => {
    reply(200, refusal(reason));
    await pause(laterMs);
    await settle();
  };

/** Settles, and names something else as the transaction. */
export const namesTransaction =
  (transaction: unknown): SettleBehavior =>
  async ({ settle, reply }) => {
    await settle();
    reply(200, success(transaction));
  };

/** Says that it was settled, and does nothing. */
export const saysItSettled =
  (transaction: string): SettleBehavior =>
  async ({ reply }) => {
    reply(200, success(transaction));
  };

/** Settles, and closes the connection. */
export const hangsUp: SettleBehavior = async ({ settle, response }) => {
  await settle();
  response.destroy();
};

/** Closes the connection, and does nothing. */
export const onlyHangsUp: SettleBehavior = async ({ response }) => {
  response.destroy();
};

/** Settles honestly once the gate opens. */
export function gated(): { readonly behavior: SettleBehavior; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open: () => {
      open();
    },
    async behavior(request) {
      await opened;
      await honest(request);
    },
  };
}

/** Serve the library's facilitator, which waits `receiptTimeoutMs` for a block before it says "pending". */
export async function facilitatorServer(
  rpcUrl: string,
  key: Hex,
  receiptTimeoutMs = 10_000,
): Promise<FacilitatorServer> {
  const facilitator = x402FacilitatorOf({ rpcUrl, key, pollingMs: 25, receiptTimeoutMs });
  let behavior = honest;
  let settlements = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/supported') {
      reply(200, facilitator.getSupported());
      return;
    }
    // Whatever it is asked about a payment: it can settle what it has seen.
    const { paymentPayload, paymentRequirements } = (await json(request)) as FacilitatorRequest;
    settlements += 1;
    await behavior({ settle: () => facilitator.settle(paymentPayload, paymentRequirements), reply, response });
  };
  const server = await startTestServer((request, response) => {
    respond(request, response).catch(() => {
      response.destroy();
    });
  });
  return {
    url: server.url,
    settlements: () => settlements,
    behave(next) {
      behavior = next;
    },
    close: () => server.close(),
  };
}
