/**
 * What a route asks for, and whether a payment meets it, as the library's own server says it. What is the same for
 * every call of a route is asked of it once: the requirements, the extensions, and the answer to a call without payment
 * but for the address that was called. It is asked again for each call where prices are made by a function of the call,
 * or the path has parameters, which the extensions repeat.
 */
import { FacilitatorResponseError, x402HTTPResourceServer, type HTTPAdapter, type HTTPRequestContext, type RouteConfig } from '@x402/core/server';
import type { PaymentPayload, PaymentRequired, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { base64Of } from './headers.ts';

/** A payment that its facilitator says is good, for what the route asks. */
export interface Verified {
  readonly requirements: PaymentRequirements;
  /** Tell the library's hooks that nothing will be settled for it. */
  cancel(why: { readonly reason: 'handler_threw'; readonly error: unknown } | { readonly reason: 'handler_failed'; readonly responseStatus: number }): Promise<unknown>;
  /** Ask for the money. */
  settle(): ReturnType<x402HTTPResourceServer['processSettlement']>;
}

export interface Terms {
  /** What this call is asked to pay. */
  required(call: HTTPAdapter): Promise<PaymentRequired>;
  /** Hold a payment against that and have it verified. @returns what is asked, with the library's word for what is wrong, where it is refused */
  verify(call: HTTPAdapter, payment: PaymentPayload): Promise<{ readonly verified: Verified } | { readonly refused: PaymentRequired }>;
}

/** The library's server, whose headers are encoded in one go instead of byte by byte. */
export class ResourceServer extends x402HTTPResourceServer {
  override createSettlementHeaders({ extensionResponses: _, ...settled }: SettleResponse & { extensionResponses?: unknown }): Record<string, string> {
    return { 'PAYMENT-RESPONSE': base64Of(settled) };
  }
}

/** @param http a server that has the route, with what its facilitator supports */
export function termsOf(http: x402HTTPResourceServer, routeKey: string, config: RouteConfig): Terms {
  const { server } = http;
  const path = routeKey.slice(routeKey.indexOf(' ') + 1);
  const options = Array.isArray(config.accepts) ? config.accepts : [config.accepts];
  const sameForAll = options.every(({ price, payTo }) => typeof price !== 'function' && typeof payTo !== 'function') && !/[:[*]/.test(path);
  const contextOf = (adapter: HTTPAdapter): HTTPRequestContext => ({ adapter, path, method: 'GET', routePattern: path });

  const ask = async (context: HTTPRequestContext): Promise<PaymentRequired> => {
    const requirements = await server.buildPaymentRequirementsFromOptions(options, context);
    const extensions = config.extensions && server.enrichExtensions(config.extensions, context);
    const { serviceName, tags, iconUrl } = config;
    return server.createPaymentRequiredResponse(requirements, {
      url: config.resource ?? context.adapter.getUrl(), description: config.description ?? '', mimeType: config.mimeType ?? '',
      ...(serviceName === undefined ? {} : { serviceName }), ...(tags === undefined ? {} : { tags }), ...(iconUrl === undefined ? {} : { iconUrl }),
    }, 'Payment required', extensions, { request: context });
  };
  let made: Promise<PaymentRequired> | undefined;
  const required = async (call: HTTPAdapter): Promise<PaymentRequired> => {
    if (!sameForAll) return ask(contextOf(call));
    made ??= ask(contextOf(call)).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    const asked = await made;
    return { ...asked, resource: { ...asked.resource, url: config.resource ?? call.getUrl() } };
  };

  /** What the last payment that met the route's requirements had accepted, as text: nearly every payment repeats what was asked. */
  let met: { readonly accepted: string; readonly place: number } | undefined;
  const matching = (accepts: readonly PaymentRequirements[], payment: PaymentPayload): PaymentRequirements | undefined => {
    const accepted = JSON.stringify(payment.accepted);
    if (sameForAll && met?.accepted === accepted) return accepts[met.place];
    const found = server.findMatchingRequirements([...accepts], payment);
    if (found) met = { accepted, place: accepts.indexOf(found) };
    return found;
  };

  return {
    required,
    async verify(call, payment) {
      const asks = await required(call);
      const refused = (error: string | undefined): { readonly refused: PaymentRequired } => {
        const { error: _, ...rest } = asks;
        return { refused: error === undefined ? rest : { ...asks, error } };
      };
      const context = contextOf(call);
      const transport = { request: context };
      try {
        const found = matching(asks.accepts, payment);
        if (!found) return refused('No matching payment requirements');
        // A facilitator may do with it what it likes.
        const requirements = { ...found, extra: { ...found.extra } };
        const echoed = server.validateExtensions(asks, payment);
        if (!echoed.valid) return refused(echoed.invalidReason);
        const result = await server.verifyPayment(payment, requirements, asks.extensions, transport);
        if (!result.isValid) return refused(result.invalidReason);
        return {
          verified: {
            requirements,
            cancel: (why) => server.createPaymentCancellationDispatcher(payment, requirements, asks.extensions, transport).cancel(why),
            settle: () => http.processSettlement(payment, requirements, asks.extensions, transport),
          },
        };
      } catch (error) {
        if (error instanceof FacilitatorResponseError) throw error;
        return refused(error instanceof Error ? error.message : 'Payment verification failed');
      }
    },
  };
}
