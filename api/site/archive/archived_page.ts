/** One archived page as text. Bytes are verified by their hash before they are shown, and decoded up to a limit. */
import { codingsOf, UNPACK } from '../../../lib/content_encoding.ts';
import { ArchiveFault } from './archive_fault.ts';
import type { PageArchive } from './page_archive.ts';
import type { PageRead } from './page_requests.ts';
import { Parser } from 'htmlparser2';

/** Elements whose content no reader sees. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas']);
/** Elements that start no new line. */
const INLINE = new Set('a abbr b bdi cite code em i label mark q s small span strong sub sup time u'.split(' '));
/** Cells of a row stay on its line. */
const CELLS = new Set(['td', 'th']);

/** Deepest nesting. At each end tag the parser looks through all open elements: a depth of 5,000 costs 27 s. */
const MAX_DEPTH = 256;

class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

/** Lines of a page, in the order of its markup, up to the place where the nesting exceeds MAX_DEPTH. */
export function visibleText(page: string): string {
  const parts: string[] = [];
  let hidden = 0;
  let depth = 0;
  let isData = false;
  const parser = new Parser({
    onopentag(name, { type }) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new TooDeep();
      if (name === 'script' && hidden === 0 && type?.toLowerCase() === 'application/ld+json') isData = true;
      else if (HIDDEN.has(name)) hidden += 1;
      else if (!INLINE.has(name) && !CELLS.has(name)) parts.push('\n');
    },
    ontext(text) {
      if (hidden > 0) return;
      parts.push(isData ? text : text.replaceAll(/\s+/gu, ' '));
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
    if (!(error instanceof TooDeep)) throw error;
  }
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** Largest body that a page may decode to. */
export const MAX_DECODED_BYTES = 8 * 1024 * 1024;

export interface ArchivedPage {
  readonly url: string;
  readonly observedAt: string;
  readonly contentType: string;
  /** Length of the archived bytes. */
  readonly bytes: number;
  /** Text of the page, or the reason why there is none. */
  readonly text: { readonly shown: string } | { readonly none: string };
}

/** The decoded body, or null if it is not encoded as its header states or exceeds the limit. */
async function decoded(stored: Uint8Array, header: string | undefined): Promise<Uint8Array | null> {
  let bytes = stored;
  for (const coding of codingsOf(header)) {
    const unpack = UNPACK.get(coding);
    if (!unpack) return null;
    try {
      bytes = await unpack(bytes, { maxOutputLength: MAX_DECODED_BYTES });
    } catch {
      return null;
    }
  }
  return bytes.length > MAX_DECODED_BYTES ? null : bytes;
}

/** Media types whose body is text. */
const TEXTUAL = /^(?:text\/|application\/(?:json|xml|[a-z.+-]*\+(?:json|xml))\b)/iu;

function textOf(body: Uint8Array | null, contentType: string): ArchivedPage['text'] {
  if (body === null) return { none: `The body cannot be decoded, or exceeds ${MAX_DECODED_BYTES / 2 ** 20} MiB.` };
  if (!TEXTUAL.test(contentType)) return { none: 'The body is not text, for example a workbook.' };
  const text = new TextDecoder().decode(body);
  return { shown: /html|xml/iu.test(contentType) ? visibleText(text) : text };
}

/** A page as its source read it. @throws ArchiveFault if it is not there, or its bytes have another hash */
export async function readArchivedPage(archive: PageArchive, page: PageRead): Promise<ArchivedPage> {
  const stored = await archive.bytes(page.sha256);
  const request = await archive.request(page);
  if (!request)
    throw new ArchiveFault('missing', 'The archive of this server has no request that returned these bytes.');
  const { 'content-type': contentType = '', 'content-encoding': encoding } = request.responseHeaders;
  return {
    url: request.url,
    observedAt: request.observedAt,
    contentType,
    bytes: stored.length,
    text: textOf(await decoded(stored, encoding), contentType),
  };
}
