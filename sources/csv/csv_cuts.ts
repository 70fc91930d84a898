/** Where a large CSV file can be cut. */
const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * Cut a CSV file with a header, whose cells may be quoted, at ends of records (Divides of contract.ts). A line break in
 * quotes does not end a record. A stray quote mark may put the cuts inside records, but such a file is not valid CSV.
 */
export function csvCuts(bytes: Uint8Array, parts: number): readonly number[] {
  const ends: number[] = [];
  let isQuoted = false;
  let quote = bytes.indexOf(QUOTE);
  let start = 0;
  /** End of the record in which the byte `at` is. */
  const endAfter = (at: number): number => {
    for (let from = at; from < bytes.length;) {
      const line = bytes.indexOf(NEWLINE, from);
      const end = line === -1 ? bytes.length : line + 1;
      for (; quote !== -1 && quote < end; quote = bytes.indexOf(QUOTE, quote + 1)) isQuoted = !isQuoted;
      if (!isQuoted) return end;
      from = end;
    }
    return bytes.length;
  };
  for (let part = 0; part <= parts; part += 1) {
    start = Math.max(start, endAfter(Math.max(start - 1, Math.floor((part * bytes.length) / parts))));
    ends.push(start);
  }
  return ends;
}
