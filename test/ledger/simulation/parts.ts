/** The parts of the server that a simulated world runs. A planted fault replaces some of them. */
import { auditPass } from '../../../api/payments/audit/audit.ts';
import { checkPayer } from '../../../api/payments/chain/payer_check.ts';
import { paymentChain, type PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { reconcile } from '../../../api/payments/audit/reconcile.ts';
import { sell } from '../../../api/payments/sale.ts';
import { sqlLedger } from '../../../ledger/sql/sql_ledger.ts';
import type { Ledger, Purchase } from '../../../ledger/ledger.ts';
import type { Request } from './server.ts';

export interface Parts {
  readonly sell: typeof sell;
  readonly reconcile: typeof reconcile;
  readonly auditPass: typeof auditPass;
  readonly checkPayer: typeof checkPayer;
  readonly paymentChain: typeof paymentChain;
  readonly sqlLedger: typeof sqlLedger;
  /** Methods of the ledger that are replaced. */
  readonly ledger: (ledger: Ledger) => Partial<Ledger>;
  /** Evidence as a process is given it. */
  readonly evidence: (chain: PaymentChain, nowMs: () => number) => PaymentChain;
  readonly mayCollect: (purchase: Purchase, request: Request) => boolean;
}

export const realParts: Parts = {
  sell,
  reconcile,
  auditPass,
  checkPayer,
  paymentChain,
  sqlLedger,
  ledger: () => ({}),
  evidence: (chain) => chain,
  // As in api/payments/middleware.ts: the payer's own identifier, for the same request. Everybody can have the signature.
  mayCollect: (purchase, { identifierHash, payment, route, request }) =>
    identifierHash !== null &&
    purchase.identifierHash === identifierHash &&
    purchase.payment.payer === payment.payer &&
    purchase.route === route &&
    purchase.request === request,
};
