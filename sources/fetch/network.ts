/**
 * Whether this machine has a network. Checked before the first request of a run, and again when a host does not
 * resolve. Without a network every request ends at once, and the operator gets one message.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SourceUnavailable } from '../contract.ts';

/** Resolves a host name. @throws if it does not resolve */
export type Resolve = (hostname: string) => Promise<LookupAddress>;

export interface NetworkOptions {
  /** Hosts of all sources. There is a network if any of them resolves. */
  readonly hosts: readonly string[];
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve | undefined;
  /** Milliseconds within which a host must resolve. */
  readonly lookupMs: number;
  /** Called once, when there is no network. */
  readonly onDown?: ((message: string) => void) | undefined;
}

/** Lookups at the same time: the system's resolver blocks one of the four threads that also read files. */
const AT_ONCE = 3;

export class Network {
  readonly #options: NetworkOptions;
  #isDown = false;
  #hasLooked = false;
  #looking: Promise<void> | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /**
   * @param isUnresolved its host has just not resolved: look again whether others do
   * @throws SourceUnavailable no_network
   */
  async check(page: URL, isUnresolved = false): Promise<void> {
    if (!this.#isDown && (isUnresolved || !this.#hasLooked))
      this.#looking ??= this.#look(page.hostname).finally(() => {
        this.#hasLooked = true;
        this.#looking = undefined;
      });
    await this.#looking;
    if (this.#isDown) throw new SourceUnavailable('no_network', 'this machine has no network', page.href);
  }

  /** Look up hosts until one resolves. */
  async #look(hostname: string): Promise<void> {
    const { resolve = lookup as Resolve, hosts, lookupMs, onDown } = this.#options;
    const all = new Set([hostname, ...hosts.map((host) => new URL(`http://${host}`).hostname)]);
    const names = all.values();
    let isOver = false;
    const lookUpNext = async (): Promise<true> => {
      for (const name of names) {
        if (isOver) break;
        const isResolved = await resolve(name).then(
          () => true,
          () => false,
        );
        if (isResolved) return true;
      }
      throw new Error('no host resolves');
    };
    const isUp = await Promise.race([
      Promise.any(Array.from({ length: AT_ONCE }, lookUpNext)).catch(() => false),
      // Unreferenced, so that an ended check does not keep the process alive.
      sleep(lookupMs, false, { ref: false }),
    ]);
    isOver = true;
    if (isUp) return;
    this.#isDown = true;
    onDown?.(
      `no network: none of ${all.size} hosts resolves. Check the connection and the DNS of this machine, then run ` +
        'again. Until then the rows of earlier reads stay in use. See docs/runbook.md#no_network',
    );
  }
}
