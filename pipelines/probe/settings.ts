/** Settings of `make probe`. docs/settings.md is generated from here. */
import { z } from 'zod';
import { zeroOrOne } from '../../lib/settings.ts';

export const probeSettings = z.object({
  SOURCE: z
    .string('the name of a source, or all')
    .min(1, 'the name of a source, or all')
    .describe('`make probe`: source to probe, several separated by commas, or all.'),
  KEEP: zeroOrOne
    .default(false)
    .describe('`make probe`: 1 writes the pages to DATA_DIR/probe/ for a bug report, with personal names replaced.'),
});
