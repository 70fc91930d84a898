/** Settings of the operator's commands. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings } from '../../lib/settings.ts';

const yes = z.enum(['0', '1'], 'either 0 or 1').transform((v) => v === '1');

/** Setting of everything that tells the operator of trouble. */
export const alertSettings = z.object({
  ALERT_COMMAND: z
    .string()
    .optional()
    .describe(
      'Command that is told of each new trouble, once, and when it is over: JSON on its standard input. Run by the shell at the end of a run and by `make watch`. Not set: none.',
    ),
  ALERT_SECONDS: z.coerce
    .number('a number of seconds')
    .min(0.1, 'at least 0.1 seconds')
    .max(600, 'at most 600 seconds')
    .default(20)
    .describe('Time after which a hanging ALERT_COMMAND is ended.'),
});

export const operatorSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  ...alertSettings.shape,
  JSON: yes.default(false).describe('`make status`: 1 prints it as JSON, for monitors.'),
  ALL: yes
    .default(false)
    .describe(
      '`make status`: 1 shows every source, also where the screen is too small for them. `make diff`: 1 compares also the fields that move by themselves every day.',
    ),
  PAYMENTS: z
    .enum(['sandbox', 'facilitator', 'self'], 'sandbox, facilitator or self')
    .optional()
    .describe(
      '`make status`: how the server is paid, as it is set for the server: whether what was earned is test money.',
    ),
  WAIT_MINUTES: z.coerce
    .number('a number of minutes')
    .min(0, '0 minutes or more')
    .max(1440, 'at most 1440 minutes')
    .default(0)
    .describe(
      'How long a run waits for another that is at work in the same folder before it leaves with exit status 1. The scheduled ones wait 240.',
    ),
  JOB: z.string().optional().describe('`make job`: scheduled job to do if it is due.'),
  SCHEDULER: z
    .enum(['systemd', 'cron'], 'systemd or cron')
    .optional()
    .describe('`make schedule`: what to write it for. Default: what this machine has.'),
  INSTALL: yes.default(false).describe('`make schedule`: 1 installs it for this user, 0 only prints it.'),
});

const days = (byDefault: number, about: string) =>
  z.coerce
    .number('a number of days')
    .int('a whole number of days')
    .min(0, '0 days or more')
    .max(36_500, 'at most 36500 days')
    .default(byDefault)
    .describe(about);

/** What is kept, and for how long. Nothing that a kept snapshot rests on is ever removed, whatever these say. */
export const retentionSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  KEEP_DAILY_DAYS: days(
    120,
    '`make prune`: days for which the last snapshot of every day is kept. The back-test looks 90 days ahead of each day it scores.',
  ),
  KEEP_MONTHLY_DAYS: days(1100, '`make prune`: days for which the last snapshot of every month is kept.'),
  KEEP_READS_DAYS: days(
    400,
    '`make prune`: days for which what was read is kept: the pages, byte for byte, and the rows made of them.',
  ),
  KEEP_RUNS_DAYS: days(
    400,
    '`make prune`: days for which the reports of runs and the failing rows of their audits are kept.',
  ),
  KEEP_SOLD: yes
    .default(false)
    .describe(
      '`make prune`: 1 keeps every snapshot that a sold answer was made from. No purchase depends on it: the ledger has the answers themselves.',
    ),
  APPLY: yes.default(false).describe('`make reparse`, `make prune`: 1 does it; 0 only shows what would change.'),
});

export type RetentionSettings = z.infer<typeof retentionSettings>;
