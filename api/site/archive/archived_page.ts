/**
 * One archived page as text. The bytes are verified by their hash whenever they are read; nothing is shown of bytes
 * that differ, and nothing is decoded or searched beyond fixed limits.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { objectPath } from '../../../lib/archive_path.ts';
import { codingsOf, UNPACK } from '../../../lib/content_encoding.ts';
import { sha256 as sha256Of } from '../../../lib/files.ts';
import { visibleText } from './visible_text.ts';

/** Largest object that is read, and largest body that it may decode to. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024;
export const MAX_DECODED_BYTES = 8 * 1024 * 1024;
/** Number of reads of a source to search for the request, newest first. */
const MOST_READS = 40;
/** Longest list of requests that is searched. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

const SHA256 = /^[0-9a-f]{64}$/u;
const SOURCE = /^[a-z][a-z0-9_]*$/u;

/** The part of a request record that a reader sees, or that decodes the body. */
const RequestOfPage = z.object({
  url: z.string(),
  sha256: z.string().nullable(),
  observedAt: z.string(),
  error: z.string().nullable(),
  responseHeaders: z.record(z.string(), z.string()),
});
type RequestOfPage = z.infer<typeof RequestOfPage>;

/** Why an archived page cannot be shown. Its message is for readers. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
  readonly kind: 'missing' | 'damaged';
  constructor(kind: ArchiveFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface ArchivedPage {
  readonly url: string;
  readonly observedAt: string;
  readonly contentType: string;
  /** Length of the archived bytes. */
  readonly bytes: number;
  /** Text of the page, or the reason why there is none. */
  readonly text: { readonly shown: string } | { readonly none: string };
}

/** @throws ArchiveFault if there is no such folder or object, it is too large, or it has another hash */
export async function readObject(archiveDir: string, sha256: string): Promise<Uint8Array> {
  if (!SHA256.test(sha256))
    throw new ArchiveFault('missing', 'The address needs a SHA-256 of 64 lowercase hex digits.');
  const file = join(archiveDir, objectPath(sha256));
  const size = await stat(file).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
  if (size === null) {
    const hasArchive = await stat(join(archiveDir, 'objects')).then(
      () => true,
      () => false,
    );
    throw new ArchiveFault(
      'missing',
      hasArchive
        ? 'The archive of this server no longer has these bytes, because its operator removes old pages.'
        : 'This server has no archive. Its operator keeps the archived pages elsewhere.',
    );
  }
  if (size > MAX_STORED_BYTES)
    throw new ArchiveFault(
      'missing',
      `These bytes are not served, because they exceed ${MAX_STORED_BYTES / 2 ** 20} MiB.`,
    );
  const bytes = await readFile(file);
  if (sha256Of(bytes) !== sha256)
    throw new ArchiveFault('damaged', 'The archived bytes no longer have this SHA-256, so they are not shown.');
  return bytes;
}

/** The first request of a list that returned these bytes. */
async function requestIn(file: string, sha256: string): Promise<RequestOfPage | undefined> {
  if ((await stat(file)).size > MAX_LIST_BYTES) return undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.includes(sha256)) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue; // an incomplete line after a crash
    }
    const { data } = RequestOfPage.safeParse(value);
    if (data?.sha256 === sha256 && data.error === null) return data;
  }
  return undefined;
}

/** The request that returned these bytes, of the newest read that has it. */
async function requestOf(archiveDir: string, source: string, sha256: string): Promise<RequestOfPage | undefined> {
  if (!SOURCE.test(source)) return undefined;
  const folder = join(archiveDir, 'requests', source);
  const order = new Intl.Collator('en', { numeric: true });
  const lists = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.ndjson'));
  for (const list of lists.sort((a, b) => order.compare(b, a)).slice(0, MOST_READS)) {
    const found = await requestIn(join(folder, list), sha256);
    if (found) return found;
  }
  return undefined;
}

/** The decoded body, or null if it is not encoded as its header states or exceeds the limit. */
async function decoded(stored: Uint8Array, header: string | undefined): Promise<Uint8Array | null> {
  let bytes = stored;
  for (const coding of codingsOf(header)) {
    const unpack = UNPACK.get(coding);
    if (!unpack) return null;
    try {
      bytes = await unpack(bytes, { maxOutputLength: MAX_DECODED_BYTES });
    } catch {
      return null;
    }
  }
  return bytes.length > MAX_DECODED_BYTES ? null : bytes;
}

/** Media types whose body is text. */
const TEXTUAL = /^(?:text\/|application\/(?:json|xml|[a-z.+-]*\+(?:json|xml))\b)/iu;

function textOf(body: Uint8Array | null, contentType: string): ArchivedPage['text'] {
  if (body === null) return { none: `The body cannot be decoded, or exceeds ${MAX_DECODED_BYTES / 2 ** 20} MiB.` };
  if (!TEXTUAL.test(contentType)) return { none: 'The body is not text, for example a workbook.' };
  const text = new TextDecoder().decode(body);
  return { shown: /html|xml/iu.test(contentType) ? visibleText(text) : text };
}

/**
 * A page of an archive.
 * @param archiveDir folder `archive` of a data folder
 * @param source name of the source that read it
 * @throws ArchiveFault if it is not there, or its bytes have another hash
 */
export async function readArchivedPage(archiveDir: string, source: string, sha256: string): Promise<ArchivedPage> {
  const stored = await readObject(archiveDir, sha256);
  const request = await requestOf(archiveDir, source, sha256);
  if (!request)
    throw new ArchiveFault('missing', 'The archive of this server has no request that returned these bytes.');
  const { 'content-type': contentType = '', 'content-encoding': encoding } = request.responseHeaders;
  return {
    url: request.url,
    observedAt: request.observedAt,
    contentType,
    bytes: stored.length,
    text: textOf(await decoded(stored, encoding), contentType),
  };
}
