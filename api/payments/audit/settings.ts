/** Settings and arguments of `make ledger AUDIT=1` and `make ledger REFUNDED=...`. docs/settings.md has them. */
import { isHash } from 'viem';
import { z } from 'zod';
import { zeroOrOne } from '../../../lib/settings.ts';
import { serverSettings } from '../../settings.ts';

export const auditSettings = serverSettings.pick({
  DATA_DIR: true,
  LEDGER: true,
  NETWORK: true,
  RPC_URL: true,
});

export const auditArguments = z.object({
  REFUNDED: z
    .string()
    .regex(
      /^(?:0x[0-9a-f]{64}:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
      'a receipt id, or a transaction hash, a colon and the index of the transfer in its block',
    )
    .optional()
    .describe('`make ledger`: records that this was paid back: a receipt id or <hash>:<index>, as REFUNDS=1 lists it.'),
  REFUNDS: zeroOrOne
    .default(false)
    .describe('`make ledger`: 1 lists what is due back, and ends with the transfers to sign.'),
  REFUND: z
    .string()
    .refine((text) => isHash(text), 'a transaction hash')
    .optional()
    .describe('`make ledger REFUNDED=...`: transaction that paid the money back.'),
  NOTE: z
    .string()
    .min(10, 'at least 10 characters')
    .max(500, 'at most 500 characters')
    .optional()
    .describe('`make ledger REFUNDED=...`: how it was settled, if there is no refund on the chain.'),
});

export type AuditSettings = z.infer<typeof auditSettings> & z.infer<typeof auditArguments>;
