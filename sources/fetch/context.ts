/** The context of an adapter's fetch during one read of its source. */
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
import { Tokens } from './credentials/tokens.ts';
import { decodeBody } from './http/decode.ts';
import { PacedTransport } from './http/paced_transport.ts';
import { type HttpResponse, postedBody } from './http/transport.ts';
import { Sender, type SendOne } from './http/sender.ts';
import { RobotsChecker } from './polite/robots_checker.ts';
import { type ArchivedPage, maxDecodedBytes, type OutgoingRequest, RequestLog } from './request_log.ts';
import type { ReadOptions, ReadScope, RunScope, Stats } from './scope.ts';
import { MAX_REDIRECTS, checkAllowed, publicAddress, redirectTarget, withoutSecretQuery } from './addresses.ts';

class ResourceLoader {
  readonly #scope: ReadScope;
  readonly #robots: RobotsChecker;

  constructor(scope: ReadScope, robots: RobotsChecker) {
    this.#scope = scope;
    this.#robots = robots;
  }

  /** One resource with a decoded body, or the page itself. @throws SourceUnavailable if it may not be requested */
  async fetch(requested: URL, page: OutgoingRequest, send: SendOne): Promise<HttpResponse> {
    const { run, spec } = this.#scope;
    const { pageUrl, options } = page;
    const url = publicAddress(requested, run.inSandbox);
    checkAllowed(url, spec.hosts, pageUrl);
    // The rate limit and the headers are those of the page's own host.
    if (url.host !== page.url.host)
      throw new SourceUnavailable('host_not_allowed', `${url.host} is not the page's host`, pageUrl);
    await this.#robots.check(url, pageUrl);
    const response = await send(url);
    if (response.status === 304)
      throw new SourceUnavailable(
        'server_error',
        'the site answered 304 to a request without a condition',
        pageUrl,
        304,
      );
    const { 'content-encoding': encoding, ...headers } = response.headers;
    const body = await decodeBody(response.body, encoding, maxDecodedBytes(run.limits, options), pageUrl);
    return { ...response, headers, body };
  }
}

export class SourceContext implements FetchContext {
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
  readonly #robots: RobotsChecker;
  readonly #jars = new Map<string, CookieJar>();

  constructor(run: RunScope, spec: SourceSpec, options: ReadOptions) {
    this.asOf = options.asOf;
    this.lastGoodOn = options.lastGoodOn;
    this.sampleRows = options.sampleRows ?? null;
    this.#scope = { run, spec, options, stats: this.stats };
    this.#log = new RequestLog(this.#scope);
    const transport = new PacedTransport(this.#scope);
    this.#sender = new Sender(this.#scope, transport, this.#log, {
      bearer: (grant, pageUrl) => tokens.bearer(grant, pageUrl),
      fetchResource: (url, page, send) => resources.fetch(url, page, send),
    });
    this.#robots = new RobotsChecker(this.#scope, this.#sender);
    const tokens = new Tokens(this.#scope, transport, this.#robots);
    const resources = new ResourceLoader(this.#scope, this.#robots);
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
    return this.#robots.sayings();
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

  async get(url: string, options: GetOptions): Promise<Page> {
    const { run, spec } = this.#scope;
    const requested = publicAddress(url, run.inSandbox);
    checkAllowed(requested, spec.hosts, requested.href);
    const jar = options.session && this.#jarOf(options.session);
    return (await this.#resumed(requested.href, options)) ?? this.#fetch(requested, options, jar);
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
    const record = await this.#log.addResumed(archived, options);
    this.stats.resumed += 1;
    return this.#log.page(record, archived.sha256, archived.bytes);
  }

  /** An archived response that a conditional request may confirm. */
  async #revalidatable(pageUrl: string, options: GetOptions): Promise<ArchivedPage | undefined> {
    if (postedBody(options) || options.rendered !== undefined) return undefined;
    if (!(options.conditional ?? !options.session)) return undefined;
    const mayRevalidate = this.#scope.options.mayRevalidate ?? (() => true);
    return this.#log.latest(pageUrl, options, ({ responseHeaders, runId }) => {
      const validator = responseHeaders['etag'] ?? responseHeaders['last-modified'];
      return validator !== undefined && mayRevalidate(runId);
    });
  }

  /** Send the request and follow redirects within the source's hosts. */
  async #fetch(requested: URL, options: GetOptions, jar: CookieJar | undefined): Promise<Page> {
    const { run, spec } = this.#scope;
    const pageUrl = requested.href;
    await run.network?.check(requested);
    const latest = await this.#revalidatable(pageUrl, options);
    let url = requested;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      checkAllowed(url, spec.hosts, pageUrl);
      const { crawlDelayMs } = await this.#robots.check(url, pageUrl);
      const archived = latest && (latest.record.finalUrl ?? latest.record.url) === url.href ? latest : undefined;
      const request = { url, pageUrl, options: optionsFor(url, requested, options, hop), archived, jar };
      const reply = await this.#sender.send(request, crawlDelayMs);
      if (reply.is === 'page') return this.#log.page(reply.record, reply.sha256, reply.decoded);
      url = withoutSecretQuery(redirectTarget(url, reply.response, pageUrl, run.inSandbox), options);
    }
    throw new SourceUnavailable('server_error', `the site redirects more than ${MAX_REDIRECTS} times`, pageUrl);
  }

  #jarOf({ id }: Session): CookieJar {
    const jar = this.#jars.get(id);
    if (!jar) throw new Error(`session ${id} was not opened by this read of ${this.#scope.spec.name}`);
    return jar;
  }
}

/** Options of one request: a body is sent to the first address only; grant, headers and secrets to its host. */
function optionsFor(url: URL, requested: URL, options: GetOptions, hop: number): GetOptions {
  const { form, json, grant, secretQuery, ...rest } = options;
  const isOwnHost = url.host === requested.host;
  return {
    ...rest,
    ...(hop === 0 ? { ...(form && { form }), ...(json && { json }) } : {}),
    ...(isOwnHost ? { ...(grant && { grant }), ...(secretQuery && { secretQuery }) } : { headers: {} }),
  };
}
