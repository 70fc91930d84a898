/** Facilitators over HTTP: an honest one built on the library, and ones that lie. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { Hex } from 'viem';
import { NETWORK } from '../../lib/network.ts';
import { x402FacilitatorOf } from '../api/support/library_facilitator.ts';
import { startTestServer } from '../web/server.ts';

interface FacilitatorRequest {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

export interface SettleRequest {
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
  /** Settlements requested so far. */
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
export const onlyClaimsToSettle =
  (transaction: string): SettleBehavior =>
  async ({ reply }) => {
    reply(200, success(transaction));
  };

/** Settles, and closes the connection. */
export const hangsUp: SettleBehavior = async ({ settle, response }) => {
  await settle();
  response.destroy();
};

/** Closes the connection, and settles later. */
export const hangsUpBeforeSettling =
  (laterMs: number): SettleBehavior =>
  async ({ settle, response }) => {
    response.destroy();
    await pause(laterMs);
    await settle();
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
    const asked = (await json(request)) as FacilitatorRequest;
    const { paymentPayload, paymentRequirements } = asked;
    if (request.url === '/verify') {
      reply(200, await facilitator.verify(paymentPayload, paymentRequirements));
      return;
    }
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
