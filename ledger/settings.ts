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
    .describe('`make ledger`: days of revenue to list.'),
  PARQUET: z
    .string()
    .min(1, 'a folder')
    .optional()
    .describe('`make ledger`: folder for purchases, claims and deliveries as Parquet files.'),
});

export const backupSettings = z.object({
  DATA_DIR,
  LEDGER,
  FILE: z
    .string('a file')
    .min(1, 'a file')
    .describe(
      '`make ledger-backup`, `make ledger-restore`: file of the backup, gzipped JSON lines. ' +
        'It contains sold answers: protect it like the ledger.',
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
      '`make ledger-restore`: claims journals to replay, one path per host, separated by commas. ' +
        'Default: DATA_DIR/claims.journal.',
    ),
  OVERWRITE: zeroOrOne
    .default(false)
    .describe(
      '`make ledger-restore`: 1 deletes the content of the ledger first; 0 refuses a ledger that is not empty.',
    ),
});
