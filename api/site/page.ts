/** What a page of the site is, and what it is made from. */
import type { z } from 'zod';
import type { Health } from '../http/health.ts';
import type { Asked, Route } from '../routes/define.ts';
import type { Meta } from '../routes/meta.ts';
import type { Html } from './html.ts';

/** What the site knows of the server it belongs to. */
export interface SiteOptions {
  readonly routes: readonly Route[];
  readonly publicUrl: string;
  readonly payTo: string;
  readonly health: () => Promise<Health>;
  /** Whether the sandbox's purchase can be walked through here. */
  readonly purchase: boolean;
  /** Folder of all published snapshots, for what is told over their days. */
  readonly snapshotsDir?: string;
}

export interface Given {
  readonly site: SiteOptions;
  /** The snapshot, the day and no parameters, as the free routes are asked. */
  readonly asked: Asked<Record<never, never>>;
  /** The answer of /api/meta. */
  readonly meta: z.infer<typeof Meta>;
  /** The query of the request. Empty where the page is made once. */
  readonly query: URLSearchParams;
}

export interface Page {
  readonly path: string;
  /** Name in the navigation, where it has a place there. */
  readonly label?: string;
  readonly title: string;
  readonly about: string;
  /** snapshot: made once for a snapshot and a day, and kept. request: made each time. */
  readonly made: 'snapshot' | 'request';
  content(given: Given): Html | Promise<Html>;
}

/** Rows of a query of the snapshot, for figures of a whole table. */
export const rowsFor = (
  { asked }: Given,
  sql: string,
  ...values: (string | number)[]
): Promise<Record<string, unknown>[]> => asked.snapshot.rows(sql, values);

/** Text of a column, or null. */
export const textOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);
