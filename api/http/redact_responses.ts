/** Removes the secrets of the settings from error responses and from response headers. */
import type { Context, Middleware } from 'koa';
import type { Redact } from '../../lib/redact.ts';

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
