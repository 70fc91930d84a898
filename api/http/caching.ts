/** Cache headers of free responses. */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** How long a cache may reuse a free response without revalidation. */
const MAX_AGE_SECONDS = 60;
const FREE_CACHE_CONTROL = `public, max-age=${MAX_AGE_SECONDS}`;

export const shortHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);

/** Whether If-None-Match names the ETag, whatever Cache-Control the request has: Node's fetch adds no-cache. */
const namesTag = (ctx: Context, tag: string): boolean =>
  ctx
    .get('If-None-Match')
    .split(',')
    .some((name) => ['*', tag, tag.slice('W/'.length)].includes(name.trim()));

/** Set the cache headers of a 200. @returns whether the client already has this response: then the status is 304 */
export function isCached(ctx: Context, hash: string, cacheControl = FREE_CACHE_CONTROL): boolean {
  ctx.status = 200;
  // Weak, as compression changes the bytes.
  const tag = `W/"${hash}"`;
  ctx.set({ 'Cache-Control': cacheControl, ETag: tag });
  if (!namesTag(ctx, tag)) return false;
  ctx.status = 304;
  return true;
}
