/**
 * Client of a facilitator over HTTP. It reads at most 64 kB of a reply, follows no redirect, and uses nothing of a
 * reply but a transaction hash.
 */
import { z } from 'zod';
import { FacilitatorUnavailable, type Facilitator } from './facilitator.ts';
import type { Network } from '../../../lib/network.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 65_536;
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;
/** The name of all EVM networks in a list of supported kinds. */
const EVERY_NETWORK = 'eip155:*';
/** Statuses about our access to the facilitator, not about the payment. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 429]);

const SettleReply = z.object({ transaction: z.string().regex(TRANSACTION) });
const Kind = z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() });
const SupportedReply = z.object({ kinds: z.array(Kind) });

type Kind = z.infer<typeof Kind>;

/** Where a facilitator is. */
export interface FacilitatorSettings {
  readonly url: string;
  /** Value of the Authorization header. */
  readonly authorization?: string;
}

export interface HttpFacilitatorOptions extends FacilitatorSettings {
  readonly network: Pick<Network, 'name'>;
  /** Timeout of the whole reply, including its body. */
  readonly timeoutMs?: number;
}

/** Whether a status says that the facilitator cannot be used, rather than something of the payment. */
const isFailure = (status: number): boolean => status >= 500 || ACCESS_STATUSES.has(status);

type Operation = 'settle' | 'supported';

interface Reply {
  readonly status: number;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
}

const unavailable = (operation: Operation, why: string): FacilitatorUnavailable =>
  new FacilitatorUnavailable(`facilitator ${operation}: ${why}`);

/** Read the body up to the limit. If it is larger, close the connection and return null. */
async function readLimited(response: Response): Promise<Buffer | null> {
  if (response.body === null) return Buffer.alloc(0);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = Number(response.headers.get('Content-Length') ?? 0) > MAX_REPLY_BYTES ? Infinity : 0;
  while (bytes <= MAX_REPLY_BYTES) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    bytes += value.byteLength;
    chunks.push(value);
  }
  await reader.cancel().catch(() => undefined);
  return null;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function httpFacilitator(options: HttpFacilitatorOptions): Facilitator {
  const { network, url, authorization, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const base = url.replace(/\/+$/, '');
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };

  /** @throws FacilitatorUnavailable if no whole reply of at most 64 kB arrives in time */
  const request = async (operation: Operation, body?: string): Promise<Reply> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const method = body === undefined ? { method: 'GET' } : { method: 'POST', body };
    let status: number;
    let bytes: Buffer | null;
    try {
      const response = await fetch(`${base}/${operation}`, { ...method, headers, redirect: 'error', signal });
      status = response.status;
      bytes = await readLimited(response);
    } catch {
      // The error of fetch may name the URL or the host.
      throw unavailable(operation, signal.aborted ? 'did not respond in time' : 'could not be reached');
    }
    if (bytes === null) throw unavailable(operation, `reply larger than 64 kB (status ${status})`);
    return { status, body: parseJson(bytes) };
  };

  return {
    async settle(payload, requirements) {
      try {
        const asked = { x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements };
        const { status, body } = await request('settle', JSON.stringify(asked));
        const reply = SettleReply.safeParse(body);
        if (reply.success) return { transaction: reply.data.transaction.toLowerCase() };
        return { transaction: null, ...(isFailure(status) ? { hasFailed: true } : {}) };
      } catch {
        return { transaction: null, hasFailed: true };
      }
    },
    async supported() {
      const { status, body } = await request('supported');
      if (status !== 200) throw unavailable('supported', `status ${status}`);
      const reply = SupportedReply.safeParse(body);
      if (!reply.success) throw unavailable('supported', 'unusable reply (status 200)');
      const isServed = (kind: Kind): boolean =>
        kind.x402Version === 2 && kind.scheme === 'exact' && [network.name, EVERY_NETWORK].includes(kind.network);
      return reply.data.kinds.some(isServed);
    },
  };
}
