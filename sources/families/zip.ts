/** Files inside a ZIP archive, unpacked in memory under a size limit. */
import { unzipSync } from 'fflate';
import { Quarantine } from '../contract.ts';

/** More than any of the sources publishes: Montgomery's delinquency list is about 38 MB unpacked. */
const MAX_BYTES = 300_000_000;

/**
 * Unpack the entries that `wanted` accepts, by name. Archives made on Windows may hold backslashes in names;
 * they are read as slashes. Throws Quarantine: "empty_body", "malformed_page" where the bytes do not begin as an
 * archive, "truncated_download" where the archive's directory, which
 * stands at its end, is missing, "malformed_page" where an entry does not unpack, "body_too_large" where the
 * entries are larger unpacked than `maxBytes` together.
 */
export function unzip(
  bytes: Uint8Array, pageUrl: string, wanted: (name: string) => boolean, maxBytes = MAX_BYTES,
): ReadonlyMap<string, Uint8Array> {
  if (bytes.length === 0) throw new Quarantine('empty_body', 'the archive is empty', pageUrl);
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) throw new Quarantine('malformed_page', 'the body does not begin as a ZIP archive does', pageUrl);
  const named = (name: string): string => name.replaceAll('\\', '/');
  let total = 0;
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!wanted(named(name))) return false;
        total += originalSize;
        if (total > maxBytes) throw new Quarantine('body_too_large', `${name} and the entries before it unpack to ${total} bytes, at most ${maxBytes} are read`, pageUrl);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof Quarantine) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    const cut = /invalid zip data|unexpected EOF/u.test(detail);
    throw new Quarantine(cut ? 'truncated_download' : 'malformed_page', `not a whole ZIP archive: ${detail}`, pageUrl);
  }
  return new Map(Object.entries(files).map(([name, content]) => [named(name), content]));
}
