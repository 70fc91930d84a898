/**
 * Sends hostile requests to a running server and checks the responses: in time, never a 500, no internals of the code,
 * each refusal an unbilled problem document, and a payment settled exactly for each result.
 */
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { neededQuery } from '../api/support/snapshot_fixtures.ts';
import { ORDINARY_PAYER, type Started } from '../api/support/test_app.ts';
import type { Buyer } from '../api/support/buyers.ts';
import { hostileRequests, payableTargets, type HostileRequest } from './api_requests.ts';

/** Maximum time of a response. */
const TIMEOUT_MS = 10_000;
const CONCURRENCY = 8;
/** Internals that no response may show: positions in the code, stack frames, folders, queries. */
const INTERNALS = new RegExp(
  '\\.(ts|js|mjs):\\d+|\\n\\s+at |node:internal|node_modules|/home/|/tmp/|' +
    'SELECT |Binder Error|Conversion Error|SQLITE|TypeError|ReferenceError',
);

export interface FuzzResult {
  /** Number of requests by the status of their responses. */
  readonly statuses: Map<number, number>;
  /** Faults, each with its request. */
  readonly faults: string[];
  slowestMs: number;
}

/** Send bytes and read until the connection ends. */
const exchange = (url: string, bytes: string): Promise<{ text: string; ms: number }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const started = performance.now();
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) });
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no response within ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that refuses a request before reading it completely resets the connection after its response.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') {
        clearTimeout(timer);
        reject(error);
      }
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ text: Buffer.concat(chunks).toString('latin1'), ms: performance.now() - started });
    });
    socket.write(bytes, 'latin1');
  });

const wireOf = ({ method, target, headers }: HostileRequest): string => {
  const host = headers.some(([name]) => name === 'Host') ? [] : ['Host: localhost'];
  return [
    `${method} ${target} HTTP/1.1`,
    ...host,
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
};

/** The fault of a response, or null. */
function faultOf(text: string): string | null {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (!(status >= 100)) return 'no response';
  if (status >= 500) return `status ${status}`;
  const internals = INTERNALS.exec(text);
  if (internals) return `shows internals: ${internals[0]}`;
  const end = text.indexOf('\r\n\r\n');
  const [head, body] = [text.slice(0, end), text.slice(end + 4)];
  if (status >= 400 && !/^content-type: (application\/problem\+json|text\/html)/im.test(head) && body !== '')
    return 'a refusal without a problem document';
  if (
    status >= 400 &&
    /^content-type: application\/problem\+json/im.test(head) &&
    body !== '' &&
    !/"billed":false/.test(body)
  )
    return 'a refusal that does not state "billed": false';
  if (/^set-cookie:/im.test(head)) return 'a header injected by the request';
  return null;
}

/** Process items with limited concurrency. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

const addResponse = (result: FuzzResult, request: HostileRequest, text: string, ms: number): void => {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
  result.slowestMs = Math.max(result.slowestMs, ms);
  const fault = faultOf(text);
  if (fault !== null)
    result.faults.push(`${fault}: ${JSON.stringify(request).slice(0, 600)} -> ${JSON.stringify(text.slice(0, 400))}`);
};

const emptyResult = (): FuzzResult => ({ statuses: new Map(), faults: [], slowestMs: 0 });

/** Send requests without a valid payment. Nothing may be settled: no payer has money. */
export async function sendUnpaid(started: Started, buyer: Buyer, count: number, seed: number): Promise<FuzzResult> {
  const { facilitator, app, url } = started;
  const result = emptyResult();
  const payments = await Promise.all(
    ['/api/deals', '/api/leads', '/api/batch/weekly.csv', '/api/lookup?apn=P-1'].map((path) => buyer.sign(url + path)),
  );
  const { onPayer } = facilitator.chain;
  facilitator.chain.onPayer = async () => ({ ...ORDINARY_PAYER, balance: 0n });
  const before = facilitator.settled;
  await forEach(fc.sample(hostileRequests(app.routes, payments), { numRuns: count, seed }), async (request) => {
    try {
      const { text, ms } = await exchange(url, wireOf(request));
      addResponse(result, request, text, ms);
    } catch (error) {
      result.faults.push(`${String(error)}: ${JSON.stringify(request).slice(0, 600)}`);
    }
  });
  facilitator.chain.onPayer = onPayer;
  if (facilitator.settled !== before)
    result.faults.push(`${facilitator.settled - before} invalid payments were settled`);
  return result;
}

/** Send requests with a valid payment each. Exactly those with status 200 must be settled. */
export async function sendPaid(started: Started, buyer: Buyer, count: number, seed: number): Promise<FuzzResult> {
  const { facilitator, app, url } = started;
  const result = emptyResult();
  const before = facilitator.settled;
  await forEach(fc.sample(payableTargets(app.routes), { numRuns: count, seed }), async (target) => {
    // Signed for the path only: a refused query has no payment requirements.
    const path = target.split('?')[0] ?? '';
    const request: HostileRequest = {
      method: 'GET',
      target,
      headers: [['PAYMENT-SIGNATURE', await buyer.sign(`${url}${path}${neededQuery(path)}`)]],
    };
    try {
      const { text, ms } = await exchange(url, wireOf(request));
      addResponse(result, request, text, ms);
    } catch (error) {
      result.faults.push(`${String(error)}: ${target}`);
    }
  });
  const sold = result.statuses.get(200) ?? 0;
  if (facilitator.settled - before !== sold)
    result.faults.push(`${sold} results were sent and ${facilitator.settled - before} payments settled`);
  return result;
}
