/** The application on a socket of its own, with a facilitator that does what the test says and no chain. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FacilitatorClient } from '@x402/core/server';
import type { SettleResponse, SupportedResponse, VerifyResponse } from '@x402/core/types';
import { createApp, type App, type AppDeps, type RequestLog } from '../../api/app.ts';
import { NETWORK } from '../../api/payments/network.ts';
import { signaturesOf } from '../../api/payments/signatures.ts';
import { limitedServer } from '../../api/socket.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openSqliteLedger } from '../../ledger/sqlite.ts';
import { openSnapshots, type Snapshots } from '../../api/snapshots.ts';
import { checkerOf } from './answers_checked.ts';

/** Address that payments and documents name. */
export const PUBLIC_URL = 'https://api.dealfeed.example';

export const PAY_TO = '0x00000000000000000000000000000000000000aa';

/** A facilitator that says yes to everything, unless a test replaces a step. It counts what it settled. */
export class ScriptedFacilitator implements FacilitatorClient {
  settled = 0;
  onSupported = async (): Promise<SupportedResponse> => ({ kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} });
  onVerify = async (): Promise<VerifyResponse> => ({ isValid: true });
  onSettle = async (): Promise<SettleResponse> => ({ success: true, transaction: `0x${'1'.repeat(64)}`, network: NETWORK });

  getSupported(): Promise<SupportedResponse> { return this.onSupported(); }
  verify(): Promise<VerifyResponse> { return this.onVerify(); }
  async settle(): Promise<SettleResponse> {
    const result = await this.onSettle();
    if (result.success) this.settled += 1;
    return result;
  }
}

export interface Started {
  readonly url: string;
  readonly app: App;
  readonly snapshots: Snapshots;
  readonly facilitator: ScriptedFacilitator;
  readonly ledger: Ledger;
  readonly requests: RequestLog[];
  /** Answers that were held against the interface description so far. */
  answersChecked(): number;
  close(): Promise<void>;
}

/**
 * Start the application over a data folder. The facilitator is asked what it supports, as at a real start. Every
 * answer is held against the interface description; closing fails where one was not as described.
 */
export async function startApp(
  dataDir: string, { facilitator = new ScriptedFacilitator(), nowMs = Date.now, ledger: given, ...limits }: { facilitator?: ScriptedFacilitator; nowMs?: () => number; ledger?: Ledger } & Pick<AppDeps, 'unbilledPerMinute' | 'proxies' | 'answerMs'> = {},
): Promise<Started> {
  const snapshots = await openSnapshots({ dataDir, lookEveryMs: 50, nowMs });
  const ledger = given ?? await openSqliteLedger(':memory:');
  const server = limitedServer();
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: RequestLog[] = [];
  const app = createApp({
    snapshots, publicUrl: PUBLIC_URL, spoolDir: join(dataDir, 'spool'), cursorSecret: 'a secret of the tests', nowMs, checkReplies: true,
    payments: { mode: 'facilitator', facilitator, payTo: PAY_TO, ledger, signatures: signaturesOf(null) },
    log: (entry) => { requests.push(entry); }, ...limits,
  });
  await app.payments.start().catch(() => undefined);
  const checker = checkerOf(app.routes, PUBLIC_URL);
  server.on('request', (request, response) => { checker.watch(request, response); });
  server.on('request', app.koa.callback());
  return {
    url, app, snapshots, facilitator, ledger, requests, answersChecked: () => checker.seen.count,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
      await app.payments.idle();
      if (!given) await ledger.close();
      snapshots.close();
      assert.deepEqual(checker.wrong, []);
    },
  };
}
