/**
 * The polite fetcher, the only way to the web. It obeys robots.txt and rate limits, retries temporary failures, follows
 * redirects within the source's hosts, archives each response before the adapter sees it, and respects refusals. In the
 * sandbox (`sandboxUrl`) every host is reached at that address and named `<host>.sandbox.example`, and nothing waits.
 * The rest is the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchContext, SourceSpec } from '../contract.ts';
import { createRenderer } from './browser.ts';
import { SourceContext } from './context.ts';
import { Network } from './network.ts';
import { PRODUCT } from './robots.ts';
import type { FetcherOptions, ReadOptions, RunScope, Stats } from './scope.ts';
import { createTransport, LIMITS } from './transport.ts';

export type { FetcherOptions, Progress, ReadOptions, Stats } from './scope.ts';

export interface Fetcher {
  /** The context of one read of one source, and its traffic. */
  contextFor(
    spec: SourceSpec,
    options: ReadOptions,
  ): FetchContext & { readonly stats: Stats } & Pick<SourceContext, 'hostsSay'>;
  close(): Promise<void>;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const limits = { ...LIMITS, ...options.limits };
  const { sandboxUrl, hosts = [], resolve, stop, contact, onNoNetwork: onDown } = options;
  const timer = options.timer ?? { nowMs: () => performance.now(), sleep: (ms) => sleep(ms) };
  const startedMs = timer.nowMs();
  const run: RunScope = {
    archive: options.archive,
    clock: options.clock,
    secrets: options.secrets ?? {},
    onProgress: options.onProgress ?? (() => {}),
    beforeRequest: options.beforeRequest ?? (async () => {}),
    timer,
    limits,
    transport: createTransport(limits, { connectTo: sandboxUrl, stop, resolve }),
    network: sandboxUrl === undefined ? new Network({ hosts, resolve, onDown, lookupMs: limits.lookupMs }) : undefined,
    renderer: createRenderer(options.chromiumPath),
    userAgent: `${PRODUCT}/0.1${contact === undefined ? '' : ` (+${contact})`}`,
    inSandbox: sandboxUrl !== undefined,
    notBefore: (host) => startedMs + (options.pauses?.get(host) ?? 0),
    limiters: new Map(),
    robots: new Map(),
    ...(stop && { stop }),
  };
  return {
    contextFor: (spec, read) => new SourceContext(run, spec, read),
    close: async () => {
      await Promise.all([run.transport.close(), run.renderer.close()]);
    },
  };
}
