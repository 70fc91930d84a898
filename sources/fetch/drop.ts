/** Files that the operator put into a source's drop folder. They are archived and parsed like pages. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DropFormat, Page, SourceSpec } from '../contract.ts';
import type { Archive, RequestRecord } from './archive.ts';
import { assemblePage } from './page.ts';

export interface DropOptions {
  /** Folder with one folder per source. */
  readonly dropDir: string;
  readonly archive: Archive;
  readonly clock: { observedAt(): string };
  readonly runId: string;
}

export interface Dropped {
  /** One page per file, sorted by name. */
  readonly pages: readonly Page[];
  /** Names that match no declared format. */
  readonly unknownFiles: readonly string[];
}

/**
 * Read `<dropDir>/<source name>/`. A missing folder counts as empty. Names that start with a dot are ignored; every
 * other name is either a page or reported as unknown.
 */
export async function readDrop(spec: SourceSpec, { dropDir, archive, clock, runId }: DropOptions): Promise<Dropped> {
  const folder = join(dropDir, spec.name);
  const names: string[] = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const pages: Page[] = [];
  const unknownFiles: string[] = [];
  const formatOf = (name: string): DropFormat | undefined =>
    spec.drop?.find(({ pattern }) =>
      new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(name.toLowerCase()),
    );
  const helpers = new Set(names.map((name) => besideOf(formatOf(name), name) ?? ''));
  const isHelper = (name: string): boolean =>
    helpers.has(name) || spec.drop?.some(({ beside }) => beside === name) === true || isBrowserFolder(name, names);
  for (const name of names.filter((n) => !n.startsWith('.') && !isHelper(n)).sort()) {
    const format = formatOf(name);
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
    const second = besideOf(format, name);
    const beside =
      second !== undefined && names.includes(second) ? { [second]: await readFile(join(folder, second), 'utf8') } : {};
    // A file that stays in the folder is dated by the first read of its content.
    const now = clock.observedAt();
    const before = await archive.latest(spec.name, url, (r) => r.sha256 === sha256 && r.observedAt <= now);
    const record: RequestRecord = {
      source: spec.name,
      runId,
      method: 'READ',
      url,
      status: null,
      kind: format.kind,
      // The name may state what the content does not, such as the month of a register's file.
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

/** Name of the second file that belongs to a dropped file. */
const besideOf = (format: DropFormat | undefined, name: string): string | undefined =>
  typeof format?.beside === 'function' ? format.beside(name) : format?.beside;

/** The folder of images and scripts that a browser puts next to a complete web page. */
const isBrowserFolder = (name: string, names: readonly string[]): boolean =>
  name.endsWith('_files') && names.some((n) => n.replace(/\.html?$/iu, '_files') === name && n !== name);

/** Address of a dropped file, without the machine's own path. */
const dropAddress = (source: string, name: string): string => `file:///drop/${source}/${encodeURIComponent(name)}`;
