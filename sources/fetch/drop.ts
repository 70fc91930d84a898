/** Files that the operator put into a source's drop folder, archived and read like pages. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, SourceSpec } from '../contract.ts';
import type { Archive, RequestRecord } from './archive.ts';
import { assemblePage } from './page.ts';

export interface DropOptions {
  /** Folder that holds one folder per source. */
  readonly dropDir: string;
  readonly archive: Archive;
  readonly clock: { observedAt(): string };
  readonly runId: string;
}

export interface Dropped {
  /** One page a file, in the order of their names. */
  readonly pages: readonly Page[];
  /** Names that no declared format claims. */
  readonly unknownFiles: readonly string[];
}

/**
 * Read `<dropDir>/<source name>/`. A missing folder holds no file; names that start with a dot are the operating
 * system's and are passed over. Every other name is either a page or reported as unknown.
 */
export async function readDrop(spec: SourceSpec, { dropDir, archive, clock, runId }: DropOptions): Promise<Dropped> {
  const folder = join(dropDir, spec.name);
  const names: string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const pages: Page[] = [];
  const unknownFiles: string[] = [];
  const helpers = new Set((spec.drop ?? []).map(({ beside }) => beside ?? ''));
  for (const name of names.filter((n) => !n.startsWith('.') && !helpers.has(n)).sort()) {
    const format = spec.drop?.find(({ pattern }) =>
      new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(name.toLowerCase()),
    );
    const bytes =
      format &&
      (await readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EISDIR') return undefined;
        throw error;
      }));
    if (!format || !bytes) {
      unknownFiles.push(name);
      continue;
    }
    const sha256 = await archive.put(bytes);
    const url = dropAddress(spec.name, name);
    const beside =
      format.beside !== undefined && names.includes(format.beside)
        ? { [format.beside]: await readFile(join(folder, format.beside), 'utf8') }
        : {};
    // A file that still lies there has not become fresher: it is as old as the day its content was first read.
    const now = clock.observedAt();
    const before = await archive.latest(spec.name, url, (r) => r.sha256 === sha256 && r.observedAt <= now);
    const record: RequestRecord = {
      source: spec.name,
      runId,
      method: 'READ',
      url,
      status: null,
      kind: format.kind,
      // The name says what the bytes may not, such as the month of a register's file.
      context: { file: name, ...beside },
      requestHeaders: {},
      responseHeaders: {},
      sha256,
      bytes: bytes.length,
      observedAt: before?.observedAt ?? now,
      fromCache: false,
      error: null,
    };
    await archive.append(record);
    pages.push(assemblePage(record, sha256, bytes));
  }
  return { pages, unknownFiles };
}

/** Address of a dropped file: it names the source and the file, and nothing of this machine. */
const dropAddress = (source: string, name: string): string => `file:///drop/${source}/${encodeURIComponent(name)}`;
