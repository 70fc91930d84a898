/** Checks whether the facilitator serves the network, and retries until it does. */
import type { PaymentNetwork } from './payment_network.ts';

/** The facilitator does not serve exact payments on this network. */
export class UnservedNetwork extends Error {
  override readonly name = 'UnservedNetwork';
  readonly network: string;
  constructor(network: string) {
    super(`the facilitator does not serve exact payments on ${network}`);
    this.network = network;
  }
}

export interface ReadinessOptions {
  readonly nowMs: () => number;
  /** Time between two requests to a facilitator that did not respond. */
  readonly retrySeconds: number;
  /** Other work before the first sale. Its error keeps the network from being ready. */
  readonly prepare: () => Promise<unknown>;
}

export interface NetworkReadiness {
  /** Ask the facilitator. @throws UnservedNetwork, or the error of a facilitator that cannot be asked */
  start(): Promise<void>;
  isReady(): boolean;
  /** Ready now, or after asking again, at most every few seconds. */
  becomeReady(): Promise<boolean>;
}

export function networkReadiness(
  { network, facilitator }: Pick<PaymentNetwork, 'network' | 'facilitator'>,
  { nowMs, retrySeconds, prepare }: ReadinessOptions,
): NetworkReadiness {
  let isReady = false;
  let running: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const check = async (): Promise<void> => {
    askedAtMs = nowMs();
    await prepare();
    if (!(await facilitator.supported())) throw new UnservedNetwork(network.name);
    isReady = true;
  };
  const start = (): Promise<void> =>
    (running ??= check().finally(() => {
      running = undefined;
    }));
  return {
    start,
    isReady: () => isReady,
    async becomeReady() {
      if (!isReady && (running !== undefined || Math.abs(nowMs() - askedAtMs) >= retrySeconds * 1000))
        await start().catch(() => undefined);
      return isReady;
    },
  };
}
