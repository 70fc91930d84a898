/** Reads the robots.txt of each origin once per run, and checks addresses against it. */
import robotsParserModule from 'robots-parser';
import { type GetOptions, Quarantine, SourceUnavailable } from '../contract.ts';
import { publicAddress } from './addresses.ts';
import type { ReadScope, RobotsRules } from './scope.ts';

/** The user agent's name in robots.txt files. */
export const PRODUCT = 'Dealfeed';
/** RFC 9309 asks for at least 500 KiB; the rest of a larger file is not read. */
const MAX_BYTES = 512 * 1024;

// The package's types declare a default export; the module itself is the function.
const parse = robotsParserModule as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
};

/** Rules of an existing file. Lines that are not rules (an HTML page, for example) disallow nothing. */
function rulesFrom(robotsUrl: URL, body: Uint8Array): RobotsRules {
  const parsed = parse(robotsUrl.href, new TextDecoder().decode(body.subarray(0, MAX_BYTES)));
  return {
    allows: (url) => parsed.isAllowed(url.href, PRODUCT) !== false,
    crawlDelayMs: Math.max(0, parsed.getCrawlDelay(PRODUCT) ?? 0) * 1000,
    because: `${robotsUrl.href} disallows it`,
    isFile: true,
  };
}

/** Rules that allow everything or nothing. */
const rulesWithout = (allowed: boolean, because: string, failure?: RobotsRules['failure']): RobotsRules => ({
  allows: () => allowed,
  crawlDelayMs: 0,
  because,
  ...(failure && { failure }),
});

/** The body at an address, requested without asking robots.txt. @throws SourceUnavailable or Quarantine */
type ReadFile = (url: URL, options: GetOptions) => Promise<Uint8Array>;

export class Robots {
  readonly #scope: ReadScope;
  readonly #read: ReadFile;

  constructor(scope: ReadScope, read: ReadFile) {
    this.#scope = scope;
    this.#read = read;
  }

  /**
   * The rules that allow an address, or that of an interface for programs which the source's terms quote.
   * @throws SourceUnavailable robots if they disallow it
   */
  async check(url: URL, pageUrl: string): Promise<RobotsRules> {
    const rules = await this.#rulesOf(url);
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
        const rules = await this.#rulesOf(root);
        if (!rules.isFile) return `${host}: ${rules.because || 'no robots.txt'}`;
        const delay = rules.crawlDelayMs === 0 ? '' : `, ${rules.crawlDelayMs / 1000} s between requests`;
        const api = terms.api && new URL(terms.api.path, root);
        const documented =
          api === undefined || rules.allows(api)
            ? ''
            : `, disallows ${api.pathname}, which the publisher documents for programs`;
        return `${host}: robots.txt ${rules.allows(root) ? 'allows' : 'disallows'} /${delay}${documented}`;
      }),
    );
  }

  #rulesOf({ origin }: URL): Promise<RobotsRules> {
    const { robots } = this.#scope.run;
    const rules = robots.get(origin) ?? this.#rulesAt(new URL('/robots.txt', origin));
    robots.set(origin, rules);
    return rules;
  }

  async #rulesAt(url: URL): Promise<RobotsRules> {
    try {
      const options = { kind: 'robots', minBytes: 0 };
      return rulesFrom(url, await this.#read(url, options));
    } catch (error) {
      if (!(error instanceof SourceUnavailable) && !(error instanceof Quarantine)) throw error;
      const { reason, message } = error;
      if (reason === 'host_not_found' || reason === 'no_network') return rulesWithout(false, message, reason);
      const status = error instanceof SourceUnavailable ? (error.status ?? 0) : 0;
      // RFC 9309, 2.3.1.3: a 4xx response allows everything. 429 means "later", not "no rules".
      if (status >= 400 && status < 500 && status !== 429) return rulesWithout(true, '');
      // 2.3.1.4: without a response everything is disallowed.
      return rulesWithout(false, `${url.href} could not be read (${message}), which disallows everything (RFC 9309)`);
    }
  }
}
