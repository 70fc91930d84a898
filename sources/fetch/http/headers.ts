/** Headers of requests and responses: those that are sent, and those that the archive stores. */
import type { CookieJar } from 'tough-cookie';
import type { GetOptions } from '../../contract.ts';
import type { RequestRecord } from '../../../lib/request_record.ts';
import { withoutSecretQuery } from '../addresses.ts';

type Headers = Readonly<Record<string, string>>;

/** Response headers that describe the body, or its address. */
const ARCHIVED = [
  'etag',
  'last-modified',
  'content-type',
  'content-encoding',
  'content-length',
  'location',
  'retry-after',
];
const SECRET = /^(authorization|cookie)$|token|secret|key/i;

/** Headers that the adapter sets, sorted, names in lower case. */
export function adapterHeaders({ accept, headers, firstBytes }: GetOptions): Record<string, string> {
  const range = firstBytes === undefined ? {} : { range: `bytes=0-${firstBytes - 1}` };
  const all = Object.entries({ accept: accept ?? '*/*', ...range, ...headers }).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same with secrets redacted, for the archive. */
export const redacted = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? '(left out)' : value]));

/** Headers that make a request conditional on a change since a response. */
export function conditionHeaders(previous: RequestRecord | undefined): Record<string, string> {
  const etag = previous?.responseHeaders['etag'];
  const modified = previous?.responseHeaders['last-modified'];
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(modified === undefined ? {} : { 'if-modified-since': modified }),
  };
}

export function withoutConditions({
  'if-none-match': _etag,
  'if-modified-since': _date,
  ...rest
}: Record<string, string>): Record<string, string> {
  return rest;
}

/** Response headers that the archive stores. A location is stored without the secrets of the request. */
export const archivedHeaders = (
  headers: Headers,
  { url, options }: { readonly url: URL; readonly options: GetOptions },
): Record<string, string> =>
  Object.fromEntries(
    ARCHIVED.flatMap((name) => {
      const value = headers[name];
      if (value === undefined) return [];
      const isTarget = name === 'location' && options.secretQuery !== undefined && URL.canParse(value, url);
      return [[name, isTarget ? withoutSecretQuery(new URL(value, url), options).href : value]];
    }),
  );

/** Headers of a response that a 304 confirmed, with the 304's validators. Its other headers describe its empty body. */
export function confirmedHeaders(
  previous: Headers,
  { etag, 'last-modified': modified }: Headers,
): Record<string, string> {
  return {
    ...previous,
    ...(etag === undefined ? {} : { etag }),
    ...(modified === undefined ? {} : { 'last-modified': modified }),
  };
}

export async function cookieHeader(jar: CookieJar | undefined, url: URL): Promise<Record<string, string>> {
  const cookie = await jar?.getCookieString(url.href);
  return cookie ? { cookie } : {};
}
