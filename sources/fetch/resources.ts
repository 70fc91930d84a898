/** Resources that a page loads while a browser renders it. The archive stores only the rendered document. */
import { SourceUnavailable } from '../contract.ts';
import { decodeBody } from './http/decode.ts';
import { checkAllowed, publicAddress } from './polite/hosts.ts';
import type { RobotsChecker } from './polite/robots_checker.ts';
import { maxDecodedBytes, type OutgoingRequest } from './request_log.ts';
import type { ReadScope } from './scope.ts';
import type { SendOne } from './http/sender.ts';
import type { HttpResponse } from './http/transport.ts';

export class ResourceLoader {
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
