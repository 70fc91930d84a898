/** The page that an adapter parses, from an archived request: its body decoded, and its text. */
import { ArchiveDamage, type Archive } from '../../lib/archive.ts';
import { ACCEPT_ENCODING, codingsOf, UNPACK } from '../../lib/content_encoding.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { type Page, Quarantine } from '../contract.ts';

/** Default maximum of a decoded body, in bytes. */
export const MAX_DECODED_BYTES = 256 * 1024 * 1024;

/**
 * The page of an archived request, as its adapter saw it.
 * @throws ArchiveDamage if its body is lost; Quarantine if its encoding is broken or the decoded body exceeds the limit
 */
export async function openPage(archive: Archive, record: RequestRecord, maxBytes = MAX_DECODED_BYTES): Promise<Page> {
  const { sha256, url, runId, responseHeaders } = record;
  if (sha256 === null) throw new ArchiveDamage(`the archive has no body of ${url} in run ${runId}`);
  const wire = await archive.read(sha256);
  return assemblePage(record, sha256, await decodeBody(wire, responseHeaders['content-encoding'], maxBytes, url));
}

/** The same from a decoded body. */
export function assemblePage(record: RequestRecord, sha256: string, bytes: Uint8Array): Page {
  const { kind, url, context, observedAt } = record;
  const texts = new Map<string, string>();
  return {
    kind,
    url,
    context,
    bytes,
    sha256,
    observedAt,
    contentType: record.responseHeaders['content-type'] ?? null,
    text(fallback) {
      const text = texts.get(fallback ?? '') ?? decodeText(bytes, fallback, url);
      texts.set(fallback ?? '', text);
      return text;
    },
  };
}

/**
 * Decode a body's content encodings, last applied first.
 * @param encoding value of Content-Encoding
 * @param maxBytes maximum size of the decoded body, against decompression bombs
 * @throws Quarantine body_too_large, truncated_download or malformed_page
 */
export async function decodeBody(
  wire: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
  pageUrl: string,
): Promise<Uint8Array> {
  const broken = (reason: Quarantine['reason'], detail: string): Quarantine => new Quarantine(reason, detail, pageUrl);
  let bytes = wire;
  for (const name of codingsOf(encoding)) {
    const unpack = UNPACK.get(name);
    if (!unpack)
      throw broken('malformed_page', `content encoding is ${JSON.stringify(name)}, expected one of ${ACCEPT_ENCODING}`);
    if (bytes.length === 0) break;
    try {
      bytes = await unpack(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'no code';
      if (code === 'ERR_BUFFER_TOO_LARGE')
        throw broken('body_too_large', `the ${name} body decodes to more than ${maxBytes} bytes`);
      if (code === 'Z_BUF_ERROR') throw broken('truncated_download', `the ${name} body is truncated`);
      throw broken('malformed_page', `the body is not ${name}, as its header states (${code})`);
    }
  }
  return bytes;
}

const NEWLINE = 0x0a;
/** Bytes in one part of a large text. */
const PART_BYTES = 64_000;

/** The UTF-16 encoding of a text by its first two bytes: a byte order mark, or an ASCII letter without one. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (second === 0 || (first === 0xff && second === 0xfe)) return 'utf-16le';
  return first === 0 || (first === 0xfe && second === 0xff) ? 'utf-16be' : null;
}

function refuseUtf16(bytes: Uint8Array, pageUrl: string): void {
  if (utf16Of(bytes) !== null)
    throw new Quarantine('malformed_page', 'the body is UTF-16 or binary, expected UTF-8 text', pageUrl);
}

/** Parts of whole lines of at least `size` bytes, in order. */
function* linesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start + size) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const UTF8_WITH_MARK = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a part in UTF-8; null if it is not UTF-8. */
function utf8(part: Uint8Array, decoder = UTF8): string | null {
  try {
    return decoder.decode(part);
  } catch {
    return null;
  }
}

/** Text of which each line that is not UTF-8 has another encoding. */
function mixedText(bytes: Uint8Array, fallback: string): string {
  const other = new TextDecoder(fallback);
  return Array.from(linesOf(bytes, 0), (line) => utf8(line) ?? other.decode(line)).join('');
}

/**
 * Bytes as text: UTF-8, or `fallback` for each line that is not valid UTF-8, so that an invalid byte affects only its
 * own line. Removes a byte order mark.
 * @throws Quarantine malformed_page if it is not UTF-8 and there is no fallback, or if it is UTF-16
 */
export function decodeText(bytes: Uint8Array, fallback: 'windows-1252' | undefined, pageUrl: string): string {
  refuseUtf16(bytes, pageUrl);
  const text = utf8(bytes) ?? (fallback && mixedText(bytes, fallback));
  if (text !== undefined) return text;
  const detail = 'the body is not valid UTF-8, and the adapter declares no other encoding';
  throw new Quarantine('malformed_page', detail, pageUrl);
}

/**
 * The same for a body that is too large for one string: parts of whole lines, in order. Keeps a byte order mark.
 * @throws Quarantine malformed_page if the text is UTF-16
 */
export function* textParts(bytes: Uint8Array, fallback: 'windows-1252', pageUrl: string): Generator<string> {
  refuseUtf16(bytes, pageUrl);
  for (const part of linesOf(bytes, PART_BYTES)) yield utf8(part, UTF8_WITH_MARK) ?? mixedText(part, fallback);
}
