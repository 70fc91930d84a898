/**
 * Facilitators in order of preference. The next one is tried if one gives no usable reply, never if it refuses a
 * payment. Settling through a second one is safe: the token accepts an authorization once, and our own node decides
 * whether it was paid.
 */
import { FacilitatorUnavailable, type Facilitator } from './facilitator_client.ts';

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
  const all = facilitators.map((facilitator, i): Candidate => ({
    facilitator,
    number: i + 1,
    isServing: undefined,
    repliedAtMs: Number.NEGATIVE_INFINITY,
    failedAtMs: Number.NEGATIVE_INFINITY,
  }));
  const isAvoided = ({ failedAtMs }: Candidate): boolean => nowMs() - failedAtMs < AVOID_MS;
  const inOrder = (): Candidate[] =>
    all
      .filter((candidate) => candidate.isServing !== false)
      .sort((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
  const note = (candidate: Candidate, hasReplied: boolean): void => {
    candidate.repliedAtMs = hasReplied ? nowMs() : Number.NEGATIVE_INFINITY;
    candidate.failedAtMs = hasReplied ? Number.NEGATIVE_INFINITY : nowMs();
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
    inUse: () => (all.length > 1 ? { number: inOrder()[0]?.number ?? 1, of: all.length } : undefined),
  };
}
