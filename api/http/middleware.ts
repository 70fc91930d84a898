/** Middleware for every path: CORS, compression, one host per request, and a rate limit. */
import { constants } from 'node:zlib';
import cors from '@koa/cors';
import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { LIST_HEADER_NAMES } from '../../lib/list_headers.ts';
import { RECEIPT_HEADER } from '../../lib/receipt.ts';
import { Problem } from './problem.ts';
import { stateOf } from './request_state.ts';
import type { Redact } from '../../lib/redact.ts';

const MIN_COMPRESSED_BYTES = 1_024;
const PREFLIGHT_SECONDS = 3_600;

/** Any page may call the API, send any header, and read the payment terms and the receipt. */
export const crossOrigin = (methods: readonly string[] = ['GET', 'HEAD']): Middleware =>
  cors({
    origin: '*',
    allowMethods: [...methods],
    maxAge: PREFLIGHT_SECONDS,
    exposeHeaders: [
      'PAYMENT-REQUIRED',
      'PAYMENT-RESPONSE',
      'X-Request-Id',
      'X-Snapshot-Id',
      'Receipt-Id',
      RECEIPT_HEADER,
      'Delivery',
      'Retry-After',
      'ETag',
      'Repr-Digest',
      'Unencoded-Digest',
      'Content-Disposition',
      ...LIST_HEADER_NAMES,
    ],
  });

/**
 * Compress responses. Unencoded-Digest is the hash of the content before that. Repr-Digest would be of the body as sent
 * (RFC 9530), so it is left out. No proxy may change a paid response afterwards.
 */
export function compression(): Middleware {
  const compressed = compress({
    threshold: MIN_COMPRESSED_BYTES,
    filter: (type) => /json|markdown|plain|html|css|csv|javascript|svg/.test(type),
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  }) as Middleware;
  return async (ctx, next) => {
    await compressed(ctx, next);
    if ((ctx.response.get('Content-Encoding') || '') !== '') ctx.remove('Repr-Digest');
    if ((ctx.response.get('Delivery') || '') !== '') ctx.append('Cache-Control', 'no-transform');
  };
}

/**
 * Refuse a request that names two hosts, in two Host headers or in its target and its Host header: a proxy may have
 * routed it by the other one. A target in absolute form is rewritten to a path.
 */
export const requireOneHost = (): Middleware => async (ctx, next) => {
  const { rawHeaders } = ctx.req;
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Problem('malformed_request', 'The request has more than one Host header. Send one.');
  if (/^https?:\/\//i.test(ctx.originalUrl)) {
    const target = URL.parse(ctx.originalUrl);
    if (!target || (hosts[0] !== undefined && target.host !== URL.parse(`${target.protocol}//${hosts[0]}`)?.host)) {
      throw new Problem(
        'malformed_request',
        'The request line and the Host header name different hosts. Send one host.',
      );
    }
    ctx.url =
      ctx.originalUrl =
      ctx.request.originalUrl =
        ctx.originalUrl.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');
  }
  await next();
};

/** Key of the rate limit: an IPv4 address, or the first 64 bits of an IPv6 address, the network of one household. */
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

/** Keys of the payment in a request, by which it counts instead of by its client; null if it has none of the kind. */
interface PaymentKeys {
  /** Of a payment that its payer signed. */
  signed(ctx: Context): Promise<string | null>;
  /** Of a payer that signed the payment and has the money. */
  funded(ctx: Context): Promise<string | null>;
}

/**
 * Limit the unpaid responses per minute and client. A response that answers several questions counts as that many
 * (`ctx.state.countUnpaid`), at most as the whole limit; if that exceeds the limit, it is refused and not counted.
 * Above the limit, a payment that its payer signed has a limit of its own, so that other callers with the same address
 * cannot block a buyer. Responses counted before the payment is checked count by its payer, who must have the money,
 * because signatures are free.
 */
export function limitUnpaid(perMinute: number, keys: PaymentKeys): Middleware {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  /** Count responses. @returns what exceeds the limit, or null */
  const exceeded = (key: string, responses: number): Promise<RateLimiterRes | null> =>
    limiter.consume(key, responses).then(
      () => null,
      async (refused: unknown) => {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        if (responses > 1) await limiter.reward(key, responses);
        return refused;
      },
    );
  return async (ctx, next) => {
    const state = stateOf(ctx);
    const client = clientKey(ctx.ip);
    const counted: { readonly key: string; readonly responses: number }[] = [];
    const count = async (responses: number, otherKey: PaymentKeys['signed']): Promise<void> => {
      let key = client;
      let refused = await exceeded(key, responses);
      const other = refused && (await otherKey(ctx));
      if (other !== null) refused = await exceeded((key = other), responses);
      if (refused) {
        throw new Problem(
          'rate_limited',
          `More than ${perMinute} unpaid responses in a minute. Paid responses are not counted.`,
          { limit_per_minute: perMinute },
          { 'Retry-After': String(Math.max(1, Math.ceil(refused.msBeforeNext / 1000))) },
        );
      }
      counted.push({ key, responses });
    };
    // Counted before the response, so that concurrent requests do not pass together.
    await count(1, keys.signed);
    state.countUnpaid = async (more) => {
      const responses = Math.min(more, perMinute - 1);
      if (responses > 0) await count(responses, keys.funded);
    };
    await next();
    if (state.settlement !== undefined)
      await Promise.all(counted.map((entry) => limiter.reward(entry.key, entry.responses)));
  };
}

/** x402 headers, base64 of JSON, which may repeat text of a facilitator. */
const ENCODED = ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'];

function redactHeaders(ctx: Context, redact: Redact): void {
  for (const name of ENCODED) {
    const value: unknown = ctx.response.get(name);
    if (typeof value !== 'string' || value === '') continue;
    const text = Buffer.from(value, 'base64').toString('utf8');
    const redacted = redact(text);
    if (redacted !== text) ctx.set(name, Buffer.from(redacted).toString('base64'));
  }
  if (ctx.status < 400) return;
  for (const [name, value] of Object.entries(ctx.response.headers)) {
    if (typeof value === 'string' && redact(value) !== value) ctx.set(name, redact(value));
  }
}

/** Use it outside `catchErrors` and inside `compression`. */
export const redactResponses =
  (redact: Redact): Middleware =>
  async (ctx, next) => {
    await next();
    redactHeaders(ctx, redact);
    if (ctx.status < 400) return;
    if (typeof ctx.body === 'string') {
      const redacted = redact(ctx.body);
      if (redacted !== ctx.body) ctx.body = redacted;
    }
  };

/** A copy of a JSON value with every string redacted. */
export const redactValue = <T>(value: T, redact: Redact): T => JSON.parse(redact(JSON.stringify(value))) as T;
