/**
 * Several facilitators in order of preference. The next one is tried if one gives no usable reply, never if it refuses
 * a payment. Settling through a second one is safe: the token accepts an authorization once, and our own node decides
 * whether it was paid.
 */
import type { Facilitator, SettlementHint } from './facilitator_client.ts';
import { FacilitatorUnavailable } from './unavailable.ts';

/** How long a facilitator that gave no usable reply is tried last. */
const AVOID_MS = 60_000;

interface Candidate {
  readonly facilitator: Facilitator;
  /** From 1. */
  readonly number: number;
  /** Whether it serves the network; undefined until it has replied. */
  isServing: boolean | undefined;
  failedAtMs: number;
}

/** @param nowMs a clock that never moves back */
export function preferredFacilitator(
  facilitators: readonly Facilitator[],
  nowMs: () => number = () => performance.now(),
): Facilitator {
  const [only] = facilitators;
  if (!only) throw new Error('payments need a facilitator');
  if (facilitators.length === 1) return only;
  const all = facilitators.map((facilitator, i): Candidate => ({
    facilitator,
    number: i + 1,
    isServing: undefined,
    failedAtMs: Number.NEGATIVE_INFINITY,
  }));
  const isAvoided = ({ failedAtMs }: Candidate): boolean => nowMs() - failedAtMs < AVOID_MS;
  const inOrder = (): Candidate[] =>
    all
      .filter((candidate) => candidate.isServing !== false)
      .sort((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
  const isServing = async (candidate: Candidate): Promise<boolean> =>
    (candidate.isServing ??= await candidate.facilitator.supported());

  /** The first usable reply. @throws FacilitatorUnavailable if there is none */
  const firstReply = async <T>(ask: (facilitator: Facilitator) => Promise<T>): Promise<T> => {
    let failure = new FacilitatorUnavailable('no facilitator serves the network');
    for (const candidate of inOrder()) {
      try {
        // One that does not serve the network would refuse every payment.
        if (!(await isServing(candidate))) continue;
        const reply = await ask(candidate.facilitator);
        candidate.failedAtMs = Number.NEGATIVE_INFINITY;
        return reply;
      } catch (error) {
        if (!(error instanceof FacilitatorUnavailable)) throw error;
        candidate.failedAtMs = nowMs();
        failure = error;
      }
    }
    throw failure;
  };

  return {
    verify: (payload, requirements) => firstReply((facilitator) => facilitator.verify(payload, requirements)),
    async settle(payload, requirements) {
      try {
        return await firstReply(async (facilitator) => {
          const hint: SettlementHint = await facilitator.settle(payload, requirements);
          if (hint.hasFailed) throw new FacilitatorUnavailable('facilitator settle: no usable reply');
          return hint;
        });
      } catch {
        return { transaction: null, hasFailed: true };
      }
    },
    async supported() {
      let failure: FacilitatorUnavailable | null = null;
      for (const candidate of all) {
        try {
          if (await isServing(candidate)) return true;
        } catch (error) {
          if (!(error instanceof FacilitatorUnavailable)) throw error;
          candidate.failedAtMs = nowMs();
          failure = error;
        }
      }
      if (failure !== null) throw failure;
      return false;
    },
    inUse: () => ({ number: inOrder()[0]?.number ?? 1, of: all.length }),
  };
}
