/** Settings of `make receipt-key`. */
import { z } from 'zod';
import { zeroOrOne } from '../../../lib/settings.ts';

export const receiptKeySettings = z.object({
  RECEIPT_KEY_FILE: z.string('the file of the keys').min(1, 'the file of the keys'),
  ROTATE: zeroOrOne
    .default(false)
    .describe(
      '`make receipt-key`: 1 adds a key that signs in an hour. Restart every server before, so that each shows it.',
    ),
  REVOKE: z
    .string()
    .optional()
    .describe('`make receipt-key`: kid of a key that others may have. Its receipts prove nothing from then on.'),
});
