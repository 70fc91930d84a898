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
  /** True if there was no usable reply. That is not a refusal: the next facilitator is tried. */
  readonly hasFailed?: true;
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
  /** Of several facilitators, the number of the one that is in use, from 1 in order of preference, for /health. */
  inUse?(): { readonly number: number; readonly of: number };
}

/** How long a facilitator that gave no usable reply is tried last. */
const AVOID_MS = 60_000;
/** How long a reply shows that a facilitator can be reached. */
const REACHED_MS = 10_000;

interface Candidate {
  readonly facilitator: Facilitator;
  /** From 1. */
  readonly number: number;
  /** Whether it serves the network; undefined until it has replied. */
  isServing: boolean | undefined;
  repliedAtMs: number;
  failedAtMs: number;
}

/** @param nowMs a clock that never moves back */
export function preferredFacilitator(
  facilitators: readonly Facilitator[],
  nowMs: () => number = () => performance.now(),
): Facilitator {
  const [isServing, never] = [undefined, Number.NEGATIVE_INFINITY];
  const all = facilitators.map((facilitator, i): Candidate => ({
    facilitator,
    number: i + 1,
    isServing,
    repliedAtMs: never,
    failedAtMs: never,
  }));
  const isAvoided = ({ failedAtMs }: Candidate): boolean => nowMs() - failedAtMs < AVOID_MS;
  const inOrder = (): Candidate[] =>
    all
      .filter((candidate) => candidate.isServing !== false)
      .sort((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
  const note = (candidate: Candidate, hasReplied: boolean): void => {
    candidate.repliedAtMs = hasReplied ? nowMs() : never;
    candidate.failedAtMs = hasReplied ? never : nowMs();
  };
  /** Ask it whether it serves the network. @throws FacilitatorUnavailable */
  const ask = async (candidate: Candidate): Promise<boolean> => {
    try {
      candidate.isServing = await candidate.facilitator.supported();
    } catch (error) {
      if (error instanceof FacilitatorUnavailable) note(candidate, false);
      throw error;
    }
    note(candidate, true);
    return candidate.isServing;
  };
  /** Whether any serves the network, asking those without a recent reply. @throws FacilitatorUnavailable */
  const supported = async (): Promise<boolean> => {
    let failure: FacilitatorUnavailable | null = null;
    for (const candidate of inOrder()) {
      if (candidate.isServing === true && nowMs() - candidate.repliedAtMs < REACHED_MS) return true;
      try {
        if (await ask(candidate)) return true;
      } catch (error) {
        if (!(error instanceof FacilitatorUnavailable)) throw error;
        failure = error;
      }
    }
    if (failure !== null) throw failure;
    return false;
  };

  return {
    supported,
    async reach() {
      if (!(await supported())) throw new FacilitatorUnavailable('no facilitator serves the network');
    },
    async settle(payload, requirements) {
      for (const candidate of inOrder()) {
        // One that does not serve the network would refuse every payment.
        if (!(candidate.isServing ?? (await ask(candidate).catch(() => false)))) continue;
        const hint = await candidate.facilitator.settle(payload, requirements);
        note(candidate, hint.hasFailed !== true);
        if (!hint.hasFailed) return hint;
      }
      return { transaction: null, hasFailed: true };
    },
    inUse: () => ({ number: inOrder()[0]?.number ?? 1, of: all.length }),
  };
}
