/** Files inside a ZIP archive, unpacked in memory or as a stream under a size limit. */
import { Readable } from 'node:stream';
import { constants, crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { Quarantine } from '../contract.ts';

/** More than the largest source: Montgomery's delinquency list is about 38 MB unpacked. */
const MAX_BYTES = 300_000_000;

/** @throws Quarantine empty_body, or malformed_page if the bytes do not begin as an archive */
function checkStart(bytes: Uint8Array, pageUrl: string): void {
  if (bytes.length === 0) throw new Quarantine('empty_body', 'the archive is empty', pageUrl);
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw new Quarantine('malformed_page', 'the file does not begin like a ZIP archive', pageUrl);
}

const named = (name: string): string => name.replaceAll('\\', '/');

const wrongChecksum = (name: string, pageUrl: string): Quarantine =>
  new Quarantine('malformed_page', `the checksum of ${name} in the archive does not match its content`, pageUrl);

/** An entry of the archive's directory. */
interface Entry {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  /** Sizes in bytes, as packed and as unpacked. */
  readonly packed: number;
  readonly unpacked: number;
  /** Start of the entry in the archive. */
  readonly start: number;
}

/**
 * The entries of an archive, from its directory. Archives made on Windows may have backslashes in names; they are read
 * as slashes.
 * @throws Quarantine empty_body; malformed_page if the bytes do not begin as an archive; truncated_download if the
 *   directory at the end is missing
 */
function entriesOf(bytes: Uint8Array, pageUrl: string): readonly Entry[] {
  checkStart(bytes, pageUrl);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Entry[] = [];
  // The end record follows the directory; a comment of at most 65,535 bytes may follow it.
  let end = bytes.length - 22;
  while (end > 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  let at = end > 0 ? view.getUint32(end + 16, true) : Infinity;
  while (at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    const length = view.getUint16(at + 28, true);
    const utf8 = (view.getUint16(at + 8, true) & 0x800) !== 0;
    entries.push({
      name: named(Buffer.from(bytes.subarray(at + 46, at + 46 + length)).toString(utf8 ? 'utf8' : 'latin1')),
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (entries.length > 0) return entries;
  throw new Quarantine('truncated_download', 'not a complete ZIP archive: it has no directory', pageUrl);
}

/** First bytes of an entry. */
const LOCAL_HEADER = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/** The packed bytes of an entry, which follow its name in the archive. @throws Quarantine */
function packedBytes(bytes: Uint8Array, { name, start, packed, method }: Entry, pageUrl: string): Uint8Array {
  if (method !== STORED && method !== DEFLATED)
    throw new Quarantine('malformed_page', `${name} is packed by method ${method}, expected ${DEFLATED}`, pageUrl);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fits = start + 30 <= bytes.length && view.getUint32(start, true) === LOCAL_HEADER;
  const from = fits ? start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true) : Infinity;
  if (from + packed > bytes.length)
    throw new Quarantine('truncated_download', `not a complete ZIP archive: ${name} is not in it`, pageUrl);
  return bytes.subarray(from, from + packed);
}

/**
 * Unpack the entries that `wanted` accepts, by name.
 * @throws Quarantine like `entriesOf`; malformed_page if an entry does not unpack or match its checksum;
 *   body_too_large above `maxBytes`
 */
export function unzip(
  bytes: Uint8Array,
  pageUrl: string,
  wanted: (name: string) => boolean,
  maxBytes = MAX_BYTES,
): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let total = 0;
  for (const entry of entriesOf(bytes, pageUrl)) {
    const { name, method, unpacked, checksum } = entry;
    if (!wanted(name)) continue;
    total += unpacked;
    if (total > maxBytes) {
      const detail = `${name} and the entries before it unpack to ${total} bytes, the limit is ${maxBytes}`;
      throw new Quarantine('body_too_large', detail, pageUrl);
    }
    let content = packedBytes(bytes, entry, pageUrl);
    try {
      if (method === DEFLATED) content = inflateRawSync(content, { maxOutputLength: Math.max(1, unpacked) });
    } catch (error) {
      throw new Quarantine('malformed_page', `${name} does not unpack: ${String(error)}`, pageUrl);
    }
    if (crc32(content) !== checksum) throw wrongChecksum(name, pageUrl);
    files.set(name, content);
  }
  return files;
}

/**
 * The first entry of an archive whose end is missing, as far as it unpacks. Its checksum is not verified.
 * @throws Quarantine empty_body; malformed_page if the first entry is not wanted or does not unpack
 */
export function unzipStart(bytes: Uint8Array, pageUrl: string, wanted: (name: string) => boolean): Uint8Array {
  checkStart(bytes, pageUrl);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fail = (detail: string): never => {
    throw new Quarantine('malformed_page', `not the start of a ZIP archive: ${detail}`, pageUrl);
  };
  if (bytes.length < 30 || view.getUint32(0, true) !== LOCAL_HEADER) fail('it has no entry');
  const from = 30 + view.getUint16(26, true) + view.getUint16(28, true);
  const name = named(Buffer.from(bytes.subarray(30, 30 + view.getUint16(26, true))).toString('latin1'));
  if (!wanted(name)) fail(`its first entry is ${name}, not the expected file`);
  const method = view.getUint16(8, true);
  if (method !== DEFLATED) fail(`${name} is packed by method ${method}, expected ${DEFLATED}`);
  try {
    // Without the end of the entry, unpack the data that is there.
    return inflateRawSync(bytes.subarray(from), {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_BYTES,
    });
  } catch (error) {
    return fail(`${name} does not unpack: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * The first entry that `wanted` accepts, part by part, for a file too large for memory.
 * @throws Quarantine as `unzip`, the checksum after the last part; malformed_page if no entry is wanted
 */
export async function* unzipParts(
  bytes: Uint8Array,
  pageUrl: string,
  wanted: (name: string) => boolean,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const entries = entriesOf(bytes, pageUrl);
  const entry = entries.find(({ name }) => wanted(name));
  if (!entry)
    throw new Quarantine(
      'malformed_page',
      `the archive has ${entries.map(({ name }) => name).join(', ')}, not the expected file`,
      pageUrl,
    );
  const fail = (reason: 'body_too_large' | 'malformed_page', detail: string): Quarantine =>
    new Quarantine(reason, `${entry.name} ${detail}`, pageUrl);
  const tooLarge = (): Quarantine => fail('body_too_large', `unpacks to more than the limit of ${maxBytes} bytes`);
  if (entry.unpacked > maxBytes) throw tooLarge();
  const packed = Readable.from([packedBytes(bytes, entry, pageUrl)], { objectMode: false });
  const parts = entry.method === STORED ? packed : packed.pipe(createInflateRaw());
  let total = 0;
  let checksum = 0;
  try {
    for await (const part of parts as AsyncIterable<Uint8Array>) {
      total += part.length;
      if (total > maxBytes) throw tooLarge();
      checksum = crc32(part, checksum);
      yield part;
    }
  } catch (error) {
    if (error instanceof Quarantine) throw error;
    throw fail('malformed_page', `does not unpack: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (checksum !== entry.checksum) throw wrongChecksum(entry.name, pageUrl);
}
