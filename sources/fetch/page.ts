/** The page that an adapter parses, from an archived request. */
import type { Page } from '../contract.ts';
import type { RequestRecord } from './archive.ts';
import { decodeBody, decodeText } from './http/decode.ts';

/** Default maximum of a decoded body, in bytes. */
export const MAX_DECODED_BYTES = 256 * 1024 * 1024;

/**
 * Build a page from its request record and the bytes as received.
 * @throws Quarantine if the content encoding is broken or the decoded body exceeds the limit
 */
export async function buildPage(
  record: RequestRecord,
  wire: Uint8Array,
  maxDecodedBytes = MAX_DECODED_BYTES,
): Promise<Page> {
  if (record.sha256 === null) throw new Error(`the request record of ${record.url} has no object`);
  return assemblePage(
    record,
    record.sha256,
    await decodeBody(wire, record.responseHeaders['content-encoding'], maxDecodedBytes, record.url),
  );
}

/** The same from a decoded body. */
export function assemblePage(record: RequestRecord, sha256: string, bytes: Uint8Array): Page {
  const { kind, url, context, observedAt } = record;
  const texts = new Map<string, string>();
  return {
    kind,
    url,
    context,
    bytes,
    sha256,
    observedAt,
    contentType: record.responseHeaders['content-type'] ?? null,
    text(fallback) {
      const known = texts.get(fallback ?? '');
      if (known !== undefined) return known;
      const text = decodeText(bytes, fallback, url);
      texts.set(fallback ?? '', text);
      return text;
    },
  };
}
