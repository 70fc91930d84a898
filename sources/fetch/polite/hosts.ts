/** The hosts that a source may contact, and their names in the sandbox. */
import { SourceUnavailable } from '../../contract.ts';

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
