/**
 * The application on its own socket, with a scripted facilitator and a scripted chain, which has every payment that the
 * facilitator settled.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { closing } from '../../../lib/closing.ts';
import { createApp, type App, type AppDeps } from '../../../api/app.ts';
import type { RequestLog } from '../../../api/http/log.ts';
import type { SignedAuthorization } from '../../../api/payments/chain/authorization.ts';
import type { Evidence, PayerState } from '../../../api/payments/chain/payment_chain.ts';
import type { Facilitator, SettlementHint } from '../../../api/payments/facilitator.ts';
import { signaturesOf } from '../../../api/payments/chain/signatures.ts';
import type { PaymentNetwork } from '../../../api/payments/paid_request.ts';
import { limitedServer } from '../../../api/http/socket.ts';
import type { Ledger, Payment } from '../../../ledger/ledger.ts';
import { BASE } from '../../../lib/network.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { openSnapshots, type Snapshots } from '../../../api/serving/follow.ts';
import type { TableName } from '../../../models/serving/tables.ts';
import { bodyOf, buyerWith, type Buyer } from './buyers.ts';
import { responseChecker } from './response_checker.ts';
import { dataFolder, type DataFolder, type Row } from './snapshot_fixtures.ts';
import { testReceiptKeys } from './receipt_key.ts';

type Chain = PaymentNetwork['chain'];

/** An account with money and without code, which nobody blocks. */
export const ORDINARY_PAYER: PayerState = {
  hasCode: false,
  balance: 10n ** 12n,
  isUsed: false,
  isBlocked: false,
  obstacle: null,
};

/** Has the settled payments, and an ordinary account with money for every payer, unless a test replaces a method. */
class ScriptedChain implements Chain {
  /** Transactions by the nonce of the payment they settled. */
  readonly transactions = new Map<string, string>();
  onPayer: (payment: Payment) => Promise<PayerState> = async () => ORDINARY_PAYER;
  onEvidence = async (payment: Payment): Promise<Evidence> => this.shownEvidence(payment);

  /** The evidence of a payment, unless a test replaces `onEvidence`. */
  shownEvidence({ nonce }: Pick<Payment, 'nonce'>): Evidence {
    const transaction = this.transactions.get(nonce);
    return transaction === undefined ? { kind: 'open' } : { kind: 'paid', transaction, block: 1n };
  }
  id = async (): Promise<string> => `0x${'0'.repeat(64)}`;
  payerState(payment: Payment): Promise<PayerState> {
    return this.onPayer(payment);
  }
  evidenceOf(payment: Payment): Promise<Evidence> {
    return this.onEvidence(payment);
  }
}

/** Accepts everything and moves the money on its chain, unless a test replaces a method. */
export class ScriptedFacilitator implements Facilitator {
  readonly chain = new ScriptedChain();
  /** Payments settled so far. */
  settled = 0;
  onSupported = async (): Promise<boolean> => true;
  onReach = async (): Promise<void> => undefined;
  onSettle: Facilitator['settle'] = async (payload) => ({ transaction: this.move(payload) });

  /** Move the money of this payment. @returns the transaction */
  move(payload: PaymentPayload): string {
    const { nonce } = (payload.payload as SignedAuthorization).authorization;
    const transaction = `0x${hash('sha256', nonce, 'hex')}`;
    this.chain.transactions.set(nonce.toLowerCase(), transaction);
    this.settled += 1;
    return transaction;
  }
  reach(): Promise<void> {
    return this.onReach();
  }
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementHint> {
    return this.onSettle(payload, requirements);
  }
  supported(): Promise<boolean> {
    return this.onSupported();
  }
}

/** Public URL in payments and documents. */
export const PUBLIC_URL = 'https://api.dealfeed.example';

export const PAY_TO = '0x00000000000000000000000000000000000000aa';

/** The scripted chain responds at once. */
const QUICK = { everyMs: 1, readsWithHint: 3, readsWithoutHint: 2 } as const;

export interface Started {
  readonly url: string;
  readonly app: App;
  readonly snapshots: Snapshots;
  readonly facilitator: ScriptedFacilitator;
  readonly ledger: Ledger;
  readonly requests: RequestLog[];
  /** Number of responses compared with the OpenAPI description so far. */
  responsesChecked(): number;
  close(): Promise<void>;
}

/**
 * Start the application on a data folder. The facilitator reports what it supports, as at a real start. Every response
 * is compared with the OpenAPI description; `close` fails if one differs. `snapshots` and `ledger` stay open if given.
 */
