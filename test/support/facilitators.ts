/** The facilitator of x402's library over HTTP, where it is honest or lies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import PQueue from 'p-queue';
import {
  createWalletClient,
  http,
  publicActions,
  type Hex,
  type SendTransactionParameters,
  type WriteContractParameters,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from '../api/support/base.ts';
import { NETWORK } from '../../lib/network.ts';
import { startTestServer } from './server.ts';

/** The library's own facilitator. Its key is of an account with gas, which never receives what is paid. */
function x402FacilitatorOf(rpcUrl: string, key: Hex, receiptTimeoutMs: number): x402Facilitator {
  const account = privateKeyToAccount(key);
  const transport = http(rpcUrl, { retryCount: 0 });
  const node = createWalletClient({ chain: base, transport, account, pollingInterval: 25 }).extend(publicActions);
  // One transaction is numbered and sent at a time, so that two settlements never take the same number.
  const sending = new PQueue({ concurrency: 1 });
  const signer: unknown = {
    ...node,
    address: account.address,
    writeContract: (call: WriteContractParameters) => sending.add(() => node.writeContract(call)),
    sendTransaction: (call: SendTransactionParameters) => sending.add(() => node.sendTransaction(call)),
  };
  // The types of viem and x402 differ in optional members only.
  const typed = signer as Parameters<typeof toFacilitatorEvmSigner>[0];
  const scheme = new ExactEvmScheme(toFacilitatorEvmSigner(typed, { confirmationTimeoutMs: receiptTimeoutMs }));
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
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return {
    open,
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
  const facilitator = x402FacilitatorOf(rpcUrl, key, receiptTimeoutMs);
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
