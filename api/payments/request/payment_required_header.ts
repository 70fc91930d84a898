/** The PAYMENT-REQUIRED header, short enough for the header buffers of common proxies. */
import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';

/** Proxies commonly allow 4 kB for one header line, its name included; this leaves room for the error codes. */
export const MAX_HEADER_LENGTH = 3_500;

/** The base64 of the requirements. If the URL makes it too long, `resource.url` is the URL without its query. */
export function paymentRequiredHeader(required: PaymentRequired): string {
  const value = encodePaymentRequiredHeader(required);
  if (value.length < MAX_HEADER_LENGTH) return value;
  const { resource } = required;
  const [url = resource.url] = resource.url.split('?');
  return encodePaymentRequiredHeader({ ...required, resource: { ...resource, url } });
}
