/** Decodes bodies: content encodings under a size limit, and text. */
import { ACCEPT_ENCODING, codingsOf, UNPACK } from '../../../lib/content_encoding.ts';
import { Quarantine } from '../../contract.ts';

/** Error code of node:zlib's decoders for a truncated stream. */
const TRUNCATED = 'Z_BUF_ERROR';

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
  let bytes = wire;
  for (const name of codingsOf(encoding)) {
    const unpack = UNPACK.get(name);
    if (!unpack)
      throw new Quarantine(
        'malformed_page',
        `content encoding is ${JSON.stringify(name)}, expected one of ${ACCEPT_ENCODING}`,
        pageUrl,
      );
    if (bytes.length === 0) break;
    try {
      bytes = await unpack(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'ERR_BUFFER_TOO_LARGE')
        throw new Quarantine('body_too_large', `the ${name} body decodes to more than ${maxBytes} bytes`, pageUrl);
      if (code === TRUNCATED) throw new Quarantine('truncated_download', `the ${name} body is truncated`, pageUrl);
      throw new Quarantine(
        'malformed_page',
        `the body is not ${name}, as its header states (${code || 'no code'})`,
        pageUrl,
      );
    }
  }
  return bytes;
}

/**
 * Bytes as text: UTF-8, or `fallback` for each line that is not valid UTF-8, so that an invalid byte affects only its
 * own line. Removes a byte order mark.
 * @throws Quarantine malformed_page if it is not UTF-8 and there is no fallback, or if it is UTF-16
 */
export function decodeText(bytes: Uint8Array, fallback: 'windows-1252' | undefined, pageUrl: string): string {
  refuseUtf16(bytes, pageUrl);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (fallback) return decodeLines(bytes, fallback);
    throw new Quarantine(
      'malformed_page',
      'the body is not valid UTF-8, and the adapter declares no other encoding',
      pageUrl,
    );
  }
}

/** Bytes in one part of a large text. */
const PART_BYTES = 64_000;

/**
 * The same for a body that is too large for one string: parts of whole lines, in order. Keeps a byte order mark.
 * @throws Quarantine malformed_page if the text is UTF-16
 */
export function* textParts(bytes: Uint8Array, fallback: 'windows-1252', pageUrl: string): Generator<string> {
  refuseUtf16(bytes, pageUrl);
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start + PART_BYTES) + 1 || bytes.length;
    const part = bytes.subarray(start, end);
    let text: string;
    try {
      text = utf8.decode(part);
    } catch {
      text = decodeLines(part, fallback);
    }
    yield text;
    start = end;
  }
}

/** The UTF-16 encoding of a text by its first two bytes: a byte order mark, or an ASCII letter without one. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (second === 0 || (first === 0xff && second === 0xfe)) return 'utf-16le';
  return first === 0 || (first === 0xfe && second === 0xff) ? 'utf-16be' : null;
}

function refuseUtf16(bytes: Uint8Array, pageUrl: string): void {
  if (utf16Of(bytes) !== null)
    throw new Quarantine('malformed_page', 'the body is UTF-16 or binary, expected UTF-8 text', pageUrl);
}

const NEWLINE = 0x0a;

function decodeLines(bytes: Uint8Array, fallback: string): string {
  const [utf8, other] = [new TextDecoder('utf-8', { fatal: true }), new TextDecoder(fallback)];
  const lines: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
    const line = bytes.subarray(start, end);
    try {
      lines.push(utf8.decode(line));
    } catch {
      lines.push(other.decode(line));
    }
    start = end;
  }
  return lines.join('');
}
