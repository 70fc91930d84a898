/** Buyers who buy one thing after another from servers that do not make it easy, and ask again where no answer came. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { fetchWithPayment, type Buyer } from '../api/support/buyers.ts';
import { uuid } from '../api/support/snapshot_fixtures.ts';
import { sha256, type Attempt } from './sales_world.ts';

const EXCLUSIVE = '/api/leads/exclusive';
const PATHS = [EXCLUSIVE, EXCLUSIVE, '/api/deals', `/api/deals/${uuid(1)}/report`, '/api/leads'] as const;
/** How often a buyer asks again for what it may have paid for, before it leaves that for later. */
const MAX_TRIES = 6;

/** Random numbers from a seed: 0 <= n < 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** How buying goes, by which troubles are timed: paid requests sent so far, and how long one takes. */
export interface Pace {
  sent: number;
  handlerMs: number;
}

export interface Buying {
  /** Addresses of the servers that are there. */
  readonly urls: () => readonly string[];
  readonly random: () => number;
  /** Every payment that was signed. */
  readonly attempts: Attempt[];
  readonly pace: Pace;
  readonly stopped: AbortSignal;
  /** What was promised and not kept. */
  readonly broken: string[];
}

/** Buy one thing after another, until told to stop; ask again for what may have been paid. */
export async function buying(buyer: Buyer, { urls, random, attempts, pace, stopped, broken }: Buying): Promise<void> {
  const anyUrl = (): string => urls()[Math.floor(random() * urls().length)] ?? '';
  while (!stopped.aborted) {
    const path = PATHS[Math.floor(random() * PATHS.length)] ?? PATHS[0];
    let header: string;
    try {
      header = await buyer.signAs(anyUrl() + path, randomBytes(12).toString('hex'));
    } catch {
      await sleep(50);
      continue;
    }
    const { authorization } = decodePaymentSignatureHeader(header).payload as { authorization: { nonce: string } };
    const attempt: Attempt = { buyer, path, header, nonce: authorization.nonce.toLowerCase() };
    attempts.push(attempt);
    for (let tries = 0; tries < MAX_TRIES && !attempt.answer; tries += 1) {
      const copies = random() < 0.2 ? 2 : 1;
      await Promise.all(
        Array.from({ length: copies }, async () => {
          pace.sent += 1;
          const sentMs = performance.now();
          try {
            const response = await fetchWithPayment(anyUrl() + path, header);
            const body = Buffer.from(await response.arrayBuffer());
            if (response.status !== 200) return;
            pace.handlerMs = 0.8 * pace.handlerMs + 0.2 * (performance.now() - sentMs);
            const lead = path === EXCLUSIVE ? (JSON.parse(body.toString()) as { lead: { id: string } }).lead.id : null;
            const answer = { sha256: sha256(body), receipt: response.headers.get('Receipt-Id') ?? '', lead };
            if (
              attempt.answer &&
              (attempt.answer.sha256 !== answer.sha256 || attempt.answer.receipt !== answer.receipt)
            )
              broken.push(`payment ${attempt.nonce} was answered twice, differently`);
            attempt.answer = answer;
          } catch {
            /* Its server died: that is what this is about. */
          }
        }),
      );
      if (!attempt.answer) await sleep(30 + random() * 100);
    }
  }
}
