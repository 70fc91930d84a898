/** The page that an adapter parses, from an archived request. */
import { ArchiveDamage, type Archive } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import type { Page } from '../contract.ts';
import { decodeBody, decodeText } from './http/decode.ts';

/** Default maximum of a decoded body, in bytes. */
export const MAX_DECODED_BYTES = 256 * 1024 * 1024;

/**
 * The page of an archived request, as its adapter saw it.
 * @throws ArchiveDamage if its body is lost; Quarantine if its encoding is broken or the decoded body exceeds the limit
 */
export async function openPage(
  archive: Archive,
  record: RequestRecord,
  maxDecodedBytes = MAX_DECODED_BYTES,
): Promise<Page> {
  const { sha256, url, runId, responseHeaders } = record;
  if (sha256 === null) throw new ArchiveDamage(`the archive has no body of ${url} in run ${runId}`);
  const wire = await archive.read(sha256);
  return assemblePage(
    record,
    sha256,
    await decodeBody(wire, responseHeaders['content-encoding'], maxDecodedBytes, url),
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
