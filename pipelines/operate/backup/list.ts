/**
 * The list of one backup: gzipped JSON lines. The first line says what was backed up, each other line names a file or
 * an empty folder, and the last line counts them, so that a truncated list is noticed.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { objectPath } from '../../../lib/archive_path.ts';
import { DamagedFile } from '../../../lib/files.ts';
import { listPath, type Content } from './store.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

const Header = z.object({
  format: z.literal('dealfeed backup'),
  version: z.literal(1),
  at: z.iso.datetime(),
  data_clock: z.enum(['sandbox', 'live']).nullable(),
  /** Target of the link `current`; null if nothing was published. */
  current: z.string().nullable(),
  /** Backup of the ledger; null if there was none, or it was left out. */
  ledger: z.object({ sha256: hash, bytes: count }).nullable(),
  keys: z.boolean(),
  /** Files that were damaged in the data folder and are not in this backup. */
  missing: z.array(z.string()),
});
export type Header = z.infer<typeof Header>;

const End = z.object({ files: count, folders: count, bytes: count });

/** A path that stays inside the folder it is joined to. */
const innerPath = z.string().refine((path) => !path.startsWith('/') && !path.split('/').includes('..') && path !== '');
const FileLine = z.tuple([innerPath, hash, count, z.int().min(0).max(0o777)]);
const ArchiveLine = z.tuple([hash, count]);
const FolderLine = z.tuple([innerPath]);

export interface ListedFile extends Content {
  /** Relative to the data folder. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
}

const ARCHIVE_MODE = 0o644;
const archivePath = (sha256: string): string => `archive/${objectPath(sha256)}`;

/** Collects the lines of a list. An archived page is named by its hash alone, because there may be millions. */
export class ListWriter {
  readonly #lines: string[] = [];
  #files = 0;
  #folders = 0;
  #bytes = 0;

  file({ path, sha256, bytes, mode }: ListedFile): void {
    const isPage = path === archivePath(sha256);
    this.#lines.push(JSON.stringify(isPage ? [sha256, bytes] : [path, sha256, bytes, mode]));
    this.#files += 1;
    this.#bytes += bytes;
  }

  folder(path: string): void {
    this.#lines.push(JSON.stringify([path]));
    this.#folders += 1;
  }

  get totals(): z.infer<typeof End> {
    return { files: this.#files, folders: this.#folders, bytes: this.#bytes };
  }

  close(header: Omit<Header, 'format' | 'version'>): Uint8Array {
    const first = JSON.stringify({ format: 'dealfeed backup', version: 1, ...header });
    return gzipSync(`${[first, ...this.#lines, JSON.stringify(this.totals)].join('\n')}\n`);
  }
}

export interface BackupList {
  readonly header: Header;
  readonly files: readonly ListedFile[];
  readonly folders: readonly string[];
}

function parsed(text: string): BackupList {
  const lines = text.trimEnd().split('\n');
  const header = Header.parse(JSON.parse(lines[0] ?? ''));
  const end = End.parse(JSON.parse(lines.at(-1) ?? ''));
  const files: ListedFile[] = [];
  const folders: string[] = [];
  for (const line of lines.slice(1, -1)) {
    const values = JSON.parse(line) as readonly unknown[];
    if (values.length === 1) folders.push(FolderLine.parse(values)[0]);
    else if (values.length === 2) {
      const [sha256, bytes] = ArchiveLine.parse(values);
      files.push({ path: archivePath(sha256), sha256, bytes, mode: ARCHIVE_MODE });
    } else {
      const [file, sha256, bytes, mode] = FileLine.parse(values);
      files.push({ path: file, sha256, bytes, mode });
    }
  }
  if (files.length !== end.files || folders.length !== end.folders) throw new Error('lines are missing');
  return { header, files, folders };
}

/** @throws DamagedFile naming the list, if it is not complete */
export async function readList(root: string, name: string): Promise<BackupList> {
  const file = listPath(root, name);
  const packed = await readFile(file);
  try {
    return parsed(gunzipSync(packed).toString('utf8'));
  } catch {
    throw new DamagedFile(`${file} is damaged. Choose another backup with BACKUP=...`);
  }
}
