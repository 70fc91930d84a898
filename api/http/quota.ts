/** The limit of unpaid responses per minute, by the address of the caller or by a payer that has money. */
import { LRUCache } from 'lru-cache';
import type { Context, Middleware } from 'koa';
import { Problem } from './problem.ts';
import { stateOf } from './request_state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Unpaid answers per hour and address to contract wallets. Whether one is 404 shows a stranger what we have. */
const CONTRACT_ANSWERS = 5;
/** Keys counted at a time. */
const MAX_KEYS = 100_000;

/** Headers that say where a caller stands (draft-ietf-httpapi-ratelimit-headers). */
export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

/** Key of an address: an IPv4 address, or the first 64 bits of an IPv6 address, the network of one household. */
export function clientKey(ip: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (v4 !== undefined) return v4;
  const [head = '', tail] = ip.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Counts by key. The window of a key, by default a minute, begins with its first count. */
export function createQuota(limit: number, nowMs: () => number, windowMs = MINUTE_MS) {
  // Grows with its keys: `max` would reserve 2 MB for them.
  const counts = new LRUCache<string, { used: number; readonly endsMs: number }>({
    maxSize: MAX_KEYS,
    sizeCalculation: () => 1,
  });
  const countOf = (key: string) => {
    const known = counts.get(key);
    return known && known.endsMs > nowMs() ? known : { used: 0, endsMs: nowMs() + windowMs };
  };
  return {
    /** Count this many. @returns whether that stays within the limit; if not, nothing is counted */
    take(key: string, count = 1): boolean {
      const window = countOf(key);
      if (window.used + count > limit) return false;
      window.used += count;
      counts.set(key, window);
      return true;
    },
    /** Take back what was counted, down to zero. */
    giveBack(key: string, count = 1): void {
      const window = countOf(key);
      window.used = Math.max(0, window.used - count);
    },
    left: (key: string) => limit - countOf(key).used,
    /** Seconds until the count of a key starts again, 1 or more. */
    seconds: (key: string) => Math.max(1, Math.ceil((countOf(key).endsMs - nowMs()) / 1_000)),
  };
}

type Quota = ReturnType<typeof createQuota>;

interface LimitOptions {
  readonly perMinute: number;
  /** The payer of a request, if its payment is signed and its wallet has money. `client` is for its cost. */
  readonly payerOf: (ctx: Context, client: string) => Promise<string | null>;
  readonly nowMs: () => number;
}

/**
 * Limit the unpaid responses. A request with a payment counts by its payer if that has money, and by its address where
 * the payer is above the limit or unknown: neither other callers of an address nor copies of a payment can block a
 * buyer, unless so many worthless payments came from there that only payers who had money lately are checked. A paid
 * response is not counted, and takes back the 402 before it. A response that answers several questions counts as that
 * many (`ctx.state.countUnpaid`), at most as the whole limit.
 */
export function limitUnpaid({ perMinute, payerOf, nowMs }: LimitOptions): Middleware {
  const quota = createQuota(perMinute, nowMs);
  const contractAnswers = createQuota(CONTRACT_ANSWERS, nowMs, HOUR_MS);
  return async (ctx, next) => {
    const state = stateOf(ctx);
    const client = clientKey(ctx.ip);
    const payer = await payerOf(ctx, client);
    const keys = payer === null ? [client] : [payer, client];
    const show = (key: string): void => {
      const values = [`"unpaid";r=${quota.left(key)};t=${quota.seconds(key)}`, `"unpaid";q=${perMinute};w=60`];
      for (const response of [ctx.res, state.carrier]) {
        if (response?.headersSent === false)
          RATE_LIMIT_HEADERS.forEach((name, i) => response.setHeader(name, values[i] ?? ''));
      }
    };
    const counted: (readonly [quota: Quota, key: string, count: number])[] = [];
    /** Count by the first of the keys that has so many left. @throws Problem rate_limited */
    const count = (by: Quota, of: readonly string[], responses: number, detail: string): void => {
      const key = of.find((one) => by.take(one, responses));
      if (by === quota) show(key ?? client);
      if (key === undefined)
        throw new Problem('rate_limited', detail, {}, { 'Retry-After': String(by.seconds(client)) });
      counted.push([by, key, responses]);
    };
    const countUnpaid = (responses: number): void => {
      const detail = `More than ${perMinute} unpaid responses in a minute. Paid responses are not counted.`;
      count(quota, keys, responses, detail);
    };
    // Counted before the response, so that concurrent requests do not pass together.
    countUnpaid(1);
    state.countUnpaid = (more) => {
      const responses = Math.min(more, perMinute - 1);
      if (responses > 0) countUnpaid(responses);
      const detail = `More than ${CONTRACT_ANSWERS} payments of contract wallets from here bought nothing in an hour.`;
      if (state.isContractPayer === true) count(contractAnswers, [client], 1, detail);
    };
    await next();
    if (state.settlement === undefined) return;
    for (const [by, key, responses] of counted) by.giveBack(key, responses);
    quota.giveBack(client);
    show(counted[0]?.[1] ?? client);
  };
}
