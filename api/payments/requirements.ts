/** What a route asks for: the 402 of x402 version 2, built by the library's own server. */
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
import { NETWORK } from '../../lib/network.ts';

const never = (): never => {
  throw new Error('the library only builds requirements; it neither verifies nor settles');
};

/** The library asks a facilitator what it serves. Ours is asked elsewhere: the requirements depend on this network alone. */
const describedNetwork: FacilitatorClient = {
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
    extensions: [],
    signers: {},
  }),
  verify: async () => never(),
  settle: async () => never(),
};

export interface Requirements {
  /** What this call is asked to pay. */
  required(call: HTTPAdapter): Promise<PaymentRequired>;
  /** The one way to pay it. */
  accepted(call: HTTPAdapter): Promise<PaymentRequirements>;
}

/** Requirements of these routes. */
export async function requirementsOf(
  routes: Readonly<Record<string, RouteConfig>>,
): Promise<(routeKey: string) => Requirements> {
  const server = new x402ResourceServer(describedNetwork)
    .register(NETWORK, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension)
    .registerExtension(paymentIdentifierResourceServerExtension);
  await new x402HTTPResourceServer(server, { ...routes }).initialize();
  return (routeKey) => {
    const config = routes[routeKey];
    if (!config) throw new Error(`no payment configuration for ${routeKey}`);
    const path = routeKey.slice(routeKey.indexOf(' ') + 1);
    const options = Array.isArray(config.accepts) ? config.accepts : [config.accepts];
    const required = async (adapter: HTTPAdapter): Promise<PaymentRequired> => {
      const context = { adapter, path, method: 'GET', routePattern: path };
      const accepts = await server.buildPaymentRequirementsFromOptions(options, context);
      const extensions = config.extensions && server.enrichExtensions(config.extensions, context);
      const { serviceName, tags, iconUrl } = config;
      return server.createPaymentRequiredResponse(
        accepts,
        {
          url: config.resource ?? adapter.getUrl(),
          description: config.description ?? '',
          mimeType: config.mimeType ?? '',
          ...(serviceName === undefined ? {} : { serviceName }),
          ...(tags === undefined ? {} : { tags }),
          ...(iconUrl === undefined ? {} : { iconUrl }),
        },
        'Payment required',
        extensions,
        { request: context },
      );
    };
    return {
      required,
      async accepted(call) {
        const [only] = (await required(call)).accepts;
        if (!only) throw new Error(`${routeKey} accepts no payment`);
        return only;
      },
    };
  };
}
