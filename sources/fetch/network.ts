/**
 * Whether this machine has a network. Checked before the first request of a run, and again when a host does not
 * resolve. Without a network every request ends at once, and the operator gets one message.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { SourceUnavailable } from '../contract.ts';

/** Resolves a host name. @throws if it does not resolve */
export type Resolve = (hostname: string) => Promise<LookupAddress>;

/** A resolver in the form in which sockets take it. */
export function lookupWith(resolve: Resolve): LookupFunction {
  const lookUp = callbackify(resolve);
  return (hostname, options, done) => {
    lookUp(hostname, (error, found) => {
      if (error) done(error, []);
      else if (options.all) done(null, [found]);
      else done(null, found.address, found.family);
    });
  };
}

export interface NetworkOptions {
  /** Hosts of all sources. There is a network if any of them resolves. */
  readonly hosts: readonly string[];
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve | undefined;
  /** Called once, when there is no network. */
  readonly onDown?: ((message: string) => void) | undefined;
  /** Waits for the time limit of a check. */
  readonly wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Milliseconds within which a host must resolve. */
const LIMIT_MS = 6_000;
/** Lookups at the same time: the system's resolver blocks one of the four threads that also read files. */
const AT_ONCE = 3;

/** Codes of a host name that does not resolve. */
export const UNRESOLVED: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN'];

export class Network {
  readonly #options: NetworkOptions;
  readonly #resolve: Resolve;
  readonly #wait: (ms: number) => Promise<unknown>;
  #isDown = false;
  #first: Promise<void> | undefined;
  #again: Promise<void> | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? ((hostname) => lookup(hostname));
    // Unreferenced, so that an ended check does not keep the process alive.
    this.#wait = options.wait ?? ((ms) => sleep(ms, undefined, { ref: false }));
  }

  /** Before a request. @throws SourceUnavailable no_network */
  async check(page: URL): Promise<void> {
    this.#first ??= this.#look(page.hostname);
    await this.#first;
    this.#throwIfDown(page.href);
  }

  /**
   * After a host did not resolve: whether only this host is affected.
   * @throws SourceUnavailable no_network
   */
  async checkAgain(page: URL): Promise<void> {
    this.#again ??= this.#look(page.hostname).finally(() => {
      this.#again = undefined;
    });
    await this.#again;
    this.#throwIfDown(page.href);
  }

  #throwIfDown(pageUrl: string): void {
    if (this.#isDown) throw new SourceUnavailable('no_network', 'this machine has no network', pageUrl);
  }

  /** Look up hosts until one resolves. */
  async #look(hostname: string): Promise<void> {
    if (this.#isDown) return;
    const names = this.#options.hosts.map((host) => new URL(`http://${host}`).hostname);
    const hosts = [...new Set([hostname, ...names])];
    const count = hosts.length;
    const limit = this.#wait(LIMIT_MS).then(() => false);
    const isUp = await Promise.race([this.#anyOf(hosts), limit]);
    // Ends the other lookups.
    hosts.length = 0;
    if (isUp) return;
    this.#isDown = true;
    this.#options.onDown?.(
      `no network: none of ${count} hosts resolves. Check the connection and the DNS of this machine, then run ` +
        'again. Until then the rows of earlier reads stay in use. See docs/runbook.md#no_network',
    );
  }

  /** Whether any host resolves. Removes the hosts it has looked up. */
  async #anyOf(hosts: string[]): Promise<boolean> {
    const lookUpNext = async (): Promise<true> => {
      for (let host = hosts.shift(); host !== undefined; host = hosts.shift()) {
        const isResolved = await this.#resolve(host).then(
          () => true,
          () => false,
        );
        if (isResolved) return true;
      }
      throw new Error('no host resolves');
    };
    return Promise.any(Array.from({ length: AT_ONCE }, lookUpNext)).catch(() => false);
  }
}
