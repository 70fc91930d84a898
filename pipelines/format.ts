/** Numbers, sizes and tables as text. */

export const number = (value: number): string => value.toLocaleString('en-US');

/** A count with its noun: `1 source`, `2 sources`. */
export const plural = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Bytes with a unit. */
export function bytesShort(name: number): string {
  if (name < 10_000) return `${name} B`;
  if (name < 10_000_000) return `${(name / 1000).toFixed(0)} kB`;
  return name < 10_000_000_000 ? `${(name / 1_000_000).toFixed(1)} MB` : `${(name / 1_000_000_000).toFixed(1)} GB`;
}

/** Columns padded to their widest cell; columns of numbers are right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((heading, index) =>
    Math.max(heading.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const isNumeric = header.map((_, index) =>
    rows.every((row) => /^[-\d.,]*( (B|kB|MB|GB|d))?$/.test(row[index] ?? '')),
  );
  const formatRow = (cells: readonly string[]): string => {
    const padded = cells.map((cell, index) =>
      isNumeric[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
    );
    return `  ${padded.join('  ')}`.trimEnd();
  };
  return [formatRow(header), ...rows.map(formatRow)];
}
