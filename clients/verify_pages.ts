/** The pages that an answer was read from: every `page_sha256` in it, looked up in an archive or a folder of pages. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveDamage, hasArchive, openArchive } from '../lib/archive.ts';
import { sha256OfFile } from '../lib/files.ts';

interface NamedPage {
  readonly sha256: string;
  /** Where the answer names it: "distress.matches.0.signal". */
  readonly place: string;
  /** URL of the page, if the answer has it next to the hash. */
  readonly url: string | null;
}

/** State of the page with this hash. found: the bytes have it; different: a file has this name and other bytes. */
type StateOf = (sha256: string) => Promise<'found' | 'missing' | 'different'>;

const SHA256 = /^[0-9a-f]{64}$/;

function* pagesIn(value: unknown, place: readonly string[]): Generator<NamedPage> {
  if (typeof value !== 'object' || value === null) return;
  const record = value as Readonly<Record<string, unknown>>;
  const { page_sha256: sha256, source_url: url } = record;
  if (typeof sha256 === 'string' && SHA256.test(sha256))
    yield { sha256, place: place.join('.'), url: typeof url === 'string' ? url : null };
  for (const [name, inner] of Object.entries(record)) yield* pagesIn(inner, [...place, name]);
}

/** The pages that an answer names, each once. Empty if it is not JSON. */
export function namedPages(text: string): readonly NamedPage[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  const pages = new Map<string, NamedPage>();
  for (const page of pagesIn(json, [])) if (!pages.has(page.sha256)) pages.set(page.sha256, page);
  return [...pages.values()];
}

/** The archive of a data folder; null if it has none. */
export async function archivedPages(dataDir: string): Promise<StateOf | null> {
  if (!hasArchive(dataDir)) return null;
  const archive = await openArchive(dataDir);
  return async (sha256) => {
    if (archive.size(sha256) === null) return 'missing';
    try {
      await archive.read(sha256);
      return 'found';
    } catch (error) {
      if (error instanceof ArchiveDamage) return 'different';
      throw error;
    }
  };
}

/** A folder of saved pages with any names, and its subfolders; null if it cannot be read. */
export async function folderPages(folder: string): Promise<StateOf | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return null;
  const files = entries.filter((entry) => entry.isFile());
  const hashes = new Set<string | null>();
  for (const { parentPath, name } of files) hashes.add(await sha256OfFile(join(parentPath, name)).catch(() => null));
  return async (sha256) => {
    if (hashes.has(sha256)) return 'found';
    return files.some(({ name }) => name === sha256) ? 'different' : 'missing';
  };
}
