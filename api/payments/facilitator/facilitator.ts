/**
 * The interface of a facilitator, over HTTP or in this process. It sees a payment once, to settle it. The chain, not
 * its reply, decides what was paid.
 */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** A facilitator without a usable reply. The message is safe to publish: it has no URL and no text of the reply. */
export class FacilitatorUnavailable extends Error {
  override readonly name = 'FacilitatorUnavailable';
}

/** Why no settlement was requested after all, although the ledger has the purchase as settling. */
export type UnsentReason =
  /** This server has used its gas of the day. */
  | 'gas_spent'
  /** By our own node's estimate, the settlement needs more gas than one may take, or fails. */
  | 'settlement_gas_above_limit'
  | 'settlement_simulation_failed'
  /** The contract wallet does not accept the signature. */
  | 'invalid_exact_evm_signature'
  /** Our node or the ledger did not answer. */
  | 'unavailable';

/** Where to look on the chain. `transaction` is 0x and 64 lower-case hex digits; null if the reply has no such hash. */
export interface SettlementHint {
  readonly transaction: string | null;
  /** Set if this process requested nothing. Never taken from the reply of another host. */
  readonly unsent?: UnsentReason;
}

export interface Facilitator {
  /** Request the transfer. Never rejects: money may have moved whatever the reply is. */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementHint>;
  /**
   * Whether it serves exact payments on its network.
   * @throws FacilitatorUnavailable if the facilitator gives no usable reply
   */
  supported(): Promise<boolean>;
  /** Find out whether it can be reached, without a payment; absent if it is in this process. @throws the same */
  reach?(): Promise<void>;
  /** Whether today's gas budget is not used up; absent if we do not pay the gas. */
  hasBudget?(): Promise<boolean>;
  /** Settlements that our own account pays for at the current gas price; absent elsewhere. @throws ChainUnavailable */
  settlementsLeft?(): Promise<bigint>;
}
