/**
 * Checks the Host and Origin headers of requests to /mcp on a local server. A page that uses DNS rebinding sends its
 * own name in Host; any other page in a local browser sends its origin.
 */
import { isIP } from 'node:net';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Host name of a Host header, or null if it is invalid. */
const nameOf = (host: string): string | null =>
  /^[^\s/?#@\\]+$/.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? null) : null;

/** Whether DNS could have been pointed here: a name with a dot. Addresses and local names are not looked up. */
const isPublicName = (name: string): boolean => name.includes('.') && isIP(name) === 0;

/**
 * Why a request with these headers is refused, or null. A public server has neither cookies nor accounts, so pages of
 * any site may call it.
 */
export function originProblem(publicUrl: string, host: string, origin: string): string | null {
  const own = new URL(publicUrl).hostname;
  if (!LOOPBACK.test(own)) return null;
  const name = nameOf(host);
  if (name === null || (name !== own && isPublicName(name))) return 'The Host header does not name this server.';
  if (origin !== '' && !LOOPBACK.test(URL.parse(origin)?.hostname ?? ''))
    return 'Only pages of this machine may call this server.';
  return null;
}
