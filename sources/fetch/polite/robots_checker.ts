/** Reads the robots.txt of each origin once per run, and checks addresses against it. */
import { Quarantine, SourceUnavailable } from '../../contract.ts';
import { MAX_REDIRECTS, redirectTarget } from '../http/redirects.ts';
import type { ReadScope } from '../scope.ts';
import type { Sender } from '../http/sender.ts';
import { checkAllowed } from './hosts.ts';
import { NO_RULES, notContacted, rulesFrom, unreachableRules, type RobotsRules } from './robots.ts';

export class RobotsChecker {
  readonly #scope: ReadScope;
  readonly #sender: Sender;

  constructor(scope: ReadScope, sender: Sender) {
    this.#scope = scope;
    this.#sender = sender;
  }

  /** The rules that allow an address. @throws SourceUnavailable robots if they disallow it */
  async check(url: URL, pageUrl: string): Promise<RobotsRules> {
    const rules = await this.#rulesOf(url, pageUrl);
    if (rules.allows(url)) return rules;
    if (rules.failure) throw new SourceUnavailable(rules.failure, rules.because, pageUrl);
    throw new SourceUnavailable('robots', `${url.href} may not be read: ${rules.because}`, pageUrl);
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
