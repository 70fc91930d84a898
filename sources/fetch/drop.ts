/** Files that the operator put into a source's drop folder. They are archived and parsed like pages. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Archive } from '../../lib/archive.ts';
import { namesIn } from '../../lib/files.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import type { Page, SourceSpec } from '../contract.ts';
import { codeOfName } from '../dropped_files.ts';
import { assemblePage } from './page.ts';

export interface DropOptions {
  /** Folder with one folder per source. */
  readonly dropDir: string;
  readonly archive: Archive;
  readonly clock: { observedAt(): string };
  readonly runId: string;
}

/** A file that is not read. The files of its source are read one by one, so the others are. */
export interface UnreadableFile {
  /** `folder` if old rows of its folder are carried, else `file`. */
  readonly key: { readonly folder: string } | { readonly file: string };
  readonly url: string;
  readonly detail: string;
}

export interface Dropped {
  /** One page per file, sorted by folder and name. */
  readonly pages: readonly Page[];
  /** Names that match no declared format. */
  readonly unknownFiles: readonly string[];
  /** Only for a source with folders: files that cannot be read or match no declared format. */
  readonly unreadable: readonly UnreadableFile[];
}

/** The folder of images and scripts that a browser puts next to a complete web page. */
const isBrowserFolder = (name: string, names: readonly string[]): boolean =>
  name.endsWith('_files') && names.some((other) => other.replace(/\.html?$/iu, '_files') === name && other !== name);

/** Names to read: none that is hidden, and not the file "~$list.xlsx" that Excel keeps next to an open workbook. */
const shownNames = (names: readonly string[]): string[] =>
  names.filter((name) => !/^(?:\.|~\$)/u.test(name) && !isBrowserFolder(name, names)).sort();

/** Address of a drop folder, without the machine's own path and the supplier's name. @param folder may be blank */
export const dropFolderAddress = (source: string, folder: string): string =>
  `file:///drop/${source}/${folder === '' ? '' : `${codeOfName(folder)}/`}`;

/**
 * Read `<dropDir>/<source name>/`, and the folders in it if the source has one for each supplier. A missing folder
 * counts as empty. Hidden files and Excel's lock files are ignored; every other name is either a page or reported.
 */
export async function readDrop(spec: SourceSpec, options: DropOptions): Promise<Dropped> {
  const path = join(options.dropDir, spec.name);
  const top = shownNames(await namesIn(path));
  if (!spec.dropFolders) return { ...(await readFolder(spec, options, '', top)), unreadable: [] };
  const isFolder = await Promise.all(
    top.map((name) =>
      stat(join(path, name)).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  );
  const suppliers = top.filter((_, at) => isFolder[at]);
  const pages: Page[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const folder of ['', ...suppliers]) {
    const report = (file: string, problem: string, isCarried: boolean): void => {
      const shown = [folder, file].filter(Boolean).join('/');
      const url = addressOf(spec, folder, file);
      unreadable.push({ key: isCarried ? { folder } : { file: shown }, url, detail: `${shown}: ${problem}` });
    };
    const skip = (file: string, { code, message }: NodeJS.ErrnoException): void =>
      report(file, `cannot be read (${code ?? message})`, true);
    const files =
      folder === ''
        ? top.filter((_, at) => !isFolder[at])
        : await namesIn(join(path, folder)).catch((error: NodeJS.ErrnoException) => {
            skip('', error);
            return [];
          });
    const read = await readFolder(spec, options, folder, shownNames(files), skip);
    pages.push(...read.pages);
    // A brochure next to a list says nothing about the list's rows; instead of a list, it may.
    for (const file of read.unknownFiles)
      report(file, `a file of this kind cannot be read. ${spec.dropFolders.ask}`, read.pages.length === 0);
  }
  return { pages, unknownFiles: [], unreadable };
}

/**
 * The pages of one folder.
 * @param supplier whose folder it is; blank for the source's own folder
 * @param skip receives a file that the system cannot read; default: its error is thrown
 */
async function readFolder(
  spec: SourceSpec,
  { dropDir, archive, clock, runId }: DropOptions,
  supplier: string,
  names: readonly string[],
  skip?: (file: string, error: NodeJS.ErrnoException) => void,
): Promise<Omit<Dropped, 'unreadable'>> {
  const folder = join(dropDir, spec.name, supplier);
  const pages: Page[] = [];
  const unknownFiles: string[] = [];
  for (const name of names.filter((each) => spec.drop?.every(({ beside }) => beside !== each) !== false)) {
    const format = spec.drop?.find(({ pattern }) => name.toLowerCase().search(pattern) >= 0);
    let bytes: Uint8Array | undefined;
    const beside: Record<string, string> = {};
    try {
      if (format) bytes = await readUnlessFolder(join(folder, name));
      if (format?.beside !== undefined && names.includes(format.beside))
        beside[format.beside] = await readFile(join(folder, format.beside), 'utf8');
    } catch (error) {
      if (!skip) throw error;
      skip(name, error as NodeJS.ErrnoException);
      continue;
    }
    if (!format || !bytes) {
      unknownFiles.push(name);
      continue;
    }
    const url = addressOf(spec, supplier, name);
    bytes = format.seal?.(bytes, url) ?? bytes;
    const sha256 = await archive.put(bytes);
    // A file that stays in the folder is dated by the first read of its content.
    const now = clock.observedAt();
    const isEarlier = (row: RequestRecord): boolean => row.sha256 === sha256 && row.observedAt <= now;
    const record: RequestRecord = {
      source: spec.name,
      runId,
      method: 'READ',
      url,
      status: null,
      kind: format.kind,
      // The name may state what the content does not, such as the month of a register's file.
      context: { file: name, ...(supplier === '' ? {} : { folder: supplier }), ...beside },
      requestHeaders: {},
      responseHeaders: {},
      sha256,
      bytes: bytes.length,
      observedAt: (await archive.latest(spec.name, url, isEarlier))?.observedAt ?? now,
      fromCache: false,
      error: null,
    };
    await archive.append(record);
    pages.push(assemblePage(record, sha256, bytes));
  }
  return { pages, unknownFiles };
}

const readUnlessFolder = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EISDIR') return undefined;
    throw error;
  });

/** Address of a dropped file. A supplier's file may be named for the supplier. */
const addressOf = ({ name, dropFolders }: SourceSpec, folder: string, file: string): string =>
  dropFolderAddress(name, folder) + (dropFolders ? codeOfName(file) : encodeURIComponent(file));
