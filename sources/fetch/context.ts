/** One read of one source: pages by address, with everything the fetcher promises applied. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { CookieJar } from 'tough-cookie';
import {
  Quarantine,
  SourceUnavailable,
  type FetchContext,
  type GetOptions,
  type Grant,
  type Page,
  type Session,
  type SourceSpec,
} from '../contract.ts';
import type { RequestRecord } from './archive.ts';
import { ACCEPT_ENCODING, decodeBody } from './decode.ts';
import type { ReadOptions, Shared } from './fetcher.ts';
import { cookiesOf, ownHeaders, validatorsOf } from './headers.ts';
import { checkAllowed, publicAddress } from './polite/hosts.ts';
import { Lane } from './polite/lane.ts';
import { assemblePage } from './page.ts';
import { requestToken, type Token } from './oauth.ts';
import { expectedOf, mostDecoded, ReadRecords, type Ask, type Held } from './records.ts';
import { NO_RULES, rulesFrom, unreachableRules, type RobotsRules } from './polite/robots.ts';
import { NoAnswer, type Answer } from './transport.ts';
import { judge, type Verdict } from './verdict.ts';

/** Traffic of one read. */
export interface Stats {
  /** Requests sent, with robots.txt, redirects and retries. */
  requests: number;
  /** Answers that confirmed an archived page (304). */
  notModified: number;
  /** Pages taken from an interrupted run, without a request. */
  resumed: number;
  /** Body bytes received. */
  bytes: number;
  retries: number;
  sleptMs: number;
}

const MAX_REDIRECTS = 5;

type Reply =
  | { readonly verdict: 'page'; readonly record: RequestRecord; readonly sha256: string; readonly decoded: Uint8Array }
  | { readonly verdict: 'redirect'; readonly answer: Answer };

/** Carries an error that another try may cure through p-retry. */
class Again extends Error {
  readonly final: SourceUnavailable | Quarantine;
  constructor(final: SourceUnavailable | Quarantine) {
    super(final.message);
    this.final = final;
  }
}

export class SourceContext implements FetchContext {
  readonly asOf: string;
  readonly lastGoodOn: string | null;
  readonly stats: Stats = { requests: 0, notModified: 0, resumed: 0, bytes: 0, retries: 0, sleptMs: 0 };
  readonly #shared: Shared;
  readonly #spec: SourceSpec;
  readonly #read: ReadOptions;
  readonly #records: ReadRecords;
  readonly #jars = new Map<string, CookieJar>();
  /** Tokens of the services this read is a client of, by where they are asked for. */
  readonly #tokens = new Map<string, Promise<Token>>();
  /** Hosts that have refused this read, with what they said. */
  readonly #refusals = new Map<string, SourceUnavailable>();

  constructor(shared: Shared, spec: SourceSpec, read: ReadOptions) {
    this.#shared = shared;
    this.#spec = spec;
    this.#read = read;
    this.#records = new ReadRecords(shared, spec, read);
    this.asOf = read.asOf;
    this.lastGoodOn = read.lastGoodOn;
  }

  get nowMs(): number {
    return this.#shared.clock.nowMs();
  }

