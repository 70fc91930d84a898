/** The payment requirements of a route: the 402 of x402 version 2, built by the library's server. */
import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  x402HTTPResourceServer,
  x402ResourceServer,
  type FacilitatorClient,
  type HTTPAdapter,
  type RouteConfig,
} from '@x402/core/server';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { bazaarResourceServerExtension } from '@x402/extensions/bazaar';
import { paymentIdentifierResourceServerExtension } from '@x402/extensions/payment-identifier';
import type { Network } from '../../lib/network.ts';

const neverCalled = (): never => {
  throw new Error('the library only builds requirements; facilitator/ settles');
};

/** The library asks a facilitator which networks it serves. Requirements depend on our network alone. */
const facilitatorOf = ({ name }: Network): FacilitatorClient => ({
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: name }],
    extensions: [],
    signers: {},
  }),
  verify: async () => neverCalled(),
  settle: async () => neverCalled(),
});

/** The request as the library sees it: without a payment, which we parse ourselves. */
const adapterOf = (publicUrl: string, target: string): HTTPAdapter => ({
  getHeader: () => undefined,
  getMethod: () => 'GET',
  getPath: () => target.split('?')[0] ?? '',
  getUrl: () => publicUrl + target,
  // The application renders refusals; the library must not render its own page.
  getAcceptHeader: () => 'application/json',
  getUserAgent: () => '',
});

/** @throws RouteConfigurationError if a route asks for something that the library does not support */
export async function openRequirements(
  routes: Readonly<Record<string, RouteConfig>>,
  network: Network,
  publicUrl: string,
) {
  const schemes = new x402ResourceServer(facilitatorOf(network))
    .register(network.name, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension)
    .registerExtension(paymentIdentifierResourceServerExtension);
  const server = new x402HTTPResourceServer(schemes, { ...routes });
  await server.initialize();
  const build = async (routeKey: string, adapter: HTTPAdapter): Promise<PaymentRequired> => {
    const path = routeKey.slice(routeKey.indexOf(' ') + 1);
    const result = await server.processHTTPRequest({ adapter, path, method: 'GET' });
    if (result.type !== 'payment-error') throw new Error(`${routeKey} requires no payment`);
    return decodePaymentRequiredHeader(result.response.headers['PAYMENT-REQUIRED'] ?? '');
  };
  const terms = new Map<string, PaymentRequirements>();
  return {
    /** The terms of a route, the same for every request. */
    async terms(routeKey: string): Promise<PaymentRequirements> {
      const known = terms.get(routeKey) ?? (await build(routeKey, adapterOf(publicUrl, '/'))).accepts[0];
      if (!known) throw new Error(`${routeKey} accepts no payment`);
      terms.set(routeKey, known);
      return known;
    },
    /** The 402 of a route for a request to this path and query, with the media type of the answer if it chose one. */
    async required(routeKey: string, target: string, media?: string): Promise<PaymentRequired> {
      const required = await build(routeKey, adapterOf(publicUrl, target));
      if (media === undefined) return required;
      return { ...required, resource: { ...required.resource, mimeType: media } };
    },
  };
}
