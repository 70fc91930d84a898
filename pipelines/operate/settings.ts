/** Settings of the operator's commands. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings, zeroOrOne } from '../../lib/settings.ts';

/** Settings of alerts. */
export const alertSettings = z.object({
  BACKUP_DAYS: z.coerce
    .number('a number of days')
    .int('a whole number of days')
    .min(0, '0 days or more')
    .max(365, 'at most 365 days')
    .default(2)
    .describe(
      '`make status`, alerts: age in days after which the last `make backup` of real data is too old. 0 checks ' +
        'nothing, where another program makes backups.',
    ),
  ALERT_COMMAND: z
    .string()
    .optional()
    .describe(
      'Shell command that receives each new problem once, and again when it is over, as JSON on its standard input. ' +
        'It runs at the end of a run and in `make watch`. Not set: no alerts.',
    ),
  ALERT_SECONDS: z.coerce
    .number('a number of seconds')
    .min(0.1, 'at least 0.1 seconds')
    .max(600, 'at most 600 seconds')
    .default(20)
    .describe('Timeout of ALERT_COMMAND, after which it is killed.'),
});

export const operatorSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  ...alertSettings.shape,
  JSON: zeroOrOne.default(false).describe('`make status`: 1 prints JSON, for monitors.'),
  ALL: zeroOrOne
    .default(false)
    .describe(
      '`make status`: 1 lists every source, even if the screen is too small. `make diff`: 1 also compares fields ' +
        'that change every day by themselves.',
    ),
  PAYMENTS: z
    .enum(['sandbox', 'facilitator', 'self'], 'sandbox, facilitator or self')
    .optional()
    .describe('`make status`: the PAYMENTS setting of the server, which decides whether earnings are test money.'),
  WAIT_MINUTES: z.coerce
    .number('a number of minutes')
    .min(0, '0 minutes or more')
    .max(1440, 'at most 1440 minutes')
    .default(0)
    .describe(
      'Minutes that a run waits for another run in the same folder before it ends with exit status 1. Scheduled runs ' +
        'wait 240.',
    ),
  JOB: z.string().optional().describe('`make job`: scheduled job to run if it is due.'),
  SCHEDULER: z
    .enum(['systemd', 'cron'], 'systemd or cron')
    .optional()
    .describe('`make schedule`: scheduler. Default: the one of this machine.'),
  INSTALL: zeroOrOne.default(false).describe('`make schedule`: 1 installs the schedule for this user, 0 prints it.'),
});

const days = (byDefault: number, about: string) =>
  z.coerce
    .number('a number of days')
    .int('a whole number of days')
    .min(0, '0 days or more')
    .max(36_500, 'at most 36500 days')
    .default(byDefault)
    .describe(about);

/** Retention policy. Whatever a retained snapshot needs is never removed. */
export const retentionSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  KEEP_DAILY_DAYS: days(
    120,
    '`make prune`: days for which the last snapshot of each day is retained. The back-test looks 90 days past each ' +
      'day.',
  ),
  KEEP_MONTHLY_DAYS: days(1100, '`make prune`: days for which the last snapshot of each month is retained.'),
  KEEP_DATABASE_DAYS: days(
    2,
    '`make prune`: days for which a snapshot retains its DuckDB file. Older ones have the same tables as Parquet, ' +
      'which `make sql` reads too.',
  ),
  KEEP_FILINGS_DAYS: days(
    14,
    '`make prune`: days for which a snapshot retains its filings, by far its largest table; at least 7. The last ' +
      'snapshot of each month retains them longer, and `make rebuild` makes those of any day again.',
  ),
  KEEP_READS_DAYS: days(400, '`make prune`: days for which archived pages and their staged rows are retained.'),
  KEEP_RUNS_DAYS: days(
    400,
    '`make prune`: days for which run reports and the failing rows of their audits are retained.',
  ),
  KEEP_SOLD: zeroOrOne
    .default(false)
    .describe(
      '`make prune`: 1 retains every snapshot with a sold answer. No purchase depends on it: the ledger has the ' +
        'answers themselves.',
    ),
  APPLY: zeroOrOne.default(false).describe('`make prune`: 1 applies the changes, 0 only lists them.'),
});

export type RetentionSettings = z.infer<typeof retentionSettings>;
