/** Numbers, sizes and tables as text. */

export const number = (n: number): string => n.toLocaleString('en-US');

/** A count with its noun: `1 source`, `2 sources`. */
export const plural = (n: number, noun: string): string => `${number(n)} ${noun}${n === 1 ? '' : 's'}`;

/** Bytes with a unit. */
export function bytesShort(n: number): string {
  if (n < 10_000) return `${n} B`;
  if (n < 10_000_000) return `${(n / 1000).toFixed(0)} kB`;
  return n < 10_000_000_000 ? `${(n / 1_000_000).toFixed(1)} MB` : `${(n / 1_000_000_000).toFixed(1)} GB`;
}

/** Columns padded to their widest cell; columns of numbers are right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((h, i) => Math.max(h.length, ...rows.map((r) => (r[i] ?? '').length)));
  const isNumeric = header.map((_, i) => rows.every((r) => /^[-\d.,]*( (B|kB|MB|GB|d))?$/.test(r[i] ?? '')));
  const formatRow = (cells: readonly string[]): string => {
    const padded = cells.map((c, i) => (isNumeric[i] ? c.padStart(widths[i] ?? 0) : c.padEnd(widths[i] ?? 0)));
    return `  ${padded.join('  ')}`.trimEnd();
  };
  return [formatRow(header), ...rows.map(formatRow)];
}
