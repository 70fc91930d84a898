/** Settings of `make bench`, its temporary folder, and data that measures share. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readSettings } from '../lib/settings.ts';

const flag = z.stringbool('either 0 or 1').default(false);
const benchSettings = z.object({
  /** Small sizes that end in two minutes, to prove that every measure works. */
  QUICK: flag,
  /** Names of measures, or beginnings of them, with commas. */
  ONLY: z.string().default(''),
  /** The earlier version that `make run` is compared with. */
  BASE: z.string().default('39e7df7'),
  /** Writes the figures into docs/performance.md. */
  WRITE_DOCS: flag,
});
export type Settings = z.infer<typeof benchSettings>;
export const settings = readSettings(benchSettings);

/** The full size, or the small one of QUICK=1. */
export const sized = <T>(full: T, quick: T): T => (settings.QUICK ? quick : full);

const root = mkdtempSync(join(tmpdir(), 'dealfeed-bench-'));
// PostgreSQL may run as another user.
chmodSync(root, 0o711);
process.once('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

/** A new folder, removed at the end. */
export const newFolder = (name: string): string => mkdtempSync(join(root, `${name}-`));

/** Makes something when it is first used. Measures that use the same data share it. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
