/** Reads the robots.txt of each origin once per run, and checks addresses against it. */
import robotsParserModule from 'robots-parser';
import { Quarantine, SourceUnavailable } from '../../contract.ts';
import type { Sender } from '../http/sender.ts';
import type { ReadScope } from '../scope.ts';
import { MAX_REDIRECTS, checkAllowed, publicAddress, redirectTarget } from '../addresses.ts';

/** The user agent's name in robots.txt files. */
export const PRODUCT = 'Dealfeed';
/** RFC 9309 asks for at least 500 KiB; the rest of a larger file is not read. */
const MAX_BYTES = 512 * 1024;

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

/** Rules of an existing file. Lines that are not rules (an HTML page, for example) disallow nothing. */
function rulesFrom(robotsUrl: URL, body: Uint8Array): RobotsRules {
  const text = new TextDecoder('utf-8').decode(body.subarray(0, MAX_BYTES));
  const parsed = parse(robotsUrl.href, text);
  const delay = parsed.getCrawlDelay(PRODUCT) ?? 0;
  return {
    allows: (url) => parsed.isAllowed(url.href, PRODUCT) !== false,
    crawlDelayMs: delay > 0 ? delay * 1000 : 0,
    because: `${robotsUrl.href} disallows it`,
    isFile: true,
  };
}

/** RFC 9309, 2.3.1.3 "Unavailable": a 4xx response allows everything. */
const NO_RULES: RobotsRules = { allows: () => true, crawlDelayMs: 0, because: '' };

/** RFC 9309, 2.3.1.4 "Unreachable": without a response everything is disallowed. */
const unreachableRules = (robotsUrl: URL, why: string): RobotsRules => ({
  allows: () => false,
  crawlDelayMs: 0,
  because: `${robotsUrl.href} could not be read (${why}), which disallows everything (RFC 9309)`,
});

/** Rules of a site that was not contacted. */
const notContacted = (failure: NonNullable<RobotsRules['failure']>, because: string): RobotsRules => ({
  allows: () => false,
  crawlDelayMs: 0,
  because,
  failure,
});

interface ParsedRobots {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
}
// The package's types declare a default export; the module itself is the function.
const parse = robotsParserModule as unknown as (url: string, text: string) => ParsedRobots;

export class RobotsChecker {
  readonly #scope: ReadScope;
  readonly #sender: Sender;

  constructor(scope: ReadScope, sender: Sender) {
    this.#scope = scope;
    this.#sender = sender;
  }

  /**
   * The rules that allow an address, or that of an interface for programs which the source's terms quote.
   * @throws SourceUnavailable robots if they disallow it
   */
  async check(url: URL, pageUrl: string): Promise<RobotsRules> {
    const rules = await this.#rulesOf(url, pageUrl);
    if (rules.allows(url) || (rules.isFile && url.pathname === this.#scope.spec.terms.api?.path)) return rules;
    if (rules.failure) throw new SourceUnavailable(rules.failure, rules.because, pageUrl);
    throw new SourceUnavailable('robots', `${url.href} may not be read: ${rules.because}`, pageUrl);
  }

  /** What each host of the source asks of programs, in words. */
  async sayings(): Promise<string[]> {
    const { hosts, terms } = this.#scope.spec;
    return Promise.all(
      hosts.map(async (host) => {
        const root = publicAddress(`https://${host}/`, this.#scope.run.inSandbox);
        const rules = await this.#rulesOf(root, root.href);
        const delay = rules.crawlDelayMs === 0 ? '' : `, ${rules.crawlDelayMs / 1000} s between requests`;
        const api = terms.api && new URL(terms.api.path, root);
        const documented =
          api === undefined || rules.allows(api) || !rules.isFile
            ? ''
            : `, disallows ${api.pathname}, which the publisher documents for programs`;
        const says = rules.isFile
          ? `robots.txt ${rules.allows(root) ? 'allows' : 'disallows'} /${delay}${documented}`
          : rules.because || 'no robots.txt';
        return `${host}: ${says}`;
      }),
    );
  }

  #rulesOf(url: URL, pageUrl: string): Promise<RobotsRules> {
    const { robots } = this.#scope.run;
    const rules = robots.get(url.origin) ?? this.#read(new URL('/robots.txt', url), pageUrl);
    robots.set(url.origin, rules);
    return rules;
  }

  async #read(robotsUrl: URL, pageUrl: string): Promise<RobotsRules> {
    try {
      return await this.#follow(robotsUrl, pageUrl);
    } catch (error) {
      if (error instanceof Quarantine) return unreachableRules(robotsUrl, error.message);
      if (!(error instanceof SourceUnavailable)) throw error;
      const { status, reason } = error;
      if (reason === 'host_not_found' || reason === 'no_network') return notContacted(reason, error.message);
      // 429 means "later", not "no rules": it counts as no response.
      const hasNoRules = status !== undefined && status >= 400 && status < 500 && status !== 429;
      return hasNoRules ? NO_RULES : unreachableRules(robotsUrl, error.message);
    }
  }

  async #follow(robotsUrl: URL, pageUrl: string): Promise<RobotsRules> {
    const { run, spec } = this.#scope;
    const options = { kind: 'robots', minBytes: 0 };
    let url = robotsUrl;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      checkAllowed(url, spec.hosts, pageUrl);
      const request = { url, pageUrl: robotsUrl.href, options, archived: undefined, jar: undefined };
      const reply = await this.#sender.send(request, 0);
      if (reply.is === 'page') return rulesFrom(robotsUrl, reply.decoded);
      url = redirectTarget(url, reply.response, pageUrl, run.inSandbox);
    }
    return unreachableRules(robotsUrl, `it redirects more than ${MAX_REDIRECTS} times`);
  }
}
