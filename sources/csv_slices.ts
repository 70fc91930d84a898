/** A CSV file too large for one string, cut into smaller ones that each begin with its header. Pure. */

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * The file in slices of about `size` bytes, cut between records: a line break inside quotes ends none. A file that
 * fits is one slice. Quote marks must be doubled inside quoted fields, as the format has them.
 */
export function* csvSlices(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  if (bytes.length <= size) {
    yield bytes;
    return;
  }
  let header: Uint8Array | undefined;
  let from = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === QUOTE) quoted = !quoted;
    else if (bytes[at] === NEWLINE && !quoted) {
      if (header === undefined) {
        header = bytes.subarray(0, at + 1);
        from = at + 1;
      } else if (at + 1 - from >= size) {
        yield Buffer.concat([header, bytes.subarray(from, at + 1)]);
        from = at + 1;
      }
    }
  }
  if (from < bytes.length) yield Buffer.concat([header ?? new Uint8Array(), bytes.subarray(from)]);
}
