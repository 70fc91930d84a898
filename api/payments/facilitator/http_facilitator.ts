/**
 * Client of a facilitator over HTTP. It reads at most 64 kB of a reply, follows no redirect, and uses nothing of a
 * reply but a transaction hash.
 */
import { Agent, request } from 'undici';
import { z } from 'zod';
import { FacilitatorUnavailable, type Facilitator } from './facilitator.ts';
import type { Network } from '../../../lib/network.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
/** Statuses about our access to the facilitator, not about the payment. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 429]);

const SettleReply = z.object({ transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });
const Kind = z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() });
const SupportedReply = z.object({ kinds: z.array(Kind) });

/** Where a facilitator is. */
export interface FacilitatorSettings {
  readonly url: string;
  /** Value of the Authorization header. */
  readonly authorization?: string;
}

interface HttpFacilitatorOptions extends FacilitatorSettings {
  readonly network: Pick<Network, 'name'>;
  /** Timeout of the whole reply, including its body. */
  readonly timeoutMs?: number;
}

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function httpFacilitator(options: HttpFacilitatorOptions): Facilitator {
  const { network, url, authorization, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const dispatcher = new Agent({ maxResponseSize: 65_536 });
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };

  /** Status and JSON of a reply; undefined if it is no JSON. @throws FacilitatorUnavailable if none arrives in time */
  const ask = async (operation: 'settle' | 'supported', body?: string) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const method = body === undefined ? { method: 'GET' } : { method: 'POST', body };
    try {
      const target = `${url.replace(/\/+$/, '')}/${operation}`;
      const { statusCode: status, body: reply } = await request(target, { ...method, headers, signal, dispatcher });
      return { status, json: parseJson(await reply.arrayBuffer()) };
    } catch (error) {
      // The text of the error may name the URL or the host.
      const isLarge = (error as { code?: unknown }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
      const why = isLarge ? 'reply larger than 64 kB' : 'could not be reached';
      throw new FacilitatorUnavailable(`facilitator ${operation}: ${signal.aborted ? 'did not respond in time' : why}`);
    }
  };

  return {
    async settle(payload, requirements) {
      try {
        const asked = { x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements };
        const { status, json } = await ask('settle', JSON.stringify(asked));
        const reply = SettleReply.safeParse(json);
        if (reply.success) return { transaction: reply.data.transaction.toLowerCase() };
        return { transaction: null, ...(status >= 500 || ACCESS_STATUSES.has(status) ? { hasFailed: true } : {}) };
      } catch {
        return { transaction: null, hasFailed: true };
      }
    },
    async supported() {
      const { status, json } = await ask('supported');
      const reply = SupportedReply.safeParse(json);
      if (status !== 200 || !reply.success)
        throw new FacilitatorUnavailable(`facilitator supported: unusable reply (status ${status})`);
      return reply.data.kinds.some(
        (kind) =>
          kind.x402Version === 2 && kind.scheme === 'exact' && [network.name, 'eip155:*'].includes(kind.network),
      );
    },
  };
}