  secret(name: string): string | undefined {
    if (!this.#spec.secrets?.includes(name))
      throw new Error(`source ${this.#spec.name} asks for the secret ${name}, which it does not declare`);
    return this.#shared.secrets[name];
  }

  session(): Session {
    const id = `s${this.#jars.size + 1}`;
    this.#jars.set(id, new CookieJar());
    return { id };
  }

  unreadable(key: Readonly<Record<string, string>>, error: unknown): void {
    // A full disk, or a defect of ours, is no misfortune of the page.
    if (!(error instanceof SourceUnavailable) && !(error instanceof Quarantine)) throw error;
    this.#read.onUnreadable(key, error);
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
    const requested = publicAddress(url, this.#shared.inSandbox);
    const pageUrl = requested.href;
    checkAllowed(requested, this.#spec.hosts, pageUrl);
    const jar = options.session && this.#jarOf(options.session);
    return (
      (await this.#resumed(pageUrl, options)) ??
      this.#follow(requested, options, jar, await this.#prior(pageUrl, options))
    );
  }

  /** A page that an interrupted run of the same day has archived already. */
  async #resumed(pageUrl: string, options: GetOptions): Promise<Page | undefined> {
    const { runId, resumes: runs = [], attempt = 0 } = this.#read;
    if ((runs.length === 0 && attempt === 0) || options.session || options.form) return undefined;
    const found = await this.#records.latest(pageUrl, options, (r) =>
      r.runId === runId ? (r.attempt ?? 0) < attempt : runs.includes(r.runId),
    );
    if (!found) return undefined;
    const { attempt: _other, ...answered } = found.record;
    const record = {
      ...answered,
      runId,
      kind: options.kind,
      context: { ...options.context },
      fromCache: true,
      ...this.#records.attemptMark,
    };
    await this.#shared.archive.append(record);
    this.stats.resumed += 1;
    return assemblePage(record, found.sha256, found.bytes);
  }

  /** An archived answer with a validator to ask by. */
  async #prior(pageUrl: string, options: GetOptions): Promise<Held | undefined> {
    if (options.form || options.rendered !== undefined || !(options.conditional ?? !options.session)) return undefined;
    const trusts = this.#read.trusts ?? (() => true);
    return this.#records.latest(
      pageUrl,
      options,
      (r) => (r.responseHeaders['etag'] ?? r.responseHeaders['last-modified']) !== undefined && trusts(r.runId),
    );
  }

