/** Pages for tests: one from bytes, and those an adapter's `recorded/` folder describes (format in fleet.test.ts). */
import { readFile } from 'node:fs/promises';
import { zipSync, type Zippable } from 'fflate';
import { z } from 'zod';
import { sha256 } from '../../lib/files.ts';
import { type Page, QUARANTINE_REASONS } from '../../sources/contract.ts';
import { assemblePage } from '../../sources/fetch/page.ts';

const RecordedCase = z
  .strictObject({
    kind: z.string(),
    url: z.url(),
    context: z.record(z.string(), z.string()).default({}),
    contentType: z.string().nullable().default(null),
    observedAt: z.string().default('2026-11-20T12:00:00Z'),
    file: z.string().optional(),
    text: z.string().optional(),
    zip: z.record(z.string(), z.string()).optional(),
    cutTo: z.int().min(0).optional(),
    quarantine: z.enum(QUARANTINE_REASONS).optional(),
  })
  .refine(
    (c) => [c.file, c.text, c.zip].filter((body) => body !== undefined).length === 1,
    'expected exactly one of file, text, zip',
  );

const RecordedPages = z.record(z.string().regex(/^[a-z0-9_]+$/), RecordedCase);
export type RecordedPages = z.infer<typeof RecordedPages>;

/** Where the pages come from: a short text would not say which parts are recorded and which are made up. */
const Origin = z.looseObject({ from: z.string().trim().min(30, 'expected where the pages come from') });

/** The cases of a pages.json. @throws ZodError if it does not say where its pages come from */
export function parseRecorded(json: string): RecordedPages {
  const { from: _, ...cases } = Origin.parse(JSON.parse(json));
  return RecordedPages.parse(cases);
}
export type RecordedCase = z.infer<typeof RecordedCase>;

/** A page as the fetcher would hand it to an adapter. */
export function pageOf(
  bytes: Uint8Array,
  from: Pick<Page, 'kind' | 'url'> & Partial<Pick<Page, 'context' | 'contentType' | 'observedAt'>>,
): Page {
  return assemblePage(
    {
      source: 'recorded',
      runId: 'recorded',
      method: 'GET',
      url: from.url,
      status: 200,
      kind: from.kind,
      context: { ...from.context },
      requestHeaders: {},
      responseHeaders: typeof from.contentType === 'string' ? { 'content-type': from.contentType } : {},
      sha256: null,
      bytes: bytes.length,
      observedAt: from.observedAt ?? '2026-11-20T12:00:00Z',
      fromCache: false,
      error: null,
    },
    sha256(bytes),
    bytes,
  );
}

/** Any time will do, as long as it is always the same. */
const PACKED_ON = new Date('2026-01-01T00:00:00Z');

/** A ZIP archive whose bytes depend on its files only. */
export const zipOf = (files: Zippable): Uint8Array => zipSync(files, { mtime: PACKED_ON, level: 6 });

/** The body that a case describes, and the files of the folder it used. */
export async function bodyOf(recorded: RecordedCase, folder: URL): Promise<{ bytes: Uint8Array; used: URL[] }> {
  const used: URL[] = [];
  const read = async (name: string): Promise<Uint8Array> => {
    const url = new URL(name, folder);
    used.push(url);
    return new Uint8Array(await readFile(url));
  };
  let bytes: Uint8Array;
  if (recorded.file !== undefined) bytes = await read(recorded.file);
  else if (recorded.zip !== undefined) {
    const files: Zippable = {};
    for (const [name, file] of Object.entries(recorded.zip)) files[name] = await read(file);
    bytes = zipOf(files);
  } else bytes = new TextEncoder().encode(recorded.text);
  return { bytes: recorded.cutTo === undefined ? bytes : bytes.subarray(0, recorded.cutTo), used };
}
