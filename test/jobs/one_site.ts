/** Four sources that read pages of one and the same site, which asks for a pace. */
import { defineSource, type SourceSpec } from '../../sources/contract.ts';
import { TaxParcel } from '../../sources/rows/tax_parcel.ts';

export const INTERVAL_MS = 120;
export const PAGES = 5;

/** @param origin `http://127.0.0.1:<port>` */
export const sourcesAt = (origin: string): SourceSpec[] =>
  ['one', 'two', 'three', 'four'].map((name) =>
    defineSource({
      name: `source_${name}`,
      family: 'tax',
      title: 'A source of a test',
      home: 'https://www.example.com/',
      everyDays: 1,
      hosts: [new URL(origin).host],
      terms: { basis: 'sandbox_only', note: 'Made for a test.' },
      politeness: { minIntervalMs: INTERVAL_MS, concurrency: 1 },
      row: TaxParcel,
      expect: { minRows: 0, maxRejectShare: 1, maxDropShare: 1 },
      async *fetch(ctx) {
        for (let page = 1; page <= PAGES; page += 1) yield await ctx.get(`${origin}/${name}/${page}`, { kind: 'list' });
      },
      parse: () => [],
    }),
  );
