/**
 * The polite fetcher, the only way to the web. It obeys robots.txt and rate limits, retries temporary failures, follows
 * redirects within the source's hosts, archives each response before the adapter sees it, and respects refusals. In the
 * sandbox (`sandboxUrl`) every host is reached at that address and named `<host>.sandbox.example`, and nothing waits.
 * The rest is the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchContext, SourceSpec } from '../contract.ts';
import type { Archive } from '../../lib/archive.ts';
import { createRenderer } from './browser.ts';
import { SourceContext } from './context.ts';
import { LIMITS, type FetchLimits } from './limits.ts';
import { Network, type Resolve } from './network.ts';
import { PRODUCT } from './polite/robots_checker.ts';
import type { Progress, ReadOptions, RunClock, RunScope, Stats, Timer } from './scope.ts';
import { createTransport } from './http/transport.ts';

export type { Progress, ReadOptions, Stats } from './scope.ts';

export interface FetcherOptions {
  readonly archive: Archive;
  readonly clock: RunClock;
  /** Address of the sandbox server. Default: the real web. */
  readonly sandboxUrl?: string;
  /** How site owners reach the operator; part of the user agent. */
  readonly contact?: string;
  readonly limits?: Partial<FetchLimits>;
  /** Values of the sources' secrets, by name. */
  readonly secrets?: Readonly<Record<string, string | undefined>>;
  /** Chromium for pages that need a browser. Default: the system's, else the one of the development packages. */
  readonly chromiumPath?: string;
  /** Called after every request. */
  readonly onProgress?: (progress: Progress) => void;
  /** Hosts of all sources: the machine has a network if any of them resolves. Default: the requested host. */
  readonly hosts?: readonly string[];
  /** Called once, when there is no network. */
  readonly onNoNetwork?: (message: string) => void;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  /** Called before each request. Its error ends the read. */
  readonly beforeRequest?: () => Promise<void>;
  /** Milliseconds until the first request to a host may start, after requests of another process. Default: 0. */
  readonly pauses?: ReadonlyMap<string, number>;
  /** Ends all reads: its reason is thrown, and nothing more is requested or archived. */
  readonly stop?: AbortSignal;
  /** Default: the monotonic clock. */
  readonly timer?: Timer;
}

export interface Fetcher {
  /** The context of one read of one source, and its traffic. */
  contextFor(
    spec: SourceSpec,
    options: ReadOptions,
  ): FetchContext & { readonly stats: Stats } & Pick<SourceContext, 'hostsSay'>;
  close(): Promise<void>;
}

const TIMER: Timer = {
  nowMs: () => performance.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
};

const networkOf = ({ hosts = [], resolve, onNoNetwork }: FetcherOptions): Network =>
  new Network({ hosts, resolve, onDown: onNoNetwork });

export function createFetcher(options: FetcherOptions): Fetcher {
  const limits = { ...LIMITS, ...options.limits };
  const { timer = TIMER, pauses } = options;
  const startedMs = timer.nowMs();
  const run: RunScope = {
    archive: options.archive,
    clock: options.clock,
    limits,
    transport: createTransport(limits, {
      connectTo: options.sandboxUrl,
      stop: options.stop,
      resolve: options.resolve,
    }),
    network: options.sandboxUrl === undefined ? networkOf(options) : undefined,
    renderer: createRenderer(options.chromiumPath),
    userAgent: options.contact === undefined ? `${PRODUCT}/0.1` : `${PRODUCT}/0.1 (+${options.contact})`,
    inSandbox: options.sandboxUrl !== undefined,
    secrets: options.secrets ?? {},
    onProgress: options.onProgress ?? (() => {}),
    timer,
    beforeRequest: options.beforeRequest ?? (async () => {}),
    notBefore: (host) => startedMs + (pauses?.get(host) ?? 0),
    stop: options.stop,
    limiters: new Map(),
    robots: new Map(),
  };
  return {
    contextFor: (spec, read) => new SourceContext(run, spec, read),
    close: async () => {
      await Promise.all([run.transport.close(), run.renderer.close()]);
    },
  };
}
