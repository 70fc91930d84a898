/** Files inside a ZIP archive, unpacked in memory under a size limit. */
import { crc32 } from 'node:zlib';
import { unzipSync } from 'fflate';
import { Quarantine } from '../contract.ts';

/** Above the largest source: Montgomery's delinquency list is about 38 MB unpacked. */
const MAX_BYTES = 300_000_000;

/**
 * Unpack the entries that `wanted` accepts, by name. Archives made on Windows may have backslashes in names; they are
 * read as slashes.
 * @throws Quarantine empty_body; malformed_page if the bytes do not begin as an archive, or an entry does not unpack or
 *   match its checksum; truncated_download if the directory at the end is missing; body_too_large above `maxBytes`
 */
export function unzip(
  bytes: Uint8Array,
  pageUrl: string,
  wanted: (name: string) => boolean,
  maxBytes = MAX_BYTES,
): ReadonlyMap<string, Uint8Array> {
  if (bytes.length === 0) throw new Quarantine('empty_body', 'the archive is empty', pageUrl);
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw new Quarantine('malformed_page', 'the file does not begin like a ZIP archive', pageUrl);
  const named = (name: string): string => name.replaceAll('\\', '/');
  let total = 0;
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!wanted(named(name))) return false;
        total += originalSize;
        if (total > maxBytes)
          throw new Quarantine(
            'body_too_large',
            `${name} and the entries before it unpack to ${total} bytes, the limit is ${maxBytes}`,
            pageUrl,
          );
        return true;
      },
    });
  } catch (error) {
    if (error instanceof Quarantine) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    const cut = /invalid zip data|unexpected EOF/u.test(detail);
    throw new Quarantine(
      cut ? 'truncated_download' : 'malformed_page',
      `not a complete ZIP archive: ${detail}`,
      pageUrl,
    );
  }
  const checksums = checksumsOf(bytes);
  for (const [name, content] of Object.entries(files)) {
    if (crc32(content) !== checksums.get(name))
      throw new Quarantine(
        'malformed_page',
        `the checksum of ${name} in the archive does not match its content`,
        pageUrl,
      );
  }
  return new Map(Object.entries(files).map(([name, content]) => [named(name), content]));
}

/** CRC-32 of each entry by name, from the archive's directory. fflate does not check it. */
function checksumsOf(bytes: Uint8Array): ReadonlyMap<string, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<string, number>();
  // The end record follows the directory; a comment of at most 65,535 bytes may follow it.
  let end = bytes.length - 22;
  while (end > 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end <= 0) return found;
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === 0x02014b50) {
    const length = view.getUint16(at + 28, true);
    // Decoded like in fflate: UTF-8 if the entry is marked so, else Latin-1.
    const utf8 = (view.getUint16(at + 8, true) & 0x800) !== 0;
    const name = Buffer.from(bytes.subarray(at + 46, at + 46 + length)).toString(utf8 ? 'utf8' : 'latin1');
    found.set(name, view.getUint32(at + 16, true));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return found;
}
