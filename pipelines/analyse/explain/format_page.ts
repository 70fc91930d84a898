/** Formats one archived page of an explanation. */
import { number } from '../../format.ts';
import type { PageFound } from './pages.ts';

function formatRequest(page: PageFound): string {
  if (page.fetched_at === null) return 'the archive no longer has a request for these bytes';
  const answer = `${page.method ?? ''} ${page.status ?? ''} ${page.content_type ?? ''}`;
  const confirmed = page.confirmed_at === null ? '' : `; unchanged on ${page.confirmed_at}`;
  const size = `${number(page.bytes ?? 0)} bytes as sent`;
  return `fetched ${page.fetched_at} by run ${page.run_id ?? ''}: ${answer}, ${size}${confirmed}`;
}

function formatValues(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

export function formatPage(page: PageFound, position: number): string[] {
  const note = page.note === undefined ? '' : ` ${page.note}`;
  const lines = [
    `[${position}] ${page.role}${note}: ${page.url ?? ''}`,
    ...(page.file === null ? [] : [`    dropped file ${page.file}`]),
    `    ${formatRequest(page)}`,
    `    archived ${page.path}`,
    `    SHA-256 ${page.hash === 'verified' ? 'verified' : `NOT VERIFIED: ${page.hash}`}`,
  ];
  if (page.excerpt !== null) {
    lines.push(`    row ${page.row ?? ''} of the page, as published:`);
    lines.push(...page.excerpt.split('\n').map((part) => `      ${part}`));
  }
  if (page.values !== null) lines.push(`    parsed as: ${formatValues(page.values)}`);
  return lines;
}
