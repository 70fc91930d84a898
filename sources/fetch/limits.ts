/** Limits of the fetcher in time, size and retries. */
import { MAX_DECODED_BYTES } from './page.ts';
import type { TransportLimits } from './http/transport.ts';

export interface FetchLimits extends TransportLimits {
  /** Maximum body as sent, in bytes, unless the request sets its own. */
  readonly maxBytes: number;
  /** Maximum body after content decoding, in bytes. */
  readonly maxDecodedBytes: number;
  readonly retries: number;
  /** Backoff before the first retry, in milliseconds; doubled for each further one, with jitter. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Maximum Retry-After to wait for, in milliseconds. A longer one ends the source's read. */
  readonly maxRetryAfterMs: number;
}

export const LIMITS: FetchLimits = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 60_000,
  totalMs: 15 * 60_000,
  maxBytes: 64 * 1024 * 1024,
  maxDecodedBytes: MAX_DECODED_BYTES,
  retries: 4,
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
  maxRetryAfterMs: 5 * 60_000,
};
