/**
 * The polite fetcher, the only way to the web. It obeys robots.txt and rate limits, retries temporary failures, follows
 * redirects within the source's hosts, archives each response before the adapter sees it, and respects refusals. In the
 * sandbox (`sandboxUrl`) every host is reached at that address and named `<host>.sandbox.example`, and nothing waits.
 * The rest is the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CookieJar } from 'tough-cookie';
import {
  type FetchContext,
  type GetOptions,
  type Page,
  Quarantine,
  type Session,
  type SourceSpec,
  SourceUnavailable,
} from '../contract.ts';
import { checkAllowed, publicAddress } from './addresses.ts';
import { type ArchivedPage, RequestLog } from './request_log.ts';
import type { FetcherOptions, ReadOptions, ReadScope, RunScope, Stats } from './scope.ts';
import { Sender } from './sender.ts';
import { createTransport, LIMITS, Network, postedBody } from './transport.ts';
import { createRenderer } from './browser.ts';
import { PRODUCT } from './robots.ts';

class SourceContext implements FetchContext {
  readonly asOf: string;
  readonly lastGoodOn: string | null;
  readonly sampleRows: number | null;
  readonly stats: Stats = {
    requests: 0,
    notModified: 0,
    resumed: 0,
    bytes: 0,
    retries: 0,
    sleptMs: 0,
    stated: null,
    columns: null,
  };
  readonly #scope: ReadScope;
  readonly #log: RequestLog;
  readonly #sender: Sender;
  readonly #jars = new Map<string, CookieJar>();

  constructor(run: RunScope, spec: SourceSpec, options: ReadOptions) {
    this.asOf = options.asOf;
    this.lastGoodOn = options.lastGoodOn;
    this.sampleRows = options.sampleRows ?? null;
    this.#scope = { run, spec, options, stats: this.stats };
    this.#log = new RequestLog(this.#scope);
    this.#sender = new Sender(this.#scope, this.#log);
  }

  get nowMs(): number {
    return this.#scope.run.clock.nowMs();
  }

  secret(name: string): string | undefined {
    const { run, spec } = this.#scope;
    if (!spec.secrets?.includes(name)) throw new Error(`source ${spec.name} does not declare the secret ${name}`);
    return run.secrets[name];
  }

  session(): Session {
    const id = `s${this.#jars.size + 1}`;
    this.#jars.set(id, new CookieJar());
    return { id };
  }

  states(rows: number): void {
    this.stats.stated = (this.stats.stated ?? 0) + rows;
  }

  describes(columns: readonly string[]): void {
    this.stats.columns = columns;
  }

  /** What each host of the source asks of programs, in words. */
  hostsSay(): Promise<readonly string[]> {
    return this.#sender.robots.sayings();
  }

  unreadable(key: Readonly<Record<string, string>>, error: unknown): void {
    // A full disk or a defect of the program is not a fault of the page.
    if (!(error instanceof SourceUnavailable) && !(error instanceof Quarantine)) throw error;
    this.#scope.options.onUnreadable(key, error);
  }

  async getIfExists(url: string, options: GetOptions): Promise<Page | null> {
    try {
      return await this.get(url, options);
    } catch (error) {
      if (error instanceof SourceUnavailable && error.reason === 'not_found') return null;
      throw error;
    }
  }

  async get(address: string, options: GetOptions): Promise<Page> {
    const { run, spec } = this.#scope;
    const url = publicAddress(address, run.inSandbox);
    checkAllowed(url, spec.hosts, url.href);
    const jar = options.session && this.#jars.get(options.session.id);
    if (options.session && !jar)
      throw new Error(`session ${options.session.id} was not opened by this read of ${spec.name}`);
    const resumed = await this.#resumed(url.href, options);
    if (resumed) return resumed;
    await run.network?.check(url);
    const latest = await this.#revalidatable(url.href, options);
    const { record, sha256, decoded } = await this.#sender.follow(
      { url, options, latest, jar },
      async (hop) => (await this.#sender.robots.check(hop, url.href)).crawlDelayMs,
    );
    return this.#log.page(record, sha256, decoded);
  }

  withContext(page: Page, context: Readonly<Record<string, string>>): Promise<Page> {
    return this.#log.addContext(page, context);
  }

  /** The page from an interrupted run of the same day, if there is one. */
  async #resumed(pageUrl: string, options: GetOptions): Promise<Page | undefined> {
    const { runId, resumes: runs = [], attempt = 0 } = this.#scope.options;
    if ((runs.length === 0 && attempt === 0) || options.session || postedBody(options)) return undefined;
    const archived = await this.#log.latest(pageUrl, options, (row) =>
      row.runId === runId ? (row.attempt ?? 0) < attempt : runs.includes(row.runId),
    );
    if (!archived) return undefined;
    this.stats.resumed += 1;
    return this.#log.page(await this.#log.addResumed(archived, options), archived.sha256, archived.bytes);
  }

  /** An archived response that a conditional request may confirm. */
  async #revalidatable(pageUrl: string, options: GetOptions): Promise<ArchivedPage | undefined> {
    if (postedBody(options) || options.rendered !== undefined) return undefined;
    if (!(options.conditional ?? !options.session)) return undefined;
    const { mayRevalidate = () => true } = this.#scope.options;
    return this.#log.latest(pageUrl, options, ({ responseHeaders, runId }) => {
      const validator = responseHeaders['etag'] ?? responseHeaders['last-modified'];
      return validator !== undefined && mayRevalidate(runId);
    });
  }
}

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
