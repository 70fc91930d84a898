/** Behaviour towards browsers, networks and those who ask too much: the same for every path. */
import { constants } from 'node:zlib';
import cors from '@koa/cors';
import type { Middleware } from 'koa';
import compress from 'koa-compress';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from './problem.ts';

const SMALLEST_COMPRESSED = 1_024;
const PREFLIGHT_SECONDS = 3_600;

/** Any page may call; a wallet in it can read what it must sign and the receipt. Headers a page asks to send are allowed. */
export const crossOrigin = (): Middleware =>
  cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD'],
    maxAge: PREFLIGHT_SECONDS,
    exposeHeaders: [
      'PAYMENT-REQUIRED',
      'PAYMENT-RESPONSE',
      'X-Request-Id',
      'X-Snapshot-Id',
      'Receipt-Id',
      'Delivery',
      'Retry-After',
      'ETag',
      'Repr-Digest',
      'Content-Disposition',
    ],
  });

/** Compression of what is free. What was paid for is sent as it is, so that its length and digest hold. */
export const compression = (): Middleware =>
  compress({
    threshold: SMALLEST_COMPRESSED,
    filter: (type) => /json|markdown|plain|html|css|javascript|svg/.test(type),
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  }) as Middleware;

/**
 * Refuses a request that names two hosts, in two Host headers or in its target and its Host header: a proxy may have
 * taken it for another host than we do. A target in absolute form is brought into the usual one.
 */
export const oneHost = (): Middleware => async (ctx, next) => {
  const { rawHeaders } = ctx.req;
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Problem('malformed_request', 'The request has more than one Host header. Send one.');
  if (/^https?:\/\//i.test(ctx.originalUrl)) {
    const target = URL.parse(ctx.originalUrl);
    if (!target || (hosts[0] !== undefined && target.host !== URL.parse(`${target.protocol}//${hosts[0]}`)?.host)) {
      throw new Problem(
        'malformed_request',
        'The address in the request line and the Host header name different hosts. Send one host.',
      );
    }
    ctx.url =
      ctx.originalUrl =
      ctx.request.originalUrl =
        ctx.originalUrl.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');
  }
  await next();
};

/** Whose answers are counted together: an IPv4 address, or the first 64 bits of an IPv6 one, which is what a household gets. */
export function callerOf(ip: string): string {
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
    .map((g) => Number.parseInt(g, 16).toString(16))
    .join(':');
}

/** At most so many answers a minute that nobody paid for, to one caller; what is billed is not counted. */
export function unbilledLimit(perMinute: number): Middleware {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (ctx, next) => {
    const caller = callerOf(ctx.ip);
    // Counted before it is answered, so that requests sent at once do not slip through together.
    const refused = await limiter.consume(caller).then(
      () => null,
      (error: unknown) => error,
    );
    if (refused instanceof RateLimiterRes) {
      throw new Problem(
        'rate_limited',
        `More than ${perMinute} answers in a minute were not paid for. Paid answers are not counted.`,
        { limit_per_minute: perMinute },
        { 'Retry-After': String(Math.max(1, Math.ceil(refused.msBeforeNext / 1000))) },
      );
    }
    if (refused !== null) throw refused;
    await next();
    if (ctx.state['settlement'] !== undefined) await limiter.reward(caller);
  };
}

/**
 * What `work` gives, or a Problem after `ms`. Work that ends later is given to `tooLate`.
 * @throws Problem timed_out
 */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  tooLate: (late: T) => void = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'over'>((resolve) => {
    timer = setTimeout(() => {
      resolve('over');
    }, ms);
  });
  // Wrapped, so that no answer is taken for the end of the time.
  const ended = work.then((value) => ({ value }));
  try {
    const first = await Promise.race([ended, limit]);
    if (first !== 'over') return first.value;
  } finally {
    clearTimeout(timer);
  }
  ended.then(({ value }) => tooLate(value)).catch(() => undefined);
  throw new Problem(
    'timed_out',
    `The answer was not ready within ${ms / 1000} seconds. Nothing was charged.`,
    {},
    { 'Retry-After': '10' },
  );
}
