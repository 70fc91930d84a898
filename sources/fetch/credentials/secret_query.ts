/** Secrets in the query of a request, such as an API key: sent, but in no address that is archived or shown. */
import type { GetOptions } from '../../contract.ts';

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
