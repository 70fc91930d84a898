/** Settings of the ledger's commands. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings, zeroOrOne } from '../lib/settings.ts';

const { DATA_DIR, LEDGER } = pipelineSettings.shape;

export const reportSettings = z.object({
  DATA_DIR,
  LEDGER,
  DAYS: z.coerce
    .number('a number of days')
    .int('a whole number of days')
    .min(1, 'at least 1 day')
    .max(3660, 'at most 3660 days')
    .default(7)
    .describe('`make ledger`: days of revenue to show one by one.'),
  PARQUET: z
    .string()
    .min(1, 'a folder')
    .optional()
    .describe('`make ledger`: folder to write purchases, claims and deliveries into, as Parquet.'),
});

export const backupSettings = z.object({
  DATA_DIR,
  LEDGER,
  FILE: z
    .string('a file')
    .min(1, 'a file')
    .describe(
      '`make ledger-backup`, `make ledger-restore`: file of the backup, gzipped lines of JSON. It holds the answers that were sold: keep it like the ledger.',
    ),
  JOURNALS: z
    .string()
    .min(1, 'paths separated by commas')
    .transform((paths) =>
      paths
        .split(',')
        .map((path) => path.trim())
        .filter((path) => path !== ''),
    )
    .optional()
    .describe(
      '`make ledger-restore`: claims journals to replay, one path per host, separated by commas. Default: DATA_DIR/claims.journal.',
    ),
  OVERWRITE: zeroOrOne
    .default(false)
    .describe('`make ledger-restore`: 1 throws away what the ledger holds; 0 refuses one that is not empty.'),
});
