/** Counts, durations and rates of a run in progress, in words that fit the width of a terminal. */
import wrapAnsi from 'wrap-ansi';
import { bytesShort, number, plural } from '../format.ts';
import type { FamilyCounts, Reading } from './tally.ts';

/** A duration, such as `45 s`, `3 min 20 s`, `2 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** Something per second; nothing within the first half second, which says little. */
const perSecond = (n: number, ms: number): number | null => (ms < 500 ? null : Math.round((n * 1000) / ms));

/** As many of the parts as fit a width, the first at least. */
export function fitting(parts: readonly string[], width: number): string {
  let line = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    if (line.length + 2 + part.length > width) break;
    line += `  ${part}`;
  }
  return line;
}

/** Text under a label, continued below itself on a narrow terminal. Words stay whole. */
export function labeled(label: string, text: string, width: number): string[] {
  const room = width - label.length;
  if (!Number.isFinite(width)) return [label + text];
  if (room < 20) return [label.trimEnd(), ...wrapped(text, width, 2)];
  const indent = ' '.repeat(label.length);
  return wrapAnsi(text, room, { hard: false, trim: true })
    .split('\n')
    .map((line, i) => (i === 0 ? label : indent) + line);
}

/** Text in lines of at most this width, where its words allow it. */
export const wrapped = (text: string, width: number, indent = 0): string[] =>
  Number.isFinite(width)
    ? wrapAnsi(text, width - indent, { hard: false, trim: true })
        .split('\n')
        .map((line) => ' '.repeat(indent) + line)
    : [' '.repeat(indent) + text];

/** The counts of a family in words, the most important first. */
export function familyParts({ asked, ended, failed, waiting, rows, requests, ms }: FamilyCounts): string[] {
  const rate = perSecond(requests, ms);
  return [
    `${String(ended).padStart(2)} of ${plural(asked, 'source').padEnd(10)}`,
    `${number(rows).padStart(7)} rows`,
    `${duration(ms).padStart(5)}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a file`] : []),
    plural(requests, 'request') + (rate === null || requests === 0 ? '' : `, ${number(rate)}/s`),
  ];
}

/** Bytes and rows from which a source gets a line of its own. */
const [LARGE_BYTES, LARGE_ROWS] = [4_000_000, 50_000];
const BAR = 20;

/** A bar of what is done, 0 to 1. */
const bar = (share: number): string => {
  const full = Math.min(BAR, Math.round(share * BAR));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`;
};

/** The progress of a source that takes long, in words; null if there is little to say. */
export function largeRead(reading: Reading, nowMs: number): string | null {
  const { source, body, bodyStartedMs, rows, startedMs } = reading;
  if (rows >= LARGE_ROWS) {
    const rate = perSecond(rows, nowMs - startedMs);
    return `${source}: ${number(rows)} rows checked${rate === null ? '' : `, ${number(rate)}/s`}`;
  }
  if (body === undefined || Math.max(body.received, body.expected) < LARGE_BYTES) return null;
  const rate = perSecond(body.received, nowMs - bodyStartedMs) ?? 0;
  const speed = rate === 0 ? '' : `, ${bytesShort(rate)}/s`;
  if (body.expected === 0) return `${source}: ${bytesShort(body.received)} received${speed}`;
  if (body.received >= body.expected) return `${source}: ${bytesShort(body.received)} received, checking its rows`;
  const left = rate === 0 ? '' : `, ${duration(((body.expected - body.received) * 1000) / rate)} left`;
  const share = body.received / body.expected;
  return `${source}: ${bar(share)} ${bytesShort(body.received)} of ${bytesShort(body.expected)}${speed}${left}`;
}
