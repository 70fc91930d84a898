/** The boundary of what is public: no refusal and no header of an answer says a secret of the settings. */
import type { Context, Middleware } from 'koa';
import type { Redact } from '../../lib/redact.ts';

/** Headers of x402: base64 of JSON, in which a facilitator's own words may be. */
const ENCODED = ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'];

function redactHeaders(ctx: Context, redact: Redact): void {
  for (const name of ENCODED) {
    const value: unknown = ctx.response.get(name);
    if (typeof value !== 'string' || value === '') continue;
    const text = Buffer.from(value, 'base64').toString('utf8');
    const shown = redact(text);
    if (shown !== text) ctx.set(name, Buffer.from(shown).toString('base64'));
  }
  if (ctx.status < 400) return;
  for (const [name, value] of Object.entries(ctx.response.headers)) {
    if (typeof value === 'string' && redact(value) !== value) ctx.set(name, redact(value));
  }
}

/** A middleware outside the one that makes refusals of errors, and inside the one that compresses. */
export const redacting =
  (redact: Redact): Middleware =>
  async (ctx, next) => {
    await next();
    redactHeaders(ctx, redact);
    if (ctx.status < 400) return;
    if (typeof ctx.body === 'string') {
      const shown = redact(ctx.body);
      if (shown !== ctx.body) ctx.body = shown;
    }
  };

/** The same value with every text in it redacted. */
export const redacted = <T>(value: T, redact: Redact): T => JSON.parse(redact(JSON.stringify(value))) as T;
