/**
 * Client of a facilitator over HTTP. It reads at most 64 kB of a reply, follows no redirect, and uses nothing of a
 * reply but a transaction hash.
 */
import { Agent, request } from 'undici';
import { z } from 'zod';
import { FacilitatorUnavailable, type Facilitator } from './facilitator.ts';
import type { Network } from '../../../lib/network.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
/** How long a reply shows that the facilitator can be reached. */
const REACHED_MS = 10_000;

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

  let repliedAtMs = Number.NEGATIVE_INFINITY;
  const noteReply = (isUsable: boolean): void => {
    repliedAtMs = isUsable ? performance.now() : Number.NEGATIVE_INFINITY;
  };
  const supported = async (): Promise<boolean> => {
    noteReply(false);
    const { status, json } = await ask('supported');
    const reply = SupportedReply.safeParse(json);
    if (status !== 200 || !reply.success)
      throw new FacilitatorUnavailable(`facilitator supported: unusable reply (status ${status})`);
    noteReply(true);
    return reply.data.kinds.some(
      (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && [network.name, 'eip155:*'].includes(kind.network),
    );
  };

  return {
    supported,
    async settle(payload, requirements) {
      try {
        const asked = { x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements };
        const { status, json } = await ask('settle', JSON.stringify(asked));
        const reply = SettleReply.safeParse(json);
        noteReply(reply.success || status < 500);
        return { transaction: reply.success ? reply.data.transaction.toLowerCase() : null };
      } catch {
        noteReply(false);
        return { transaction: null };
      }
    },
    async reach() {
      if (performance.now() - repliedAtMs >= REACHED_MS && !(await supported()))
        throw new FacilitatorUnavailable('the facilitator does not serve the network');
    },
  };
}
