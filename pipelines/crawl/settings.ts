/** Settings of a worker. docs/settings.md is generated from here. */
import { z } from 'zod';
import { AT_ONCE } from './crawler.ts';

export const workerSettings = z.object({
  AT_ONCE: z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(1, 'at least 1')
    .max(64, 'at most 64')
    .default(AT_ONCE)
    .describe('`make worker`: sources read at the same time. The pace of requests to one site does not change.'),
});
