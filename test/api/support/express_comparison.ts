/** The same handler behind the official Express middleware and behind our payment layer, on one facilitator. */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { x402ResourceServer, type FacilitatorClient, type RouteConfig } from '@x402/core/server';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware } from '@x402/express';
import express from 'express';
import Koa from 'koa';
import type { PublicClient } from 'viem';
import { paymentLayer } from '../../../api/payments/middleware.ts';
import { BASE, NETWORK } from '../../../lib/network.ts';
import { paymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { signaturesOf } from '../../../api/payments/chain/signatures.ts';
import { adaptedFacilitator } from '../../shop/facilitators.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { testReceiptKeys } from './receipt_key.ts';

/** Outcomes of the handler, by path. */
export const HANDLERS = { '/ok': 200, '/bad': 400, '/missing': 404, '/conflict': 409, '/crash': 500 } as const;

/** The compared parts of a response. */
export interface ComparedResponse {
  readonly status: number;
  readonly body: string;
  readonly required: PaymentRequired | null;
  readonly headers: ReadonlyMap<string, string>;
}

export interface Target {
  readonly name: 'express' | 'ours';
  readonly url: string;
  readonly payTo: `0x${string}`;
  /** Runs of the handler since the last call. */
  handlerRuns(): number;
  close(): Promise<void>;
}

export const COMPARED_HEADERS = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'Cache-Control',
  'Retry-After',
  'Receipt-Id',
  'Signed-Receipt',
  'Repr-Digest',
  'Unencoded-Digest',
  'Delivery',
];

const routesFor = (payTo: string): Record<string, RouteConfig> =>
  Object.fromEntries(
    Object.keys(HANDLERS).map((path) => [
      `GET ${path}`,
      {
        accepts: { scheme: 'exact', network: NETWORK, payTo, price: '$0.05', maxTimeoutSeconds: 300 },
        description: `The response of ${path}.`,
        mimeType: 'application/json',
      } satisfies RouteConfig,
    ]),
  );

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => {
      resolve();
    });
  });
const counter = (): { count: () => void; taken: () => number } => {
  let n = 0;
  return {
    count: () => {
      n += 1;
    },
    taken: () => {
      const now = n;
      n = 0;
      return now;
    },
  };
};

/** The handler behind the official middleware. */
export async function expressTarget(facilitator: FacilitatorClient, payTo: `0x${string}`): Promise<Target> {
  const app = express();
  const runs = counter();
  app.use(
    paymentMiddleware(routesFor(payTo), new x402ResourceServer(facilitator).register(NETWORK, new ExactEvmScheme())),
  );
  for (const [path, status] of Object.entries(HANDLERS)) {
    app.get(path, (_, response) => {
      runs.count();
      if (status === 500) throw new Error('a crash of the handler');
      response.status(status).json({ path });
    });
  }
  app.use((_: unknown, __: express.Request, response: express.Response, next: express.NextFunction) => {
    if (response.headersSent) next();
    else response.status(500).json({});
  });
  const server = app.listen(0);
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  return {
    name: 'express',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payTo,
    handlerRuns: runs.taken,
    close: () => closeServer(server),
  };
}

/** The handler behind our payment layer. */
export async function ourTarget(
  client: FacilitatorClient,
  reader: PublicClient,
  payTo: `0x${string}`,
  ledger: Ledger,
): Promise<Target> {
  const runs = counter();
  const router = new Router();
  const koa = new Koa();
  koa.silent = true;
  const server = createServer((request, response) => {
    void koa.callback()(request, response);
  });
  const url = await listen(server);
  const routes = routesFor(payTo);
  const layer = paymentLayer({
    network: BASE,
    facilitator: adaptedFacilitator(client),
    chain: paymentChain(reader),
    signatures: signaturesOf(reader),
    tokenObstacle: () => null,
    acceptsContractWallets: true,
    wait: { everyMs: 25, readsWithHint: 40, readsWithoutHint: 40 },
    routes,
    ledger,
    receiptKeys: testReceiptKeys,
    publicUrl: url,
    editionOf: () => 'one',
    collectUrl: (id) => `${url}/purchases/${id}`,
    refuse: (ctx, { reason, detail, billed }) => {
      ctx.body = { reason, detail, billed };
    },
  });
  for (const [path, status] of Object.entries(HANDLERS)) {
    router.get(path, layer.charge({ routeKey: `GET ${path}`, leaseMs: 60_000, isExclusive: false }), (ctx) => {
      runs.count();
      if (status === 500) throw new Error('a crash of the handler');
      ctx.status = status;
      ctx.body = JSON.stringify({ path });
      ctx.type = 'application/json';
    });
  }
  koa.use(router.routes());
  await layer.start().catch(() => undefined);
  return {
    name: 'ours',
    url,
    payTo,
    handlerRuns: runs.taken,
    async close() {
      await closeServer(server);
      await layer.idle();
    },
  };
}

/** Send a request. @returns the compared parts of the response */
export async function compared(
  url: string,
  {
    payment,
    method = 'GET',
    headers = {},
  }: { payment?: string | undefined; method?: string; headers?: Record<string, string> } = {},
): Promise<ComparedResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }) },
  });
  const body = await response.text();
  const required = response.headers.get('PAYMENT-REQUIRED');
  return {
    status: response.status,
    body,
    required: required === null ? null : decodePaymentRequiredHeader(required),
    headers: new Map(
      COMPARED_HEADERS.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      }),
    ),
  };
}

/** Send a request without a payment and with this Host header, which fetch does not allow. */
export async function comparedWithHost(url: string, host: string): Promise<ComparedResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { headers: { Host: host, Accept: 'application/json' } }, resolve)
      .once('error', reject)
      .end();
  });
  response.resume();
  const required = response.headers['payment-required'];
  return {
    status: response.statusCode ?? 0,
    body: '',
    required: typeof required === 'string' ? decodePaymentRequiredHeader(required) : null,
    headers: new Map(
      COMPARED_HEADERS.flatMap((name) => {
        const value = response.headers[name.toLowerCase()];
        return typeof value === 'string' ? [[name, value] as const] : [];
      }),
    ),
  };
}

export interface Observed {
  readonly text: string;
  readonly seen: readonly ComparedResponse[];
}

/** With the host that the 402 names. */
export const hosted = (observed: Observed, target: Target | undefined): Observed => {
  const named = new URL(observed.seen[0]?.required?.resource.url ?? 'http://nothing').host;
  return {
    ...observed,
    text: `${observed.text}; names ${named === new URL(target?.url ?? '').host ? 'the server' : named}`,
  };
};