  /** Send, and follow redirects inside the allow-list. */
  async #follow(
    requested: URL,
    options: GetOptions,
    jar: CookieJar | undefined,
    prior: Held | undefined,
  ): Promise<Page> {
    const pageUrl = requested.href;
    let url = requested;
    let { form } = options;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      checkAllowed(url, this.#spec.hosts, pageUrl);
      const rules = await this.#robotsOf(url, pageUrl);
      if (!rules.allows(url))
        throw new SourceUnavailable('robots', `${url.href} is not ours to read: ${rules.because}`, pageUrl);
      const confirms = prior && (prior.record.finalUrl ?? prior.record.url) === url.href ? prior : undefined;
      // Headers of the adapter's own may hold a key; they go to the host they were meant for and to no other.
      const { form: _sent, grant, ...rest } = options;
      const asked = {
        ...rest,
        ...(form ? { form } : {}),
        ...(url.host === requested.host ? grant && { grant } : { headers: {} }),
      };
      const reply = await this.#send({ url, pageUrl, options: asked, prior: confirms, jar }, rules.crawlDelayMs);
      if (reply.verdict === 'page') return assemblePage(reply.record, reply.sha256, reply.decoded);
      url = this.#target(url, reply.answer, pageUrl);
      // A form is sent once; what it leads to is fetched.
      form = undefined;
    }
    throw new SourceUnavailable('server_error', `the site redirects more than ${MAX_REDIRECTS} times`, pageUrl);
  }

  /** Where a redirect leads. @throws SourceUnavailable where it leads nowhere or out of the allow-list */
  #target(from: URL, answer: Answer, pageUrl: string): URL {
    const location = answer.headers['location'];
    if (!location || !URL.canParse(location, from)) {
      throw new SourceUnavailable(
        'server_error',
        `the site answered ${answer.status} with the location ${JSON.stringify(location ?? null)}, which is no address`,
        pageUrl,
        answer.status,
      );
    }
    const to = publicAddress(new URL(location, from), this.#shared.inSandbox);
    if (from.protocol === 'https:' && to.protocol === 'http:') {
      throw new SourceUnavailable(
        'host_not_allowed',
        `the site redirects from https to ${to.href}, which is not encrypted`,
        pageUrl,
        answer.status,
      );
    }
    return to;
  }

  /** Rules of an origin, read once in a run. */
  #robotsOf(url: URL, pageUrl: string): Promise<RobotsRules> {
    const known = this.#shared.robots.get(url.origin);
    if (known) return known;
    const reading = this.#readRobots(new URL('/robots.txt', url), pageUrl);
    this.#shared.robots.set(url.origin, reading);
    return reading;
  }

  async #readRobots(robotsUrl: URL, pageUrl: string): Promise<RobotsRules> {
    let url = robotsUrl;
    try {
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        checkAllowed(url, this.#spec.hosts, pageUrl);
        const reply = await this.#send(
          { url, pageUrl: robotsUrl.href, options: { kind: 'robots', minBytes: 0 }, prior: undefined, jar: undefined },
          0,
        );
        if (reply.verdict === 'page') return rulesFrom(robotsUrl, reply.decoded);
        url = this.#target(url, reply.answer, pageUrl);
      }
      return unreachableRules(robotsUrl, `it redirects more than ${MAX_REDIRECTS} times`);
    } catch (error) {
      if (error instanceof SourceUnavailable) {
        // 429 says "later", not "no rules": it is taken like an answer that did not come.
        const { status } = error;
        return status !== undefined && status >= 400 && status < 500 && status !== 429
          ? NO_RULES
          : unreachableRules(robotsUrl, error.message);
      }
      if (error instanceof Quarantine) return unreachableRules(robotsUrl, error.message);
      throw error;
    }
  }

  /** Send with retries. @throws SourceUnavailable or Quarantine when no try gave a usable answer */
  async #send(ask: Ask, crawlDelayMs: number): Promise<Reply> {
    const { limits, inSandbox } = this.#shared;
    const lane = this.#laneOf(ask.url.host);
    const refusal = this.#refusals.get(ask.url.host);
    if (refusal)
      throw new SourceUnavailable(
        refusal.reason,
        `${refusal.message}; the host is left alone for the rest of this read`,
        ask.pageUrl,
        refusal.status,
      );
    try {
      return await pRetry(() => this.#attempt(ask, lane, crawlDelayMs), {
        retries: limits.retries,
        factor: 2,
        randomize: true,
        minTimeout: inSandbox ? 0 : limits.backoffMs,
        maxTimeout: inSandbox ? 0 : limits.maxBackoffMs,
        shouldRetry: ({ error }) => error instanceof Again,
        onFailedAttempt: ({ error, retryDelay, retriesLeft }) => {
          if (!(error instanceof Again) || retriesLeft === 0) return;
          this.stats.retries += 1;
          this.stats.sleptMs += retryDelay;
        },
      });
    } catch (error) {
      const final = error instanceof Again ? error.final : error;
      if (refusesUs(final) && ask.options.kind !== 'robots') this.#refusals.set(ask.url.host, final);
      throw final;
    }
  }

  #laneOf(host: string): Lane {
    const { concurrency } = this.#spec.politeness;
    const lane = this.#shared.lanes.get(host) ?? new Lane(concurrency, host, this.#shared.turns);
    lane.narrowTo(concurrency);
    this.#shared.lanes.set(host, lane);
    return lane;
  }

  async #attempt(ask: Ask, lane: Lane, crawlDelayMs: number): Promise<Reply> {
    const { limits, transport, inSandbox } = this.#shared;
    const { options, pageUrl } = ask;
    const own = ownHeaders(options);
    const headers = {
      ...own,
      ...validatorsOf(ask.prior?.record),
      'user-agent': this.#shared.userAgent,
      'accept-encoding': ACCEPT_ENCODING,
      ...(await cookiesOf(ask.jar, ask.url)),
      ...(options.grant ? { authorization: `Bearer ${await this.#bearer(options.grant, pageUrl)}` } : {}),
    };
    const interval = inSandbox ? 0 : Math.max(this.#spec.politeness.minIntervalMs, crawlDelayMs);
    let answer: Answer;
    try {
      const send = (url: URL): Promise<Answer> =>
        lane.run(
          interval,
          (ms) => this.#pause(ms),
          () => {
            this.stats.requests += 1;
            return transport.send(url, headers, options.maxBytes ?? limits.maxBytes, options.form);
          },
        );
      answer =
        options.rendered === undefined
          ? await send(ask.url)
          : await this.#shared.renderer.render(ask.url, options.rendered, this.#shared.userAgent, (url) =>
              this.#part(url, ask, send),
            );
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.#shared.stop?.throwIfAborted();
      throw await this.#noAnswer(ask, error);
    }
    this.#shared.stop?.throwIfAborted();
    this.#progress(answer.body.length);
    for (const cookie of answer.setCookie) await ask.jar?.setCookie(cookie, ask.url.href, { ignoreError: true });
    const decoded = await decodeBody(
      answer.body,
      answer.headers['content-encoding'],
      mostDecoded(limits, options),
      pageUrl,
    ).catch((error: unknown) => {
      if (error instanceof Quarantine) return error;
      throw error;
    });
    const verdict = this.#judge(ask, answer, decoded);
    const record = await this.#records.answered(ask, answer, verdict);
    if (verdict.is === 'refused') throw verdict.error;
    if (verdict.is === 'again') throw await this.#again(verdict, lane);
    if (verdict.is === 'redirect') return { verdict: 'redirect', answer };
    if (verdict.is === 'not_modified') this.stats.notModified += 1;
    const body = verdict.is === 'not_modified' ? ask.prior?.bytes : decoded;
    if (record.sha256 === null || body === undefined || body instanceof Quarantine)
      throw new Error(`the answer of ${ask.url.href} was taken for a page and has no body`);
    return { verdict: 'page', record, sha256: record.sha256, decoded: body };
  }

  /** What a page asks for while a browser builds it. Its body is decoded, the archive keeps the built document. */
  async #part(
    requested: URL,
    { url: pageAt, pageUrl, options }: Ask,
    send: (url: URL) => Promise<Answer>,
  ): Promise<Answer> {
    const url = publicAddress(requested, this.#shared.inSandbox);
    checkAllowed(url, this.#spec.hosts, pageUrl);
    // The lane, and what may be sent in headers, are those of the page's own host.
    if (url.host !== pageAt.host)
      throw new SourceUnavailable('host_not_allowed', `${url.host} is another host than the page's`, pageUrl);
    const rules = await this.#robotsOf(url, pageUrl);
    if (!rules.allows(url))
      throw new SourceUnavailable('robots', `${url.href} is not ours to read: ${rules.because}`, pageUrl);
    const answer = await send(url);
    if (answer.status === 304)
      throw new SourceUnavailable(
        'server_error',
        'the site answered 304 to a request that named no earlier answer',
        pageUrl,
        304,
      );
    const { 'content-encoding': encoding, ...headers } = answer.headers;
    return {
      ...answer,
      headers,
      body: await decodeBody(answer.body, encoding, mostDecoded(this.#shared.limits, options), pageUrl),
    };
  }

  /** A token that still holds. @throws SourceUnavailable, or Again where another try may bring one */
  async #bearer(grant: Grant, pageUrl: string): Promise<string> {
    const known = await this.#tokens.get(grant.tokenUrl);
    if (known && known.holdsUntil > performance.now()) return known.value;
    const asking = this.#askToken(grant, pageUrl);
    this.#tokens.set(grant.tokenUrl, asking);
    try {
      return (await asking).value;
    } catch (error) {
      this.#tokens.delete(grant.tokenUrl);
      throw error;
    }
  }

  async #askToken(grant: Grant, pageUrl: string): Promise<Token> {
    const { transport, inSandbox, archive, userAgent } = this.#shared;
    const url = publicAddress(grant.tokenUrl, inSandbox);
    checkAllowed(url, this.#spec.hosts, pageUrl);
    const rules = await this.#robotsOf(url, pageUrl);
    if (!rules.allows(url))
      throw new SourceUnavailable('robots', `${url.href} is not ours to ask: ${rules.because}`, pageUrl);
    const interval = inSandbox ? 0 : Math.max(this.#spec.politeness.minIntervalMs, rules.crawlDelayMs);
    const { answer, ...outcome } = await requestToken(grant, url, pageUrl, (headers, maxBytes, form) =>
      this.#laneOf(url.host).run(
        interval,
        (ms) => this.#pause(ms),
        () => {
          this.stats.requests += 1;
          return transport.send(url, { ...headers, 'user-agent': userAgent }, maxBytes, form);
        },
      ),
    );
    this.#progress(answer?.body.length ?? 0);
    // That it was asked is recorded; what was sent and answered is secret.
    await archive.append({
      source: this.#spec.name,
      runId: this.#read.runId,
      method: 'POST',
      url: url.href,
      status: answer?.status ?? null,
      kind: 'token',
      context: {},
      requestHeaders: {},
      responseHeaders: {},
      sha256: null,
      bytes: answer?.body.length ?? 0,
      observedAt: this.#shared.clock.observedAt(),
      fromCache: false,
      error: 'token' in outcome ? null : outcome.error.reason,
    });
    if ('token' in outcome) return outcome.token;
    throw outcome.passes ? new Again(outcome.error) : outcome.error;
  }

  #judge(ask: Ask, answer: Answer, decoded: Uint8Array | Quarantine): Verdict {
    const verdict = judge(answer, decoded, expectedOf(ask.options), ask.pageUrl, Date.now());
    if (verdict.is !== 'not_modified' || ask.prior) return verdict;
    return {
      is: 'refused',
      error: new SourceUnavailable(
        'server_error',
        'the site answered 304 to a request that named no earlier answer',
        ask.pageUrl,
        304,
      ),
    };
  }

  /** Another try, once the host's own wish for quiet has passed; none where it wishes for more than a run has. */
  async #again(verdict: Extract<Verdict, { is: 'again' }>, lane: Lane): Promise<Error> {
    const { afterMs, error } = verdict;
    const { inSandbox, limits } = this.#shared;
    if (afterMs !== undefined && afterMs > limits.maxRetryAfterMs) {
      const detail = `${error.message}, and asks to be left alone for ${Math.round(afterMs / 1000)} seconds`;
      return error instanceof SourceUnavailable
        ? new SourceUnavailable(error.reason, detail, error.pageUrl, error.status)
        : error;
    }
    if (afterMs !== undefined && !inSandbox) await lane.hold(afterMs);
    return new Again(error);
  }

  /** Record a request that brought no whole answer, and say what that means. */
  async #noAnswer(ask: Ask, failure: NoAnswer): Promise<Error> {
    this.#progress(failure.received);
    const { pageUrl } = ask;
    const reasons = { unreachable: 'unreachable', cut: 'truncated_download', too_large: 'body_too_large' } as const;
    await this.#shared.archive.append({
      ...this.#records.blank(ask),
      status: failure.status,
      bytes: failure.received,
      error: reasons[failure.kind],
    });
    if (failure.kind === 'too_large') return new Quarantine('body_too_large', failure.message, pageUrl);
    if (failure.kind === 'cut')
      return new Again(
        new Quarantine('truncated_download', `the body stops before its end: ${failure.message}`, pageUrl),
      );
    return new Again(
      new SourceUnavailable('unreachable', `${ask.url.host} does not answer: ${failure.message}`, pageUrl),
    );
  }

  #progress(bytes: number): void {
    this.stats.bytes += bytes;
    this.#shared.onProgress({ source: this.#spec.name, requests: this.stats.requests, bytes: this.stats.bytes });
  }

  async #pause(ms: number): Promise<void> {
    this.stats.sleptMs += Math.ceil(ms);
    await sleep(Math.ceil(ms));
  }

  #jarOf({ id }: Session): CookieJar {
    const jar = this.#jars.get(id);
    if (!jar) throw new Error(`session ${id} was not opened by this read of ${this.#spec.name}`);
    return jar;
  }
}

/** The site does not want this reader, whatever page it asks for next. */
const refusesUs = (error: unknown): error is SourceUnavailable =>
  error instanceof SourceUnavailable &&
  (error.reason === 'challenge' || error.reason === 'rate_limited' || error.status === 401 || error.status === 403);
