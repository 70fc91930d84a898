/** x402's headers, base64 of JSON: the same as by the library's own functions, which go through them byte by byte. */
import { decodePaymentSignatureHeader } from '@x402/core/http';

/** As a header's value. */
export const base64Of = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');

const WHOLE_BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What PAYMENT-SIGNATURE holds. @throws where it is not base64 of JSON */
export function readPaymentHeader(header: string): unknown {
  if (header.length % 4 === 0 && WHOLE_BASE64.test(header)) {
    try { return JSON.parse(Buffer.from(header, 'base64').toString('utf8')); } catch { /* The library says what it is. */ }
  }
  return decodePaymentSignatureHeader(header);
}
