/**
 * Multiple listing services (MLS) by the RESO Web API (OData 4, transport.reso.org). The API is open; the data need a
 * license from the MLS, which comes with a token or with a client id and secret.
 *
 * A feed is a declaration: its server (a preset of vendors.ts, changed where the MLS differs), its terms and what to
 * expect. A read asks for all listings on the market; deleted ones are absent. ListingURL does not exist in Data
 * Dictionary 1.7: the page of such a listing is its record's address in the feed.
 */
import { isObject } from '../../../lib/json.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type GetOptions,
  type SourceSpec,
  SourceUnavailable,
} from '../../contract.ts';
import { Listing } from '../../rows/listing.ts';
import { readPage, replicate } from './pages.ts';
import { isLeftOut, rowCandidate } from './rows.ts';
import type { ResoServer } from './server.ts';

export interface ResoFeed extends Pick<SourceSpec, 'name' | 'title' | 'home' | 'terms' | 'everyDays' | 'expect'> {
  readonly server: ResoServer;
}

/** Settings that hold the feed's secrets: <NAME>_TOKEN, or <NAME>_CLIENT_ID and <NAME>_CLIENT_SECRET. */
const secretsOf = ({ name, server }: ResoFeed): readonly string[] =>
  (server.auth === 'token' ? ['TOKEN'] : ['CLIENT_ID', 'CLIENT_SECRET']).map(
    (secret) => `${name.toUpperCase()}_${secret}`,
  );

/** How requests are authorized. @throws SourceUnavailable naming a setting that is not set */
function requireCredentials(ctx: FetchContext, feed: ResoFeed): Pick<GetOptions, 'grant' | 'headers'> {
  const { auth } = feed.server;
  const values = secretsOf(feed).map((name) => {
    const value = ctx.secret(name);
    if (value !== undefined) return value;
    const comesWith = auth === 'token' ? 'an access token' : 'a client id and secret';
    throw new SourceUnavailable(
      'refused',
      `${name} is not set. The feed needs ${comesWith}, which comes with the license from the MLS`,
      feed.home,
    );
  });
  const [first = '', second = ''] = values;
  return auth === 'token'
    ? { headers: { authorization: `Bearer ${first}` } }
    : { grant: { ...auth, id: first, secret: second } };
}

/** An adapter for one MLS. */
export function resoWebApi(feed: ResoFeed): SourceSpec {
  const { server } = feed;
  const addresses = server.auth === 'token' ? [server.service] : [server.service, server.auth.tokenUrl];
  return defineSource({
    ...feed,
    family: 'listings',
    hosts: [...new Set(addresses.map((address) => new URL(address).host))],
    politeness: server.politeness,
    row: Listing,
    secrets: secretsOf(feed),
    fetch: (ctx) => replicate(ctx, server, requireCredentials(ctx, feed)),
    parse: (page) =>
      readPage(page).rows.flatMap((row): Candidate[] => {
        if (isObject(row)) return isLeftOut(row, server) ? [] : [rowCandidate(row, server)];
        const raw = JSON.stringify(row) ?? 'undefined';
        return [{ reject: { reason: 'not_an_object', detail: `a row is ${raw}, expected an object` }, raw }];
      }),
  });
}
