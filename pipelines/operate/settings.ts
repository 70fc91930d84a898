/** Settings and arguments of the operator's commands. docs/settings.md is generated from here. */
import { z } from 'zod';
import { zeroOrOne } from '../../lib/settings.ts';

const days = (byDefault: number) =>
  z.coerce
    .number('a number of days')
    .int('a whole number of days')
    .min(0, '0 days or more')
    .max(36_500, 'at most 36500 days')
    .default(byDefault);

export const operatorSettings = z.object({
  ALERT_COMMAND: z
    .string()
    .optional()
    .describe(
      'Shell command that receives each new problem, and its end, as JSON on standard input ' +
        '(docs/operating.md#alerts). `make schedule` needs it.',
    ),
  KEEP_DAYS: days(120).describe(
    '`make prune`: days for which the last snapshot of each day, archived pages, staged rows and run reports are ' +
      'retained.',
  ),
});

/** Arguments of `make status`. */
export const statusArguments = z.object({
  JSON: zeroOrOne.default(false).describe('`make status`: 1 prints JSON, for monitors.'),
  ALL: zeroOrOne.default(false).describe('`make status`: 1 lists every source, with its reads of ninety days.'),
});

/** Arguments of commands that write to a data folder. */
export const writeArguments = z.object({
  WAIT_MINUTES: z.coerce
    .number('a number of minutes')
    .min(0, '0 minutes or more')
    .max(1440, 'at most 1440 minutes')
    .default(0)
    .describe('`make run`, `make prune`: minutes to wait for another run in the folder. Scheduled runs wait 240.'),
  ERASE: z
    .string()
    .regex(/^[0-9a-f]{64}(?:,[0-9a-f]{64})*$/u, 'SHA-256 hashes of archived pages, separated by commas')
    .transform((text) => text.split(','))
    .optional()
    .describe(
      '`make prune`: archived pages to overwrite for good, by their SHA-256, because a person in them asked ' +
        '(docs/privacy.md). Nothing else is removed then.',
    ),
  APPLY: zeroOrOne.default(false).describe('`make prune`: 1 deletes the files, 0 lists them.'),
});
