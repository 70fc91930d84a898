/** robots.txt by RFC 9309. */
import robotsParserModule from 'robots-parser';

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
  /** Set if the site could not be reached for its rules: that is not a refusal. */
  readonly failure?: 'host_not_found' | 'no_network';
}

/** Rules of an existing file. Lines that are not rules (an HTML page, for example) disallow nothing. */
export function rulesFrom(robotsUrl: URL, body: Uint8Array): RobotsRules {
  const text = new TextDecoder('utf-8').decode(body.subarray(0, MAX_BYTES));
  const parsed = parse(robotsUrl.href, text);
  const delay = parsed.getCrawlDelay(PRODUCT) ?? 0;
  return {
    allows: (url) => parsed.isAllowed(url.href, PRODUCT) !== false,
    crawlDelayMs: delay > 0 ? delay * 1000 : 0,
    because: `${robotsUrl.href} disallows it`,
  };
}

/** RFC 9309, 2.3.1.3 "Unavailable": a 4xx response allows everything. */
export const NO_RULES: RobotsRules = { allows: () => true, crawlDelayMs: 0, because: '' };

/** RFC 9309, 2.3.1.4 "Unreachable": without a response everything is disallowed. */
export const unreachableRules = (robotsUrl: URL, why: string): RobotsRules => ({
  allows: () => false,
  crawlDelayMs: 0,
  because: `${robotsUrl.href} could not be read (${why}), which disallows everything (RFC 9309)`,
});

/** Rules of a site that was not contacted. */
export const notContacted = (failure: NonNullable<RobotsRules['failure']>, because: string): RobotsRules => ({
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
