/** Reads of a RealAuction site that answers in memory. */
import assert from 'node:assert/strict';
import { type Page, Quarantine } from '../../sources/contract.ts';
import { Auction } from '../../sources/rows/auction.ts';
import { candidatesOf, sourceNamed } from './parsed.ts';
import { doubleContext, type Double, type DoubleItem, type DoubleSite } from './realauction_double.ts';

const cuyahoga = sourceNamed('oh_cuyahoga_sheriff');

export const TODAY = '2026-11-20';
export const DAY = '2026-12-07';
export const AT_NINE = '12/07/2026 09:00 AM ET';

export const items = (count: number, area: 'W' | 'C' = 'W', from = 50_000): DoubleItem[] =>
  Array.from({ length: count }, (_, index) => ({
    aid: String(from + index),
    area,
    slot: area === 'W' ? AT_NINE : 'Withdrawn',
    saleType: 'FORECLOSURE - FIRST SALE',
  }));

/** An item with its time on another day. */
export const onDay =
  (day: string) =>
  (item: DoubleItem): DoubleItem => ({ ...item, slot: `${day} 09:00 AM ET` });

export const SITE: DoubleSite = { day: DAY, items: items(23), paging: 'by number', saysPageCount: true };

type Rows = Readonly<Record<string, unknown>>[];

export async function read(
  site: DoubleSite,
): Promise<{ rows: Rows; pages: Page[] } & Pick<Double, 'asked' | 'unreadable'>> {
  const { ctx, asked, unreadable } = doubleContext(site, TODAY);
  const pages: Page[] = [];
  for await (const page of cuyahoga.fetch?.(ctx) ?? []) pages.push(page);
  const candidates = await candidatesOf(cuyahoga, pages);
  const rows = candidates.map((candidate) => {
    assert.ok('values' in candidate, JSON.stringify(candidate));
    return Auction.schema.parse(candidate.values);
  });
  return { rows, pages, asked, unreadable };
}

export const aidsOf = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
  [...new Set(rows.map((row) => String(row['item_id'])))].sort();
export const quarantined =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof Quarantine && error.reason === reason;
