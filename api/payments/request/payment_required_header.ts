/** The PAYMENT-REQUIRED header, short enough for the header buffers of common proxies. */
import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';

/** Proxies commonly allow 4 kB for one header line, its name included. */
const MAX_LENGTH = 4_000;

/** Extensions that are dropped one by one while the header is too long, the least useful first. */
const OPTIONAL_EXTENSIONS = ['bazaar', 'payment-identifier'];

export function paymentRequiredHeader(required: PaymentRequired): string {
  let value = encodePaymentRequiredHeader(required);
  const extensions = { ...required.extensions };
  for (const key of OPTIONAL_EXTENSIONS) {
    if (value.length <= MAX_LENGTH) return value;
    delete extensions[key];
    value = encodePaymentRequiredHeader({ ...required, extensions });
  }
  return value;
}
