/** The PAYMENT-REQUIRED header, kept short enough for the header buffers of common proxies. */
import type { PaymentRequired } from '@x402/core/types';
import { base64Of } from './headers.ts';

/** Proxies commonly take 4 kB for one line of a header, its name included. */
export const LONGEST_HEADER = 4_000;

/** Left out one after the other where the header is too long, the least useful first. */
const SPARE = ['bazaar', 'payment-identifier'];

/** The header's value, without the extensions that it has no room for. */
export function shortHeader(required: PaymentRequired): string {
  let value = base64Of(required);
  const extensions = { ...required.extensions };
  for (const key of SPARE) {
    if (value.length <= LONGEST_HEADER) return value;
    delete extensions[key];
    value = base64Of({ ...required, extensions });
  }
  return value;
}
