/** Bodies as they came over the wire, decoded: content encodings under a size limit, then text. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { Quarantine } from '../contract.ts';

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const gzip: Unpack = promisify(gunzip);
const zlibOrRaw: Unpack = async (bytes, options) => {
  // RFC 9110 says "deflate" is the zlib format; some servers send the raw stream, which has no zlib header.
  const zlibHeader =
    bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return zlibHeader ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options);
};
const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip,
  'x-gzip': gzip,
  deflate: zlibOrRaw,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** Content encodings that can be read, for Accept-Encoding. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

/** What every decoder of node:zlib says of a stream that stops before its end. */
const CUT = 'Z_BUF_ERROR';

/**
 * Undo a response's content encodings, the last applied first.
 * @param encoding value of Content-Encoding, or undefined
 * @param maxBytes largest decoded body, so that a few bytes cannot unpack into a full memory
 * @throws Quarantine body_too_large, truncated_download (the stream stops early) or malformed_page
 */
export async function decodeBody(
  wire: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
  pageUrl: string,
): Promise<Uint8Array> {
  let bytes = wire;
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((n) => n.trim())
    .filter((n) => n !== '' && n !== 'identity');
  for (const name of names.reverse()) {
    const unpack = UNPACK[name];
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
        throw new Quarantine('body_too_large', `the ${name} body unpacks to more than ${maxBytes} bytes`, pageUrl);
      if (code === CUT) throw new Quarantine('truncated_download', `the ${name} body stops before its end`, pageUrl);
      throw new Quarantine(
        'malformed_page',
        `the body is not ${name} as its header says (${code || 'no code'})`,
        pageUrl,
      );
    }
  }
  return bytes;
}

/**
 * Bytes as text: UTF-8, or `fallback` in each line that is not valid UTF-8, so that a stray byte changes nothing
 * around it. A byte order mark is removed.
 * @throws Quarantine malformed_page where there is no fallback, or the text is UTF-16
 */
export function decodeText(bytes: Uint8Array, fallback: 'windows-1252' | undefined, pageUrl: string): string {
  refuseUtf16(bytes, pageUrl);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (fallback) return decodeLines(bytes, fallback);
    throw new Quarantine(
      'malformed_page',
      'the body is not valid UTF-8, and no other encoding is declared for it',
      pageUrl,
    );
  }
}

/** Bytes in one part of a large text. */
const PART_BYTES = 64_000;

/**
 * The same for a body that is too large for one string: parts of whole lines, in order. A byte order mark is kept.
 * @throws Quarantine malformed_page where the text is UTF-16
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

function refuseUtf16([first, second]: Uint8Array, pageUrl: string): void {
  if (first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new Quarantine('malformed_page', 'the body is UTF-16 text or no text at all, expected UTF-8', pageUrl);
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
