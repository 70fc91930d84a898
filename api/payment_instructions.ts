/** How to pay, as fields of every 402. */
import type { Extras } from './http/problem.ts';
import type { PaymentNetwork } from './payments/networks.ts';
import type { Route } from './routes/define.ts';
import { priceOf } from './routes/prices.ts';

interface PaymentTerms {
  readonly networks: readonly PaymentNetwork[];
  readonly payTo: string;
  /** Shown if the money is test money. */
  readonly notice?: string;
}

const networkAndToken = ({ network: { name, usdc } }: PaymentNetwork) => ({ network: name, asset: usdc.address });

/** The preferred network and token, the alternatives, and the networks that do not work at the moment. */
function paymentTargets(networks: readonly PaymentNetwork[], offered?: readonly string[]): Extras {
  const isOffered = ({ network: { name } }: PaymentNetwork): boolean => offered?.includes(name) ?? true;
  const [first, ...more] = networks.filter(isOffered);
  const missing = networks.filter((one) => !isOffered(one)).map(({ network: { name } }) => name);
  return {
    ...(first === undefined ? {} : networkAndToken(first)),
    ...(more.length === 0 ? {} : { more_networks: more.map(networkAndToken) }),
    ...(missing.length === 0 ? {} : { unavailable_networks: missing }),
  };
}

/** Fields of every 402: the price, the accepted networks, the receiving address, and how to pay. */
export const paymentInstructions = (
  { route, units }: { readonly route: Route; readonly units?: number | undefined },
  { networks, payTo, notice }: PaymentTerms,
  offered?: readonly string[],
): Extras => ({
  price: `$${priceOf(route, units)}`,
  ...(units === undefined ? {} : { unit_price: `$${route.price}`, units, unit: route.units?.of }),
  protocol: 'x402 version 2',
  ...paymentTargets(networks, offered),
  pay_to: payTo,
  how_to_pay:
    'Sign the terms in the PAYMENT-REQUIRED header and send the request again with the signature in ' +
    'PAYMENT-SIGNATURE; @x402/fetch does both. You are charged only if the response is 200.' +
    (Number(priceOf(route, units)) > 1
      ? ' @x402/fetch stops at $1 per payment unless you raise its spendControls.maxAmountPerPayment.'
      : ''),
  ...(notice === undefined ? {} : { notice }),
});
