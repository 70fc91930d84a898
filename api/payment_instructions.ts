/** How to pay, as fields of every 402. */
import type { Network } from '../lib/network.ts';
import type { Extras } from './http/problem.ts';
import type { Route } from './routes/define.ts';
import { priceOf } from './routes/prices.ts';

interface PaymentTerms {
  readonly network: Network;
  readonly payTo: string;
  /** Shown if the money is test money. */
  readonly notice?: string;
}

/** Fields of every 402: the price, the network and its token, the receiving address, and how to pay. */
export const paymentInstructions = (
  { route, units }: { readonly route: Route; readonly units?: number | undefined },
  { network, payTo, notice }: PaymentTerms,
): Extras => ({
  price: `$${priceOf(route, units)}`,
  ...(units === undefined ? {} : { unit_price: `$${route.price}`, units, unit: route.units?.of }),
  protocol: 'x402 version 2',
  network: network.name,
  asset: network.usdc.address,
  pay_to: payTo,
  how_to_pay:
    'Sign the terms in the PAYMENT-REQUIRED header and send the request again with the signature in ' +
    'PAYMENT-SIGNATURE; @x402/fetch does both. You are charged only if the response is 200.' +
    (Number(priceOf(route, units)) > 1
      ? ' @x402/fetch stops at $1 per payment unless you raise its spendControls.maxAmountPerPayment.'
      : ''),
  ...(notice === undefined ? {} : { notice }),
});
