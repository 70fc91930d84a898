/**
 * Which hosts and origins may reach /mcp: a page whose host name was pointed at this machine (DNS rebinding) sends its
 * own name in Host, and one in a browser of this machine its origin.
 */
import { isIP } from 'node:net';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Host name of a Host header, or null if it is none. */
const nameOf = (host: string): string | null =>
  /^[^\s/?#@\\]+$/.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? null) : null;

/** Whether DNS could have been pointed here: a name with a dot. Addresses and local names are not looked up. */
const isPublicName = (name: string): boolean => name.includes('.') && isIP(name) === 0;

/** Why a request with these headers is refused, or null. */
export function originProblem(publicUrl: string, host: string, origin: string): string | null {
  const own = new URL(publicUrl).hostname;
  const name = nameOf(host);
  if (name === null || (name !== own && isPublicName(name))) return 'The Host header does not name this server.';
  if (origin === '') return null;
  const from = URL.parse(origin)?.hostname;
  if (origin !== 'null' && (from === undefined || from === '')) return 'The Origin header is not an origin.';
  // No cookie and no account: a page may do here what any program may do. A server on loopback is for this machine.
  if (LOOPBACK.test(own) && !LOOPBACK.test(from ?? '')) return 'Only pages of this machine may call this server.';
  return null;
}
