/** Settings and arguments of `make backup` and `make restore`. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings, zeroOrOne } from '../../../lib/settings.ts';

const { DATA_DIR, LEDGER } = pipelineSettings.shape;

const folderSetting = (about: string) => z.string('a folder').min(1, 'a folder').describe(about);

const withoutLedger = zeroOrOne
  .default(false)
  .describe(
    '`make backup`: 1 leaves out a ledger that has its own backups. `make restore`: 1 leaves the ledger ' +
      'in LEDGER as it is.',
  );

export const backUpSettings = z.object({
  DATA_DIR,
  LEDGER,
  TO: folderSetting('`make backup`: folder of the backups, outside DATA_DIR, best on another disk.'),
  KEEP_BACKUPS: z.coerce
    .number('a number of backups')
    .int('a whole number of backups')
    .min(0, '0 backups or more')
    .max(10_000, 'at most 10000 backups')
    .default(0)
    .describe('`make backup`: newest backups to keep in TO; older ones are removed after a success. 0 keeps all.'),
  WITHOUT_LEDGER: withoutLedger,
});

const from = {
  FROM: folderSetting('`make restore`, `make backup VERIFY=1`: folder of the backups.'),
  BACKUP: z
    .string()
    .min(1, 'the name of a backup')
    .optional()
    .describe(
      '`make restore`, `make backup VERIFY=1`: backup by name, such as 2026-11-23T05-10-09Z. Default: the newest.',
    ),
};

export const verifySettings = z.object(from);

export const restoreSettings = z.object({
  DATA_DIR,
  LEDGER,
  ...from,
  JOURNALS: z
    .string()
    .min(1, 'paths separated by commas')
    .transform((paths) => paths.split(',').map((path) => path.trim()))
    .transform((paths) => paths.filter((path) => path !== ''))
    .optional()
    .describe(
      '`make restore`: journals newer than the backup, separated by commas. What the backup lacks of them ' +
        'is put back.',
    ),
  OVERWRITE: zeroOrOne
    .default(false)
    .describe('`make restore`: 1 deletes the rows of a ledger in LEDGER first; 0 refuses a ledger that has some.'),
  WITHOUT_LEDGER: withoutLedger,
});

export type BackUpSettings = z.infer<typeof backUpSettings>;
export type RestoreSettings = z.infer<typeof restoreSettings>;
