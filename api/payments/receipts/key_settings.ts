/** Settings of `make receipt-key`. */
import { z } from 'zod';
import { zeroOrOne } from '../../../lib/settings.ts';

export const receiptKeySettings = z.object({
  RECEIPT_KEY_FILE: z.string('the file of the keys').min(1, 'the file of the keys'),
  ROTATE: zeroOrOne.default(false).describe('`make receipt-key`: 1 adds a key that replaces the current one.'),
  IN_HOURS: z.coerce
    .number('a number of hours')
    .min(0, '0 hours or more')
    .max(720, 'at most 720 hours')
    .default(1)
    .describe(
      '`make receipt-key ROTATE=1`: hours until the new key signs. Restart every server before, so that each ' +
        'publishes it first.',
    ),
  REVOKE: z
    .string()
    .optional()
    .describe('`make receipt-key`: kid of a key that others may have. Its receipts prove nothing from then on.'),
});
