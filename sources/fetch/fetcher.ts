/**
 * The polite fetcher: the only way out to the web. It asks robots.txt, keeps each host's pace, retries what may
 * pass, follows redirects inside the allow-list, archives every answer before anybody sees it, and takes a refusal
 * for what it is.
 *
 * In the sandbox world (`sandboxUrl`) every host is reached at that address and named `<host>.sandbox.example`;
 * everything else stays the same, but nothing is waited for.
 */
import type { FetchContext, SourceSpec } from '../contract.ts';
import type { Archive } from './archive.ts';
import { SourceContext, type Stats } from './context.ts';
import type { Lane } from './polite/lane.ts';
import { MAX_DECODED_BYTES } from './page.ts';
import { PRODUCT, type RobotsRules } from './polite/robots.ts';
import { createRenderer, type Renderer } from './browser.ts';
import { createTransport, type Transport, type TransportLimits } from './transport.ts';
import { ALONE, type Turns } from './polite/turns.ts';

export interface FetchLimits extends TransportLimits {
  /** Largest body as sent, in bytes, unless the request says otherwise. */
  readonly maxBytes: number;
  /** Largest body after content decoding, in bytes. */
  readonly maxDecodedBytes: number;
  /** Tries after the first. */
  readonly retries: number;
  /** Milliseconds before the first retry; doubled for each further one, with jitter. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Longest Retry-After that is waited for; a site that asks for more is left alone for this run. */
  readonly maxRetryAfterMs: number;
}

export const LIMITS: FetchLimits = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 60_000,
  totalMs: 15 * 60_000,
  maxBytes: 64 * 1024 * 1024,
  maxDecodedBytes: MAX_DECODED_BYTES,
  retries: 4,
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
  maxRetryAfterMs: 5 * 60_000,
};

/** How far a source's read has come. */
export interface Progress {
  readonly source: string;
  readonly requests: number;
  readonly bytes: number;
}

export interface FetcherOptions {
  readonly archive: Archive;
  readonly clock: { nowMs(): number; observedAt(): string };
  /** Address of the sandbox world's server. Without it the real web is read. */
  readonly sandboxUrl?: string;
  /** Where site owners reach the operator; part of the user agent. */
  readonly contact?: string;
  readonly limits?: Partial<FetchLimits>;
  /** Values of the secrets that sources declare, by name. */
  readonly secrets?: Readonly<Record<string, string | undefined>>;
  /**
   * Path of the Chromium for pages that need a browser. Default: the system's, else the one that comes with the
   * packages.
   */
  readonly chromiumPath?: string;
  /** Called after every request. */
  readonly onProgress?: (progress: Progress) => void;
  /** Asked before each request, where other processes may want the same host. Default: there are none. */
  readonly turns?: Turns;
  /**
   * Aborted where what is read is no longer ours to read: its reason is thrown, and nothing more is asked or archived.
   */
  readonly stop?: AbortSignal;
}

export interface ReadOptions {
  readonly asOf: string;
  readonly runId: string;
  readonly lastGoodOn: string | null;
  readonly onUnreadable: (key: Readonly<Record<string, string>>, error: unknown) => void;
  /**
   * Runs whose answers may be confirmed by a conditional request. Default: all; leave out those that were quarantined.
   */
  readonly trusts?: (runId: string) => boolean;
  /** Interrupted runs of the same day: what they archived is used instead of asking again. Default: none. */
  readonly resumes?: readonly string[];
  /**
   * Which try of this run to read the source it is, from 0: what an earlier one has archived is used instead of asking
   * again. Default 0.
   */
  readonly attempt?: number;
}

export interface Fetcher {
  /** What one read of one source may use, and what it used. */
  contextFor(spec: SourceSpec, read: ReadOptions): FetchContext & { readonly stats: Stats };
  close(): Promise<void>;
}

/** What the contexts of one run share. */
export interface Shared {
  readonly archive: Archive;
  readonly clock: FetcherOptions['clock'];
  readonly limits: FetchLimits;
  readonly transport: Transport;
  readonly renderer: Renderer;
  readonly userAgent: string;
  readonly inSandbox: boolean;
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly onProgress: (progress: Progress) => void;
  readonly turns: Turns;
  readonly stop: AbortSignal | undefined;
  /** By host. */
  readonly lanes: Map<string, Lane>;
  /** By origin; robots.txt is read once in a run. */
  readonly robots: Map<string, Promise<RobotsRules>>;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const limits = { ...LIMITS, ...options.limits };
  const shared: Shared = {
    archive: options.archive,
    clock: options.clock,
    limits,
    transport: createTransport(limits, options.sandboxUrl, options.stop),
    renderer: createRenderer(options.chromiumPath),
    userAgent: options.contact === undefined ? `${PRODUCT}/0.1` : `${PRODUCT}/0.1 (+${options.contact})`,
    inSandbox: options.sandboxUrl !== undefined,
    secrets: options.secrets ?? {},
    onProgress: options.onProgress ?? (() => {}),
    turns: options.turns ?? ALONE,
    stop: options.stop,
    lanes: new Map(),
    robots: new Map(),
  };
  return {
    contextFor: (spec, read) => new SourceContext(shared, spec, read),
    close: async () => {
      await Promise.all([shared.transport.close(), shared.renderer.close()]);
    },
  };
}