export async function startApp(
  dataDir: string,
  {
    facilitator = new ScriptedFacilitator(),
    chain = facilitator.chain,
    signatures = signaturesOf(null),
    receiptKeys = testReceiptKeys,
    wait = QUICK,
    nowMs = Date.now,
    publicUrl = PUBLIC_URL,
    ledger: given,
    snapshots: shared,
    settings,
    ...more
  }: { facilitator?: ScriptedFacilitator; nowMs?: () => number; ledger?: Ledger } & Pick<AppDeps, 'handlerMs'> &
    Partial<Pick<AppDeps, 'publicUrl' | 'snapshots'>> & { settings?: Partial<AppDeps['settings']> } & Partial<
      Pick<AppDeps['payments'], 'wait' | 'receiptKeys' | 'chain' | 'signatures'>
    > = {},
): Promise<Started> {
  const snapshots = shared ?? (await openSnapshots({ dataDir, pollMs: 250, nowMs }));
  const ledger = given ?? (await openSqliteLedger(':memory:'));
  const server = limitedServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: RequestLog[] = [];
  const app = createApp({
    settings: {
      DATA_DIR: dataDir,
      UNBILLED_PER_MINUTE: 0,
      PROXY_HOPS: 0,
      CURSOR_SECRET: 'a secret of the tests',
      ...settings,
    },
    snapshots,
    publicUrl,
    nowMs,
    checkResponses: true,
    payments: {
      mode: 'facilitator',
      network: BASE,
      facilitator,
      chain,
      signatures,
      tokenObstacle: () => null,
      wait,
      payTo: PAY_TO,
      ledger,
      receiptKeys,
    },
    log: (entry) => {
      requests.push(entry);
    },
    ...more,
  });
  await app.payments.start().catch(() => undefined);
  const checker = responseChecker(app.routes);
  server.on('request', (request, response) => {
    checker.watch(request, response);
  });
  server.on('request', app.koa.callback());
  return {
    url,
    app,
    snapshots,
    facilitator,
    ledger,
    requests,
    responsesChecked: () => checker.checked.count,
    async close() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
      if (!given) await ledger.close();
      if (!shared) snapshots.close();
      assert.deepEqual(checker.errors, []);
    },
  };
}

/** A data folder and an application that several tests share. */
export interface SharedApp {
  readonly folder: DataFolder;
  readonly app: Started;
  /** Let `current` name this snapshot, and let the server read it. */
  switchTo(runId: string): Promise<void>;
  /** An answer without a payment. */
  get(path: string): Promise<Answer>;
  /** Has money for every payment. */
  readonly buyer: Buyer;
  /** An answer, paid if the server asks for a payment. */
  ask(path: string): Promise<Answer>;
  /** The body of an answer as `ask` gets it, which must be 200. */
  buy(path: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

interface Answer {
  readonly response: Response;
  readonly status: number;
  readonly body: Record<string, unknown>;
}

type Tables = Partial<Record<TableName, readonly Row[]>>;

/** Serve these rows as snapshot 2026-11-20.01; without rows, serve nothing yet. */
export async function startSharedApp(tables?: Tables, options: AppOptions = {}): Promise<SharedApp> {
  const folder = await dataFolder();
  if (tables) await folder.publish('2026-11-20.01', tables);
  const app = await startApp(folder.path, options);
  const buyer = buyerWith();
  const answer = async (path: string, send: (url: string) => Promise<Response>): Promise<Answer> => {
    const response = await send(app.url + path);
    assert.match(response.headers.get('Content-Type') ?? '', /json/, path);
    return { response, status: response.status, body: await bodyOf(response) };
  };
  const ask: SharedApp['ask'] = (path) => answer(path, buyer.fetch);
  return {
    folder,
    app,
    buyer,
    get: (path) => answer(path, fetch),
    ask,
    async buy(path) {
      const { status, body } = await ask(path);
      assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
      return body;
    },
    async switchTo(runId) {
      await folder.switchTo(runId);
      await app.snapshots.refresh();
    },
    async close() {
      await app.close();
      await folder.remove();
    },
  };
}

/** An app with these rows for the suite that calls this: it starts before the tests and is closed after them. */
export function sharedApp(tables?: Tables, options: AppOptions = {}): Omit<SharedApp, 'close'> {
  let started: SharedApp | undefined;
  const running = (): SharedApp => started ?? assert.fail('the app has not started');
  before(async () => {
    started = await startSharedApp(tables, options);
  });
  after(() => started?.close());
  return {
    get folder() {
      return running().folder;
    },
    get app() {
      return running().app;
    },
    switchTo: (runId) => running().switchTo(runId),
    get: (path) => running().get(path),
    get buyer() {
      return running().buyer;
    },
    ask: (path) => running().ask(path),
    buy: (path) => running().buy(path),
  };
}

export type AppOptions = Parameters<typeof startApp>[1];

/** Run a test on an application of its own, which is closed afterwards. */
export async function withStarted(
  dataDir: string,
  options: AppOptions,
  test: (started: Started) => Promise<void>,
): Promise<void> {
  await using started = closing(await startApp(dataDir, options));
  await test(started);
}
