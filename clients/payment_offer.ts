/** The payment terms of a 402. They are refused before anything is signed if they are not what this client accepts. */
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { usdOf, type Network } from '../lib/network.ts';
import { refused, type Refused } from './outcome.ts';
import type { Caps } from './spending.ts';

/** Longest time for which an authorization may be valid. */
const MAX_VALID_SECONDS = 900;

export interface PaymentOffer {
  readonly required: PaymentRequired;
  readonly terms: PaymentRequirements;
  readonly price: bigint;
}

/** The terms of the first of these networks that the server offers. */
const termsOn = (networks: readonly Network[], accepts: readonly PaymentRequirements[]) =>
  networks
    .map(({ name, usdc: { address } }) =>
      accepts.find(
        ({ scheme, network, asset }) =>
          scheme === 'exact' && network === name && asset.toLowerCase() === address.toLowerCase(),
      ),
    )
    .find((terms) => terms !== undefined);

/**
 * The terms in a 402: USDC on a network where the wallet has some, valid for a short time.
 * @param networks of the wallet, in order of preference
 */
export function readOffer(response: Response, networks: readonly Network[]): PaymentOffer | Refused {
  const header = response.headers.get('PAYMENT-REQUIRED');
  if (header === null)
    return refused('terms_not_accepted', 'The server requires a payment but sent no PAYMENT-REQUIRED header.');
  let required: PaymentRequired;
  try {
    required = decodePaymentRequiredHeader(header);
  } catch {
    return refused('terms_not_accepted', 'The PAYMENT-REQUIRED header of the server cannot be decoded.');
  }
  const terms = termsOn(networks, required.accepts);
  if (!terms || !/^\d{1,15}$/.test(terms.amount))
    return refused(
      'terms_not_accepted',
      `The server does not accept USDC on ${networks.map(({ name }) => name).join(' or ')}.`,
    );
  if (!(terms.maxTimeoutSeconds > 0 && terms.maxTimeoutSeconds <= MAX_VALID_SECONDS)) {
    return refused(
      'terms_not_accepted',
      `The server requires a payment that is valid for ${terms.maxTimeoutSeconds} seconds; this client signs at ` +
        `most ${MAX_VALID_SECONDS}.`,
    );
  }
  return { required, terms, price: BigInt(terms.amount) };
}

/** A refusal if the price exceeds a cap. */
export function checkCaps(price: bigint, { perCall, total }: Caps, spent: bigint): Refused | null {
  const price_usd = usdOf(price);
  if (price > perCall)
    return refused(
      'price_above_call_cap',
      `The call costs $${price_usd}; this client pays at most $${usdOf(perCall)} per call (MAX_PER_CALL). ` +
        'Nothing was signed.',
      false,
      { price_usd },
    );
  if (spent + price > total)
    return refused(
      'price_above_total_cap',
      `The call costs $${price_usd}; $${usdOf(spent)} of $${usdOf(total)} are spent (MAX_TOTAL). Nothing was signed.`,
      false,
      { price_usd },
    );
  return null;
}
