/** Headers of requests and answers: what is sent, and what of it may be kept. */
import type { CookieJar } from 'tough-cookie';
import type { GetOptions } from '../contract.ts';
import type { RequestRecord } from './archive.ts';

type Headers = Readonly<Record<string, string>>;

/** Response headers that say what a body is, or where it lies. */
const KEPT = ['etag', 'last-modified', 'content-type', 'content-encoding', 'content-length', 'location', 'retry-after'];
const SECRET = /^(authorization|cookie)$|token|secret|key/i;

/** Headers that the adapter asks for, names in lower case and in order. */
export function ownHeaders({ accept, headers }: GetOptions): Record<string, string> {
  const all = Object.entries({ accept: accept ?? '*/*', ...headers }).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same as the archive may keep them: without secrets. */
export const withoutSecrets = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? '(left out)' : value]));

/** Headers that ask "only if it has changed since this answer". */
export function validatorsOf(answer: RequestRecord | undefined): Record<string, string> {
  const etag = answer?.responseHeaders['etag'];
  const modified = answer?.responseHeaders['last-modified'];
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(modified === undefined ? {} : { 'if-modified-since': modified }),
  };
}

export function withoutValidators({
  'if-none-match': _etag,
  'if-modified-since': _date,
  ...rest
}: Record<string, string>): Record<string, string> {
  return rest;
}

/** What the archive keeps of an answer's headers. */
export const keptOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * Headers of an answer that a 304 confirmed. It may bring newer validators; what it says of its own empty body is not
 * the page's.
 */
export function confirmedBy(answer: Headers, { etag, 'last-modified': modified }: Headers): Record<string, string> {
  return {
    ...answer,
    ...(etag === undefined ? {} : { etag }),
    ...(modified === undefined ? {} : { 'last-modified': modified }),
  };
}

export async function cookiesOf(jar: CookieJar | undefined, url: URL): Promise<Record<string, string>> {
  const cookie = await jar?.getCookieString(url.href);
  return cookie ? { cookie } : {};
}
