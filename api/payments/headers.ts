/** x402's headers, base64 of JSON: the same as by the library's own functions, which go through them byte by byte. */
import { decodePaymentSignatureHeader } from '@x402/core/http';

/** As a header's value. */
export const base64Of = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** What PAYMENT-SIGNATURE holds. @throws where it is not base64 of JSON */
export function readPaymentHeader(header: string): unknown {
  const bytes = Buffer.from(header, 'base64');
  // Decoding leaves out what is not base64: only what comes out again as it was is all of it.
  if (bytes.toString('base64') === header) {
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      /* The library says what it is. */
    }
  }
  return decodePaymentSignatureHeader(header);
}
