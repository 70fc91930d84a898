/** One archived page as text. Bytes are verified by their hash before they are shown, and decoded up to a limit. */
import { codingsOf, UNPACK } from '../../../lib/content_encoding.ts';
import { ArchiveFault } from './archive_fault.ts';
import type { PageArchive } from './page_archive.ts';
import type { PageRead } from './page_requests.ts';
import { visibleText } from './visible_text.ts';

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
