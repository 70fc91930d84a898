/** Which addresses a source may ask for, and what they are called in the sandbox world. */
import { SourceUnavailable } from '../../contract.ts';

const SANDBOX = '.sandbox.example';

/**
 * The public address of a request. In the sandbox world every host that is not made up already gets a name that
 * says so, so that no made-up row can cite a real page. Applying it twice changes nothing.
 */
export function publicAddress(address: string | URL, inSandbox: boolean): URL {
  const url = new URL(address);
  url.hash = '';
  if (inSandbox && !url.hostname.endsWith('.example')) url.hostname += SANDBOX;
  return url;
}

/** Refuse what is not the source's to ask for. @throws SourceUnavailable host_not_allowed */
export function checkAllowed(url: URL, hosts: readonly string[], pageUrl: string): void {
  const refuse = (detail: string): never => {
    throw new SourceUnavailable('host_not_allowed', detail, pageUrl);
  };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse(`the address ${url.href} is not http or https`);
  if (url.username || url.password) refuse(`the address on ${url.host} carries a user name or password`);
  const host = url.host.endsWith(SANDBOX) ? url.host.slice(0, -SANDBOX.length) : url.host;
  if (!hosts.includes(host)) refuse(`the host ${host} is not among those the source declares: ${hosts.join(', ')}`);
}
