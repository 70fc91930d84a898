/** The interface of a facilitator, over HTTP or in this process. The chain, not its reply, decides what was paid. */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

export type Verification =
  | { readonly isValid: true }
  /** `reason` matches /^[a-z0-9_]{1,80}$/. */
  | { readonly isValid: false; readonly reason: string };

/** Where to look on the chain. `transaction` is 0x and 64 lower-case hex digits; null if the reply has no such hash. */
export interface SettlementHint {
  readonly transaction: string | null;
  /** True if this process sent nothing because its daily gas is spent. Never taken from the reply of another host. */
  readonly isUnsent?: true;
  /** True if there was no usable reply. That is not a refusal: the next facilitator is tried. */
  readonly hasFailed?: true;
}

export interface Facilitator {
  /** @throws FacilitatorUnavailable if the facilitator gives no usable reply */
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verification>;
  /** Request the transfer. Never rejects: money may have moved whatever the reply is. */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementHint>;
  /**
   * Whether it serves exact payments on its network.
   * @throws FacilitatorUnavailable if the facilitator gives no usable reply
   */
  supported(): Promise<boolean>;
  /** Whether today's gas budget is not used up; absent if we do not pay the gas. */
  hasBudget?(): Promise<boolean>;
  /** Of several facilitators, the one that is in use, for /health; absent if there is only one. */
  inUse?(): FacilitatorInUse;
}

/** Which of several facilitators is in use. */
export interface FacilitatorInUse {
  /** From 1, in the order of preference. */
  readonly number: number;
  readonly of: number;
}
