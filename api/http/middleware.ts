/** Middleware for every path: CORS, compression, one host per request, and redaction. */
import { constants } from 'node:zlib';
import cors from '@koa/cors';
import type { Context, Middleware } from 'koa';
import compress from 'koa-compress';
import { LIST_HEADER_NAMES, WEEK_HEADERS } from '../../lib/list_headers.ts';
import { RECEIPT_HEADER } from '../../lib/receipt.ts';
import { Problem } from './problem.ts';
import { RATE_LIMIT_HEADERS } from './quota.ts';
import type { Redact } from '../../lib/redact.ts';

const MIN_COMPRESSED_BYTES = 1_024;
const PREFLIGHT_SECONDS = 3_600;

const RECORD_ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/u;

/** Where to report an error of a record or page. @param template URL with {id} for the record, else the path */
export const reportUrl = (template: string, path: string): string =>
  template.replaceAll('{id}', encodeURIComponent(RECORD_ID.exec(path)?.[0] ?? path));

/** Say in the headers of every response where to report an error in it. */
export const linkReports =
  (template: string): Middleware =>
  async (ctx, next) => {
    await next();
    ctx.append('Link', `<${reportUrl(template, ctx.path)}>; rel="help"; title="Report an error"`);
  };

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
      ...RATE_LIMIT_HEADERS,
      'ETag',
      'Repr-Digest',
      'Unencoded-Digest',
      'Content-Disposition',
      ...LIST_HEADER_NAMES,
      ...Object.values(WEEK_HEADERS),
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
