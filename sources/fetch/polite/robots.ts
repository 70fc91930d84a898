/** robots.txt as RFC 9309 reads it. */
import robotsParserModule from 'robots-parser';

/** Name that robots.txt files address us by. */
export const PRODUCT = 'Dealfeed';
/** The RFC asks for at least 500 KiB to be read; what lies beyond is left unread. */
const READ_LIMIT = 512 * 1024;

export interface RobotsRules {
  allows(url: URL): boolean;
  /** Crawl-delay in milliseconds, 0 where none is asked. */
  readonly crawlDelayMs: number;
  /** For a refusal: what said so. */
  readonly because: string;
}

/** The file exists: its rules. Lines that are no rules (an HTML page, say) forbid nothing. */
export function rulesFrom(robotsUrl: URL, body: Uint8Array): RobotsRules {
  const text = new TextDecoder('utf-8').decode(body.subarray(0, READ_LIMIT));
  const parsed = parse(robotsUrl.href, text);
  const delay = parsed.getCrawlDelay(PRODUCT) ?? 0;
  return {
    allows: (url) => parsed.isAllowed(url.href, PRODUCT) !== false,
    crawlDelayMs: delay > 0 ? delay * 1000 : 0,
    because: `${robotsUrl.href} disallows it`,
  };
}

/** 2.3.1.3 "Unavailable" status: a 4xx answer allows everything. */
export const NO_RULES: RobotsRules = { allows: () => true, crawlDelayMs: 0, because: '' };

/** 2.3.1.4 "Unreachable" status: without an answer everything is disallowed. */
export const unreachableRules = (robotsUrl: URL, why: string): RobotsRules => ({
  allows: () => false,
  crawlDelayMs: 0,
  because: `${robotsUrl.href} could not be read (${why}), which RFC 9309 takes as a refusal`,
});

interface Parsed {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
}
// The package's types describe a default export, its code is the function itself.
const parse = robotsParserModule as unknown as (url: string, text: string) => Parsed;
