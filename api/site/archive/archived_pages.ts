/** Archived pages as text, from the archive of the server's data folder or the store, verified by their hash. */
import { LRUCache } from 'lru-cache';
import { type Archive, hasArchive, openArchive } from '../../../lib/archive.ts';
import { UNPACK } from '../../../lib/content_encoding.ts';
import { objectName, objectOf, readVerified, type Store } from '../../../lib/store/store.ts';
import { Problem } from '../../http/problem.ts';

/** Largest body that is read, and largest one that it may decode to. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024;
export const MAX_DECODED_BYTES = 8 * 1024 * 1024;
/** Bodies of the store that are cached, and for how long. */
const [MAX_CACHED, CACHED_MS] = [16, 60_000];

export interface ArchivedPage {
  /** As received. */
  readonly bytes: Uint8Array;
  /** Null if it is no text, or too much. */
  readonly text: string | null;
}

/** Elements whose content no reader sees. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas']);
/** Elements that start no new line. */
const INLINE = new Set('a abbr b bdi cite code em i label mark q s small span strong sub sup time u'.split(' '));
/** Cells of a row stay on its line. */
const CELLS = new Set(['td', 'th']);
/** Deepest nesting. At each end tag the parser looks through all open elements: a depth of 5,000 costs 27 s. */
const MAX_DEPTH = 256;
const TOO_DEEP = new Error('too deep');

/** Lines of a page, in the order of its markup, up to the place where the nesting exceeds MAX_DEPTH. */
export async function visibleText(page: string): Promise<string> {
  // Loaded with the first page that is shown.
  const { Parser } = await import('htmlparser2');
  const parts: string[] = [];
  let [hidden, depth, isData] = [0, 0, false];
  const parser = new Parser({
    onopentag(name, { type }) {
      depth += 1;
      if (depth > MAX_DEPTH) throw TOO_DEEP;
      if (name === 'script' && hidden === 0 && type?.toLowerCase() === 'application/ld+json') isData = true;
      else if (HIDDEN.has(name)) hidden += 1;
      else if (!INLINE.has(name) && !CELLS.has(name)) parts.push('\n');
    },
    ontext(text) {
      if (hidden === 0) parts.push(isData ? text : text.replaceAll(/\s+/gu, ' '));
    },
    onclosetag(name) {
      depth -= 1;
      if (isData && name === 'script') {
        isData = false;
        parts.push('\n');
      } else if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
      else if (CELLS.has(name)) parts.push('\t');
      else if (!INLINE.has(name)) parts.push('\n');
    },
  });
  try {
    parser.write(page);
    parser.end();
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
  }
  const lines = parts.join('').split('\n');
  return lines.flatMap((line) => (line.trim() === '' ? [] : [line.trimEnd()])).join('\n');
}

/** Characters that no text has, but every compressed body and workbook. */
// eslint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/u;

/** The text of a body, in whichever content coding it was received. */
async function textOf(bytes: Uint8Array): Promise<string | null> {
  for (const unpack of [(received: Uint8Array) => Promise.resolve(received), ...UNPACK.values()]) {
    const body = await unpack(bytes, { maxOutputLength: MAX_DECODED_BYTES }).catch(() => null);
    const text = body === null ? '\0' : new TextDecoder().decode(body);
    if (!BINARY.test(text)) return /^\s*</u.test(text) ? visibleText(text) : text;
  }
  return null;
}

export type ArchivedPages = ReturnType<typeof archivedPages>;

/** @param dataDir data folder; with a store, it need not have an archive */
export function archivedPages(dataDir: string, store?: Store) {
  let local: Promise<Archive> | undefined;
  const stored = new LRUCache<string, Uint8Array>({
    max: MAX_CACHED,
    ttl: CACHED_MS,
    // A page that is read while 16 others come is still read.
    ignoreFetchAbort: true,
    fetchMethod: async (sha256) => {
      const size = (await store?.size(objectName(sha256))) ?? null;
      if (!store || size === null)
        throw new Problem('not_found', 'Neither the archive nor the store of this server has these bytes.');
      checkSize(size);
      return readVerified(store, objectOf(sha256));
    },
  });
  const bytesOf = async (sha256: string): Promise<Uint8Array> => {
    if (!/^[0-9a-f]{64}$/u.test(sha256))
      throw new Problem('not_found', 'The address needs a SHA-256 of 64 lowercase hex digits.');
    if (hasArchive(dataDir)) local ??= openArchive(dataDir);
    local?.catch(() => (local = undefined));
    const archive = await local;
    const size = archive?.size(sha256) ?? null;
    if (!archive || size === null) return stored.forceFetch(sha256);
    checkSize(size);
    return archive.read(sha256);
  };
  return {
    /** @throws Problem if the bytes are missing or too large; ArchiveDamage, StoreDamage, StoreUnavailable */
    async read(sha256: string): Promise<ArchivedPage> {
      const bytes = await bytesOf(sha256);
      return { bytes, text: await textOf(bytes) };
    },
  };
}

/** @throws Problem if the bytes are too large */
function checkSize(size: number): void {
  const limit = MAX_STORED_BYTES / 2 ** 20;
  if (size > MAX_STORED_BYTES)
    throw new Problem('not_found', `These bytes are not served, because they exceed ${limit} MiB.`);
}
