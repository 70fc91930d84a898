/**
 * Free answers as they are sent, compressed where they were, kept for the snapshot and the day they were made for. Who
 * asks in the same words is sent the same bytes; what was claimed meanwhile is asked of the ledger each time.
 */
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Context, Middleware } from 'koa';
import { nameOf, type Claims } from './claims.ts';
import { todayOf } from './manifest.ts';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

/** Bytes of answers kept at a time. */
const MOST_BYTES = 32 << 20;
/** Beside the body: its key, its headers and its place in the cache. */
const OVERHEAD_BYTES = 2_000;

/** What a free answer is made from, beside the snapshot and the day. */
export interface FreePath {
  /** Whether leads that are claimed change it. */
  readonly claims: boolean;
  /** Whether it depends on whether a page was asked for. */
  readonly pages: boolean;
}

interface KeptAnswer {
  readonly headers: readonly (readonly [name: string, value: string | string[]])[];
  readonly body: Buffer;
}

/** Answers of one snapshot on one day. */
interface Generation {
  readonly snapshot: Snapshot;
  readonly today: string;
  readonly answers: LRUCache<string, KeptAnswer>;
}

export interface KeptOptions {
  readonly snapshots: Snapshots;
  readonly claims: Claims;
  readonly nowMs: () => number;
  /** The paths whose answers may be kept. */
  readonly paths: ReadonlyMap<string, FreePath>;
  readonly wantsPage: (ctx: Context) => boolean;
  /** Told which snapshot a kept answer was made from. */
  readonly answered: (ctx: Context, snapshot: Snapshot) => void;
  /** Encodes the answer of the middleware after it, as its caller accepts. */
  readonly compress: Middleware;
}

/** The body whole, in the bytes that are sent. */
async function wholeBody(body: unknown): Promise<Buffer | null> {
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (!(body instanceof Readable)) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Headers that stand now and did not before. What belongs to the request alone stood before. */
const headersSince = (ctx: Context, before: ReadonlySet<string>): KeptAnswer['headers'] =>
  Object.entries(ctx.response.headers).flatMap(([name, value]) =>
    (value === undefined || (before.has(name) && name !== 'vary') || name === 'content-length' ? [] : [[name, typeof value === 'number' ? String(value) : value] as const]));

/** A middleware in front of those that make answers. */
export function keepFreeAnswers({ snapshots, claims, nowMs, paths, wantsPage, answered, compress }: KeptOptions): Middleware {
  let kept: Generation | undefined;
  const current = (): Generation | undefined => {
    const snapshot = snapshots.serving();
    if (!snapshot) return undefined;
    const today = todayOf(snapshot.manifest, nowMs());
    if (kept?.snapshot !== snapshot || kept.today !== today) {
      kept = { snapshot, today, answers: new LRUCache({ maxSize: MOST_BYTES, sizeCalculation: ({ body }) => body.length + OVERHEAD_BYTES }) };
    }
    return kept;
  };
  const keyOf = async (ctx: Context, path: FreePath): Promise<string> =>
    `${path.claims ? nameOf(await claims()) : ''} ${path.pages && wantsPage(ctx) ? 'page' : ''} ${ctx.get('Accept-Encoding')} ${ctx.url}`;
  const send = (ctx: Context, { headers, body }: KeptAnswer): void => {
    ctx.status = 200;
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    if (ctx.headers['if-none-match'] !== undefined && ctx.fresh) {
      ctx.status = 304;
      ctx.remove('Content-Encoding');
      return;
    }
    ctx.body = body;
  };
  return async (ctx, next) => {
    const path = paths.get(ctx.path);
    const generation = path && ctx.method === 'GET' ? current() : undefined;
    if (!path || !generation) return next();
    const key = await keyOf(ctx, path);
    const answer = generation.answers.get(key);
    if (answer) {
      answered(ctx, generation.snapshot);
      send(ctx, answer);
      return;
    }
    const before = new Set(Object.keys(ctx.response.headers));
    await compress(ctx, next);
    if (ctx.status !== 200) return;
    const body = await wholeBody(ctx.body);
    if (body === null) return;
    ctx.body = body;
    // Made while something changed, it may be of before or of after.
    if (current() === generation && (await keyOf(ctx, path)) === key) generation.answers.set(key, { headers: headersSince(ctx, before), body });
  };
}
