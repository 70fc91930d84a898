/** Numbers, sizes and tables as text, and lines for a terminal. */
import wrapAnsi from 'wrap-ansi';
import { print } from '../lib/output.ts';

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

/** A line in parts of at most this width, where its words allow it; the later ones are indented, below a label. */
export function wrapLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const label = /^(?:[A-Z]\w+ {2,}|\s+)/u.exec(line)?.[0] ?? '';
  const indent = /^\s*$/u.test(label) ? label.length + 2 : label.length;
  const text = line.slice(label.length);
  const parts = wrapAnsi(text, Math.max(width - indent, 20), { hard: false, trim: true }).split('\n');
  return parts.map((part, index) => (index === 0 ? label : ' '.repeat(indent)) + part);
}

/** Width of the terminal; unlimited for a pipe or a file. */
export const screenWidth = (): number => (process.stdout.isTTY ? process.stdout.columns : Infinity);

/** Print lines; on a terminal their words stay whole. */
export function printLines(lines: readonly string[]): void {
  for (const line of lines) for (const part of wrapLine(line, screenWidth())) print(part);
}
