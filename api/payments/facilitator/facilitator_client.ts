/** A facilitator, over HTTP or in this process. Its replies decide nothing about money: the chain does. */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

export type Verification =
  | { readonly valid: true }
  /** `reason` matches /^[a-z0-9_]{1,80}$/. */
  | { readonly valid: false; readonly reason: string };

/** Where to look on the chain. `transaction` is 0x and 64 lower-case hex digits, or null if no such hash was named. */
export interface SettlementHint {
  readonly transaction: string | null;
  /** True where this process itself sent nothing, because its gas of the day is spent. Never said by another host. */
  readonly isUnsent?: true;
}

export interface Facilitator {
  /** @throws FacilitatorUnavailable if the facilitator gives no usable reply */
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verification>;
  /** Ask for the transfer. Never rejects, whatever the reply is: money may have moved in every case. */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementHint>;
  /**
   * Whether it serves exact payments on eip155:8453.
   * @throws FacilitatorUnavailable if the facilitator gives no usable reply
   */
  supported(): Promise<boolean>;
  /** Whether what it may spend today is not used up, where it spends something of ours. */
  hasBudget?(): Promise<boolean>;
}
