/** Cache headers of free responses. */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** How long a cache may reuse a free response without revalidation. */
const MAX_AGE_SECONDS = 60;
const FREE_CACHE_CONTROL = `public, max-age=${MAX_AGE_SECONDS}`;

export const shortHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);

/** Set the cache headers of a 200. @returns whether the client already has this response: then the status is 304 */
export function isCached(ctx: Context, hash: string, cacheControl = FREE_CACHE_CONTROL): boolean {
  ctx.status = 200;
  // Weak, as compression changes the bytes.
  ctx.set({ 'Cache-Control': cacheControl, ETag: `W/"${hash}"` });
  if (!ctx.fresh) return false;
  ctx.status = 304;
  return true;
}
