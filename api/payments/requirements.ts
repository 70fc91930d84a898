/** The payment requirements of a route: the 402 of x402 version 2, built by the library's server. */
import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  x402HTTPResourceServer,
  x402ResourceServer,
  type FacilitatorClient,
  type HTTPAdapter,
  type RouteConfig,
} from '@x402/core/server';
import type { PaymentRequired } from '@x402/core/types';
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

/**
 * Builds the 402 of a route for a request, with the media type of the answer if the request chose it. The adapter must
 * not show a payment header: the library would read it.
 */
export type BuildRequirements = (routeKey: string, request: HTTPAdapter, media?: string) => Promise<PaymentRequired>;

/** The extensions of a 402 for a request that chose another media type of the answer. */
export type ExtensionsForMedia = (extensions: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** @throws RouteConfigurationError if a route asks for something that the library does not support */
export async function requirementsBuilder(
  routes: Readonly<Record<string, RouteConfig>>,
  network: Network,
  extensionsForMedia: ExtensionsForMedia = (extensions) => ({ ...extensions }),
): Promise<BuildRequirements> {
  const schemes = new x402ResourceServer(facilitatorOf(network))
    .register(network.name, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension)
    .registerExtension(paymentIdentifierResourceServerExtension);
  const server = new x402HTTPResourceServer(schemes, { ...routes });
  await server.initialize();
  return async (routeKey, adapter, media) => {
    const path = routeKey.slice(routeKey.indexOf(' ') + 1);
    const result = await server.processHTTPRequest({ adapter, path, method: 'GET' });
    if (result.type !== 'payment-error') throw new Error(`${routeKey} requires no payment`);
    const required = decodePaymentRequiredHeader(result.response.headers['PAYMENT-REQUIRED'] ?? '');
    if (media === undefined) return required;
    const { resource, extensions = {} } = required;
    return { ...required, resource: { ...resource, mimeType: media }, extensions: extensionsForMedia(extensions) };
  };
}
