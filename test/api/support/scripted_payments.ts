/** A scripted facilitator and a scripted chain. The chain has every payment that the facilitator settled. */
import { hash } from 'node:crypto';
import type { PaymentPayload } from '@x402/core/types';
import type { SignedAuthorization } from '../../../api/payments/chain/authorization.ts';
import type { Evidence } from '../../../api/payments/chain/evidence.ts';
import type {
  Facilitator,
  SettlementHint,
  Verification,
} from '../../../api/payments/facilitator/facilitator_client.ts';
import type { PaymentNetwork } from '../../../api/payments/networks.ts';
import type { PayerState } from '../../../api/payments/chain/payment_chain.ts';
import type { Payment } from '../../../ledger/ledger.ts';

type Chain = PaymentNetwork['chain'];

/** Has the settled payments, and an ordinary account with money for every payer, unless a test replaces a method. */
class ScriptedChain implements Chain {
  /** Transactions by the nonce of the payment they settled. */
  readonly transactions = new Map<string, string>();
  onPayer: (payment: Payment) => Promise<PayerState> = async () => ({
    hasCode: false,
    balance: 10n ** 12n,
    isUsed: false,
  });
  onEvidence = async (payment: Payment): Promise<Evidence> => this.shownEvidence(payment);

  /** The evidence of a payment, unless a test replaces `onEvidence`. */
  shownEvidence({ nonce }: Pick<Payment, 'nonce'>): Evidence {
    const transaction = this.transactions.get(nonce);
    return transaction === undefined ? { kind: 'open' } : { kind: 'paid', transaction, block: 1n };
  }
  id = async (): Promise<string> => `0x${'0'.repeat(64)}`;
  isReachable = (): boolean => true;
  payerState(payment: Payment): Promise<PayerState> {
    return this.onPayer(payment);
  }
  evidenceOf(payment: Payment): Promise<Evidence> {
    return this.onEvidence(payment);
  }
}

/** Accepts everything and moves the money on its chain, unless a test replaces a method. */
export class ScriptedFacilitator implements Facilitator {
  readonly chain = new ScriptedChain();
  /** Payments settled so far. */
  settled = 0;
  onSupported = async (): Promise<boolean> => true;
  onVerify: (payload: PaymentPayload) => Promise<Verification> = async () => ({ isValid: true });
  onSettle = async (payload: PaymentPayload): Promise<SettlementHint> => ({ transaction: this.move(payload) });

  /** Move the money of this payment. @returns the transaction */
  move(payload: PaymentPayload): string {
    const { nonce } = (payload.payload as SignedAuthorization).authorization;
    const transaction = `0x${hash('sha256', nonce, 'hex')}`;
    this.chain.transactions.set(nonce.toLowerCase(), transaction);
    this.settled += 1;
    return transaction;
  }
  verify(payload: PaymentPayload): Promise<Verification> {
    return this.onVerify(payload);
  }
  settle(payload: PaymentPayload): Promise<SettlementHint> {
    return this.onSettle(payload);
  }
  supported(): Promise<boolean> {
    return this.onSupported();
  }
}
