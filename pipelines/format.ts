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

import wrapAnsi from 'wrap-ansi';

/** Text under a label, continued below itself on a narrow terminal. Words stay whole. */
export function labeled(label: string, text: string, width: number): string[] {
  const room = width - label.length;
  if (!Number.isFinite(width)) return [label + text];
  if (room < 20) return [label.trimEnd(), ...wrapped(text, width, 2)];
  const indent = ' '.repeat(label.length);
  return wrapAnsi(text, room, { hard: false, trim: true })
    .split('\n')
    .map((line, index) => (index === 0 ? label : indent) + line);
}

/** Text in lines of at most this width, where its words allow it. */
export const wrapped = (text: string, width: number, indent = 0): string[] =>
  Number.isFinite(width)
    ? wrapAnsi(text, width - indent, { hard: false, trim: true })
        .split('\n')
        .map((line) => ' '.repeat(indent) + line)
    : [' '.repeat(indent) + text];

/** A line in parts, the second and later ones two columns further in. */
export function wrapLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = line.length - line.trimStart().length;
  const [first = '', ...rest] = wrapped(line.trimStart(), width - 2, indent);
  return [first, ...rest.map((part) => `  ${part}`)];
}
