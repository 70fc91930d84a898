/** Following redirects. */
import { SourceUnavailable } from '../../contract.ts';
import { publicAddress } from '../polite/hosts.ts';
import type { HttpResponse } from './transport.ts';

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
