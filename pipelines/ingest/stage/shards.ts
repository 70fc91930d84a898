/**
 * Shards of a read: groups of its pages, or parts of a large page, that are checked independently. They depend on the
 * pages alone, not on the number of workers, and their rows are concatenated in order.
 */
import type { Page, SourceSpec } from '../../../sources/contract.ts';
import { decodeText } from '../../../sources/fetch/http/decode.ts';
import type { ReadPage } from '../read_page.ts';

/** Bytes of pages in a shard: one or two seconds of parsing, so that a lost worker costs little. */
const SHARD_BYTES = 8_000_000;
/** Pages in a shard: its job names them all. */
const SHARD_PAGES = 500;

/** A page, or the part `number` of `of` parts of a large one. */
export interface Part<P> {
  readonly page: P;
  readonly number: number;
  readonly of: number;
}

/** Split the pages of a read. Files of several suppliers are compared with each other, so they are one shard. */
export function splitIntoShards(
  spec: SourceSpec,
  pages: readonly ReadPage[],
  shardBytes = SHARD_BYTES,
): readonly (readonly Part<ReadPage>[])[] {
  if (spec.dropFolders) return [pages.map((page) => ({ page, number: 0, of: 1 }))];
  const shards: Part<ReadPage>[][] = [];
  let open: Part<ReadPage>[] = [];
  let bytes = 0;
  const close = (): void => {
    if (open.length > 0) shards.push(open);
    open = [];
    bytes = 0;
  };
  for (const page of pages) {
    const of = spec.divides?.kinds.includes(page.kind) ? Math.max(1, Math.ceil(page.size / shardBytes)) : 1;
    if (of > 1 || bytes + page.size > shardBytes || open.length === SHARD_PAGES) close();
    if (of > 1) {
      for (let number = 0; number < of; number += 1) shards.push([{ page, number, of }]);
    } else {
      open.push({ page, number: 0, of });
      bytes += page.size;
    }
  }
  close();
  return shards;
}

/** Places at which a page is divided. A page keeps its own, because finding them reads all its bytes. */
const cuts = new WeakMap<Page, readonly number[]>();

/** A part of an open page, with the page's head, as a page of its own. */
export function cutPart(spec: SourceSpec, { page, number, of }: Part<Page>): Page {
  if (of === 1) return page;
  if (!spec.divides) throw new Error(`source ${spec.name} does not divide its pages`);
  const at = cuts.get(page) ?? spec.divides.cuts(page.bytes, of);
  cuts.set(page, at);
  const head = page.bytes.subarray(0, at[0]);
  const bytes = Buffer.concat([head, page.bytes.subarray(at[number], at[number + 1])]);
  return { ...page, bytes, text: (fallback) => decodeText(bytes, fallback, page.url) };
}
