/** State that the parts of the fetcher share over a run, and over one read of a source. */
import type { Archive } from '../../lib/archive.ts';
import type { SourceSpec } from '../contract.ts';
import type { Renderer } from './browser.ts';
import type { FetchLimits, Network, Resolve, Transport } from './transport.ts';
import type { RateLimiter, Timer } from './rate_limiter.ts';

/** Progress of a source's read. */
export interface Progress {
  readonly source: string;
  readonly requests: number;
  readonly bytes: number;
  /** The response that is arriving: bytes so far, and its declared length, 0 if it declares none. */
  readonly body?: { readonly received: number; readonly expected: number };
}

export interface FetcherOptions {
  readonly archive: Archive;
  readonly clock: { nowMs(): number; observedAt(): string };
  /** Address of the sandbox server. Default: the real web. */
  readonly sandboxUrl?: string | undefined;
  /** How site owners reach the operator; part of the user agent. */
  readonly contact?: string | undefined;
  readonly limits?: Partial<FetchLimits> | undefined;
  /** Values of the sources' secrets, by name. */
  readonly secrets?: Readonly<Record<string, string | undefined>>;
  /** Chromium for pages that need a browser. Default: the system's, else the one of the development packages. */
  readonly chromiumPath?: string | undefined;
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

type Given = 'archive' | 'clock' | 'secrets' | 'onProgress' | 'timer' | 'beforeRequest';

/** Rules of an origin's robots.txt. */
export interface RobotsRules {
  allows(url: URL): boolean;
  /** Crawl-delay in milliseconds, 0 if there is none. */
  readonly crawlDelayMs: number;
  /** Why an address is not allowed. */
  readonly because: string;
  /** Whether they are of a file that the site has. */
  readonly isFile?: true;
  /** Set if the site could not be reached for its rules: that is not a refusal. */
  readonly failure?: 'host_not_found' | 'no_network';
}

export interface RunScope extends Required<Pick<FetcherOptions, Given>>, Pick<FetcherOptions, 'stop'> {
  readonly limits: FetchLimits;
  readonly transport: Transport;
  /** Undefined in the sandbox, which needs none. */
  readonly network: Network | undefined;
  readonly renderer: Renderer;
  readonly userAgent: string;
  readonly inSandbox: boolean;
  /** When the first request to a host may start, by the timer. */
  readonly notBefore: (host: string) => number;
  /** By host. */
  readonly limiters: Map<string, RateLimiter>;
  /** By origin: robots.txt is read once per run. */
  readonly robots: Map<string, Promise<RobotsRules>>;
}

export interface ReadOptions {
  readonly asOf: string;
  readonly runId: string;
  readonly lastGoodOn: string | null;
  readonly onUnreadable: (key: Readonly<Record<string, string>>, error: unknown) => void;
  /** Whether a conditional request may confirm the pages of a run. Default: all; exclude quarantined runs. */
  readonly mayRevalidate?: (runId: string) => boolean;
  /** Interrupted runs of the same day, whose archived pages are used instead of new requests. Default: none. */
  readonly resumes?: readonly string[];
  /** Number of rows that a probe requests. Default: a run, which requests all. */
  readonly sampleRows?: number;
  /** Number of earlier attempts of this run to read the source; their archived pages are used too. Default 0. */
  readonly attempt?: number;
}

/** Traffic of one read. */
export interface Stats {
  /** Requests sent, including robots.txt, redirects and retries. */
  requests: number;
  /** Responses that confirmed an archived page (304). */
  notModified: number;
  /** Pages taken from an interrupted run, without a request. */
  resumed: number;
  /** Body bytes received. */
  bytes: number;
  retries: number;
  sleptMs: number;
  /** Rows of the read by the site's own count; null if it states none. */
  stated: number | null;
  /** Columns of the publisher's table; null if it is none. */
  columns: readonly string[] | null;
}

export interface ReadScope {
  readonly run: RunScope;
  readonly spec: SourceSpec;
  readonly options: ReadOptions;
  readonly stats: Stats;
}
