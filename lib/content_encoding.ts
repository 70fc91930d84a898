/** Content codings of HTTP bodies (RFC 9110, section 8.4), decoded under a size limit. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const gzip: Unpack = promisify(gunzip);
const zlibOrRaw: Unpack = async (bytes, options) => {
  // In RFC 9110 "deflate" is the zlib format, but some servers send a raw stream, without the zlib header.
  const zlibHeader =
    bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return zlibHeader ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options);
};

/** Decoders by the name of the coding. They throw ERR_BUFFER_TOO_LARGE above the limit. */
export const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', zlibOrRaw],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** Supported content codings, for Accept-Encoding. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

/** Codings of a Content-Encoding header in the order in which they are removed: the last applied first. */
export const codingsOf = (header: string | undefined): string[] =>
  (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();
