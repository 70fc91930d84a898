/** The exchange of one paid call, as this server's 402 and 200 have it. */
import { paymentRoutes, routeKey, type Route } from '../../../routes/define.ts';
import type { SiteOptions } from '../../page.ts';

/** The call that the overview pays for. */
export const SHOWN_CALL = '/api/deals?state=OH&limit=5';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** The route of the call. @throws Error if it is not served */
export function shownRoute(routes: readonly Route[]): Route {
  const route = routes.find(({ path }) => path === SHOWN_CALL.split('?')[0]);
  if (!route) throw new Error(`there is no route for ${SHOWN_CALL}`);
  return route;
}

/** PAYMENT-REQUIRED of the call, decoded, without its extensions for catalogs. */
function shownTerms({ routes, publicUrl, payTo, networks }: SiteOptions) {
  const route = shownRoute(routes);
  const { accepts, description, mimeType, serviceName } =
    paymentRoutes([route], payTo, networks)[routeKey(route)] ?? {};
  return {
    x402Version: 2,
    error: 'Payment required',
    resource: { url: publicUrl + SHOWN_CALL, description, mimeType, serviceName },
    accepts: [accepts].flat().flatMap((terms) => {
      if (!terms || typeof terms.price !== 'object') return [];
      const { scheme, network, payTo: to, maxTimeoutSeconds, price } = terms;
      return [{ scheme, network, ...price, payTo: to, maxTimeoutSeconds }];
    }),
  };
}

/** Headers of the three responses and of the paid request; values that differ for each call end with …. */
export function shownExchange(site: SiteOptions): {
  readonly asked: string;
  readonly signed: string;
  readonly paid: string;
} {
  const terms = shownTerms(site);
  const [accepted] = terms.accepts;
  const host = new URL(site.publicUrl).host;
  const request = `GET ${SHOWN_CALL} HTTP/1.1\nHost: ${host}`;
  return {
    asked: `${request}\n\nHTTP/1.1 402 Payment Required\nPAYMENT-REQUIRED: eyJ4NDAy…   base64 of:\n\n${json(terms)}`,
    signed: json({
      x402Version: 2,
      accepted,
      payload: {
        signature: '0x…',
        authorization: {
          from: '0x… (your wallet)',
          to: accepted?.payTo,
          value: accepted?.amount,
          validAfter: '… (Unix seconds)',
          validBefore: `… (at most ${accepted?.maxTimeoutSeconds} seconds from now)`,
          nonce: '0x… (32 random bytes)',
        },
      },
    }),
    paid:
      `${request}\nPAYMENT-SIGNATURE: eyJ4NDAy…\n\nHTTP/1.1 200 OK\nPAYMENT-RESPONSE: eyJzdWNj…   the settlement\n` +
      'Receipt-Id: …   collects the response again\nSigned-Receipt: eyJhbGci…   proves what was sold\n' +
      'X-Snapshot-Id: …\nUnencoded-Digest: sha-256=:…:\nDelivery: first\n\n{ "count": 5, … }',
  };
}
