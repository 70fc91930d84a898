/**
 * Throws wild requests at a running server and judges what comes back: an answer in time, never a 500, nothing of the
 * code's inside, every refusal a problem document that was not billed, and money moved exactly where an answer was.
 */
import { connect } from 'node:net';
import * as fc from 'fast-check';
import type { Started } from '../api/support/test_app.ts';
import type { Buyer } from '../api/support/buyers.ts';
import { payableTargets, wildRequests, type WildRequest } from './api_requests.ts';

/** Longest an answer may take. */
const PATIENCE_MS = 10_000;
const AT_ONCE = 8;
/** What must not be seen outside: positions in the code, frames, folders, queries. */
const INSIDE =
  /\.(ts|js|mjs):\d+|\n\s+at |node:internal|node_modules|\/home\/|\/tmp\/|SELECT |Binder Error|Conversion Error|SQLITE|TypeError|ReferenceError/;

export interface Found {
  /** Requests by the status of their answers. */
  readonly statuses: Map<number, number>;
  /** What was wrong, with the request that shows it. */
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
      socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`));
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that refuses what it has not read to the end resets the connection after its answer.
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

const wireOf = ({ method, target, headers }: WildRequest): string => {
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

/** What is wrong with an answer, or null. */
function wrongWith(text: string): string | null {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (!(status >= 100)) return 'no answer';
  if (status >= 500) return `status ${status}`;
  if (INSIDE.test(text)) return `something of the inside: ${INSIDE.exec(text)?.[0]}`;
  const end = text.indexOf('\r\n\r\n');
  const [head, body] = [text.slice(0, end), text.slice(end + 4)];
  if (status >= 400 && !/^content-type: (application\/problem\+json|text\/html)/im.test(head) && body !== '')
    return 'a refusal that is no problem document';
  if (
    status >= 400 &&
    /^content-type: application\/problem\+json/im.test(head) &&
    body !== '' &&
    !/"billed":false/.test(body)
  )
    return 'a refusal that does not say that it was not billed';
  if (/^set-cookie:/im.test(head)) return 'a header that was in the request';
  return null;
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

const note = (found: Found, request: WildRequest, text: string, ms: number): void => {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1);
  found.slowestMs = Math.max(found.slowestMs, ms);
  const wrong = wrongWith(text);
  if (wrong !== null)
    found.faults.push(`${wrong}: ${JSON.stringify(request).slice(0, 600)} -> ${JSON.stringify(text.slice(0, 400))}`);
};

const nothing = (): Found => ({ statuses: new Map(), faults: [], slowestMs: 0 });

/** `count` requests without a payment in order. Nothing may be settled: the facilitator refuses what it is asked to verify. */
export async function strangers(started: Started, buyer: Buyer, count: number, seed: number): Promise<Found> {
  const { facilitator, app, url } = started;
  const found = nothing();
  const payments = await Promise.all(
    ['/api/deals', '/api/leads', '/api/batch/weekly.csv', '/api/lookup?apn=P-1'].map((path) => buyer.sign(url + path)),
  );
  facilitator.onVerify = async () => ({ valid: false, reason: 'invalid_exact_evm_payload_signature' });
  const before = facilitator.settled;
  await inTurns(fc.sample(wildRequests(app.routes, payments), { numRuns: count, seed }), async (request) => {
    try {
      const { text, ms } = await exchange(url, wireOf(request));
      note(found, request, text, ms);
    } catch (error) {
      found.faults.push(`${String(error)}: ${JSON.stringify(request).slice(0, 600)}`);
    }
  });
  if (facilitator.settled !== before)
    found.faults.push(`${facilitator.settled - before} payments were settled that were not in order`);
  return found;
}

/** `count` calls with a payment in order each, for queries of all kinds. Exactly those answered 200 are settled. */
export async function payers(started: Started, buyer: Buyer, count: number, seed: number): Promise<Found> {
  const { facilitator, app, url } = started;
  const found = nothing();
  facilitator.onVerify = async () => ({ valid: true });
  const before = facilitator.settled;
  await inTurns(fc.sample(payableTargets(app.routes), { numRuns: count, seed }), async (target) => {
    // Signed for the path alone: with a query that is refused there would be nothing to sign.
    const path = target.split('?')[0] ?? '';
    const request: WildRequest = {
      method: 'GET',
      target,
      headers: [['PAYMENT-SIGNATURE', await buyer.sign(`${url}${path}${path.endsWith('/lookup') ? '?apn=P-1' : ''}`)]],
    };
    try {
      const { text, ms } = await exchange(url, wireOf(request));
      note(found, request, text, ms);
    } catch (error) {
      found.faults.push(`${String(error)}: ${target}`);
    }
  });
  const sold = found.statuses.get(200) ?? 0;
  if (facilitator.settled - before !== sold)
    found.faults.push(`${sold} answers were given and ${facilitator.settled - before} payments settled`);
  return found;
}
