/**
 * Addresses of requests: the hosts that a source may contact and their names in the sandbox, the targets of redirects,
 * and secrets in a query, such as an API key, which are sent and are in no address that is archived or shown.
 */
import { type GetOptions, SourceUnavailable } from '../contract.ts';
import type { HttpResponse } from './transport.ts';

export const SANDBOX_SUFFIX = '.sandbox.example';

/**
 * The public address of a request. In the sandbox every real host gets a suffix, so that no made-up row cites a real
 * page. Idempotent.
 */
export function publicAddress(address: string | URL, inSandbox: boolean): URL {
  const url = new URL(address);
  url.hash = '';
  if (inSandbox && !url.hostname.endsWith('.example')) url.hostname += SANDBOX_SUFFIX;
  return url;
}

/** @throws SourceUnavailable host_not_allowed if the source may not request the address */
export function checkAllowed(url: URL, hosts: readonly string[], pageUrl: string): void {
  const fail = (detail: string): never => {
    throw new SourceUnavailable('host_not_allowed', detail, pageUrl);
  };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') fail(`the address ${url.href} is not http or https`);
  if (url.username || url.password) fail(`the address on ${url.host} contains a user name or password`);
  const host = url.host.endsWith(SANDBOX_SUFFIX) ? url.host.slice(0, -SANDBOX_SUFFIX.length) : url.host;
  if (!hosts.includes(host)) fail(`the host ${host} is not one of the source's hosts: ${hosts.join(', ')}`);
}

export const MAX_REDIRECTS = 5;

/** The target of a redirect. @throws SourceUnavailable if it has no valid target, or leads from https to http */
export function redirectTarget(from: URL, { status, headers }: HttpResponse, pageUrl: string, inSandbox: boolean): URL {
  const location = headers['location'];
  if (!location || !URL.canParse(location, from)) {
    const found = JSON.stringify(location ?? null);
    const detail = `the site answered ${status} with the location ${found}, expected an address`;
    throw new SourceUnavailable('server_error', detail, pageUrl, status);
  }
  const to = publicAddress(new URL(location, from), inSandbox);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    const detail = `the site redirects from https to ${to.href}, which is not encrypted`;
    throw new SourceUnavailable('host_not_allowed', detail, pageUrl, status);
  }
  return to;
}

type Secrets = Pick<GetOptions, 'secretQuery'>;

/** The address to request. The rest of the query stays as it is spelled. */
export function withSecretQuery(url: URL, { secretQuery }: Secrets): URL {
  if (secretQuery === undefined) return url;
  const sent = new URL(url);
  for (const [name, value] of Object.entries(secretQuery))
    sent.search += `${sent.search === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return sent;
}

/** An address without the parameters that hold secrets: a site may redirect to one that repeats them. */
export function withoutSecretQuery(url: URL, { secretQuery }: Secrets): URL {
  const names = Object.keys(secretQuery ?? {}).filter((name) => url.searchParams.has(name));
  if (names.length === 0) return url;
  const shown = new URL(url);
  for (const name of names) shown.searchParams.delete(name);
  return shown;
}
