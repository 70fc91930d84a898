/**
 * Four sources that read pages of one site, which asks for a pace. As a program: a worker of these sources,
 * at the site that SITE names.
 */
import { openStore } from '../../lib/store/open.ts';
import { startWorker } from '../../pipelines/jobs/worker.ts';
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
      minIntervalMs: INTERVAL_MS,
      row: TaxParcel,
      expect: { minRows: 0, maxRejectShare: 1, maxDropShare: 1 },
      async *fetch(ctx) {
        for (let page = 1; page <= PAGES; page += 1) yield await ctx.get(`${origin}/${name}/${page}`, { kind: 'list' });
      },
      parse: () => [],
    }),
  );

if (import.meta.main) {
  const { QUEUE = '', STORE = '', DATA_DIR = '', SITE = '' } = process.env;
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const worker = await startWorker({
    url: QUEUE,
    dataDir: DATA_DIR,
    store: await openStore(STORE),
    sources: sourcesAt(SITE),
    atOnce: 4,
    secrets: {},
    print,
    limits: { backoffMs: 1, maxBackoffMs: 5 },
  });
  print(`worker ${worker.name}`);
  process.once('SIGTERM', () => {
    void worker.close();
  });
}
