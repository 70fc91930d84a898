/** Checks whether the facilitator of each network serves it, and retries until it does. */
import type { Network } from '../../lib/network.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';
import type { PaymentNetwork } from './networks.ts';

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
  /** Work that every network needs. Its error keeps each of them from being ready. */
  readonly prepare: () => Promise<unknown>;
}

interface Readiness {
  start(): Promise<void>;
  isReady(): boolean;
  /** Ready now, or after asking again, at most every few seconds. */
  becomeReady(): Promise<boolean>;
}

function facilitatorCheck(
  facilitator: Pick<Facilitator, 'supported'>,
  network: string,
  { nowMs, retrySeconds, prepare }: ReadinessOptions,
): Readiness {
  let isReady = false;
  let running: Promise<void> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const check = async (): Promise<void> => {
    askedAtMs = nowMs();
    await prepare();
    if (!(await facilitator.supported())) throw new UnservedNetwork(network);
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

export interface NetworkReadiness {
  /** Ask every facilitator. @throws UnservedNetwork, or else the error of the first network that cannot be asked */
  start(): Promise<void>;
  /** Whether any network is ready. */
  isReady(): boolean;
  /** Whether this network is ready; without one, whether any is. Asks again if not. */
  becomeReady(network?: PaymentNetwork): Promise<boolean>;
  /** Networks that no facilitator has confirmed yet. */
  unconfirmed(): readonly Network[];
  /** The networks to offer: those whose facilitator and node work; all of them if none does. */
  available(): readonly PaymentNetwork[];
}

export function networkReadiness(networks: readonly PaymentNetwork[], options: ReadinessOptions): NetworkReadiness {
  const checks = new Map(
    networks.map(({ network, facilitator }) => [network, facilitatorCheck(facilitator, network.name, options)]),
  );
  const all = [...checks.values()];
  return {
    async start() {
      const results = await Promise.allSettled(all.map((check) => check.start()));
      const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      if (errors.length > 0) throw errors.find((error) => error instanceof UnservedNetwork) ?? errors[0];
    },
    isReady: () => all.some((check) => check.isReady()),
    async becomeReady(network) {
      const check = network && checks.get(network.network);
      if (check) return check.becomeReady();
      const asked = Promise.all(all.map((one) => one.becomeReady()));
      return all.some((one) => one.isReady()) || (await asked).includes(true);
    },
    unconfirmed: () => networks.flatMap(({ network }) => (checks.get(network)?.isReady() === true ? [] : [network])),
    available() {
      const working = networks.filter(
        ({ network, chain }) => chain.isReachable() && checks.get(network)?.isReady() === true,
      );
      return working.length === 0 ? networks : working;
    },
  };
}
