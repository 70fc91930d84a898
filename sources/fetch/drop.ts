/** Files that the operator put into a source's drop folder. They are archived and parsed like pages. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../../lib/files.ts';
import type { DropFormat, Page, SourceSpec } from '../contract.ts';
import { codeOfName } from '../dropped_files.ts';
import type { Archive } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
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

/**
 * Read `<dropDir>/<source name>/`, and the folders in it if the source has one for each supplier. A missing folder
 * counts as empty. Hidden files and Excel's lock files are ignored; every other name is either a page or reported.
 */
export async function readDrop(spec: SourceSpec, options: DropOptions): Promise<Dropped> {
  const path = join(options.dropDir, spec.name);
  const top = await namesIn(path);
  if (!spec.dropFolders) return { ...(await readFolder(spec, options, { name: '', files: top })), unreadable: [] };
  const suppliers = await listFolders(path, top);
  const pages: Page[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const name of ['', ...suppliers]) {
    const report = (file: string, problem: string, isCarried: boolean): void => {
      const shown = [name, file].filter(Boolean).join('/');
      const url = addressOf(spec, name, file);
      unreadable.push({ key: isCarried ? { folder: name } : { file: shown }, url, detail: `${shown}: ${problem}` });
    };
    const skip = (file: string, code: string): void => report(file, `cannot be read (${code})`, true);
    const files =
      name === ''
        ? top.filter((file) => !suppliers.includes(file))
        : await namesIn(join(path, name)).catch((error: NodeJS.ErrnoException) => {
            skip('', error.code ?? error.message);
            return [];
          });
    const read = await readFolder(spec, options, { name, files, skip });
    pages.push(...read.pages);
    // A brochure next to a list says nothing about the list's rows; instead of a list, it may.
    const isCarried = read.pages.length === 0;
    for (const file of read.unknownFiles)
      report(file, `a file of this kind cannot be read. ${spec.dropFolders.ask}`, isCarried);
  }
  return { pages, unknownFiles: [], unreadable };
}

/** Hidden, or the file "~$list.xlsx" that Excel keeps next to a workbook that is open. */
const isIgnored = (name: string): boolean => /^(?:\.|~\$)/u.test(name);

/** Names of the folders among `names`, sorted. */
async function listFolders(path: string, names: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const name of names.filter((each) => !isIgnored(each) && !isBrowserFolder(each, names))) {
    const found = await stat(join(path, name)).catch(() => undefined);
    if (found?.isDirectory()) folders.push(name);
  }
  return folders.sort();
}

interface Folder {
  /** That of a supplier, blank for the source's own folder. */
  readonly name: string;
  readonly files: readonly string[];
  /** Receives a file that the system cannot read. Default: its error is thrown. */
  skip?(file: string, code: string): void;
}

/** The pages of one folder. */
async function readFolder(
  spec: SourceSpec,
  { dropDir, archive, clock, runId }: DropOptions,
  { name: supplier, files: names, skip }: Folder,
): Promise<Omit<Dropped, 'unreadable'>> {
  const folder = join(dropDir, spec.name, supplier);
  const pages: Page[] = [];
  const unknownFiles: string[] = [];
  const formatOf = (name: string): DropFormat | undefined =>
    spec.drop?.find(({ pattern }) =>
      new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(name.toLowerCase()),
    );
  const helpers = new Set(names.map((name) => formatOf(name)?.beside ?? ''));
  const isHelper = (name: string): boolean =>
    helpers.has(name) || spec.drop?.some(({ beside }) => beside === name) === true || isBrowserFolder(name, names);
  for (const name of names.filter((each) => !isIgnored(each) && !isHelper(each)).sort()) {
    const format = formatOf(name);
    let bytes: Buffer | undefined;
    const beside: Record<string, string> = {};
    try {
      if (format) bytes = await readUnlessFolder(join(folder, name));
      const second = format?.beside;
      if (second !== undefined && names.includes(second)) beside[second] = await readFile(join(folder, second), 'utf8');
    } catch (error) {
      if (!skip) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      skip(name, code ?? message);
      continue;
    }
    if (!format || !bytes) {
      unknownFiles.push(name);
      continue;
    }
    const sha256 = await archive.put(bytes);
    const url = addressOf(spec, supplier, name);
    // A file that stays in the folder is dated by the first read of its content.
    const now = clock.observedAt();
    const before = await archive.latest(
      spec.name,
      url,
      (request) => request.sha256 === sha256 && request.observedAt <= now,
    );
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
      observedAt: before?.observedAt ?? now,
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

/** The folder of images and scripts that a browser puts next to a complete web page. */
const isBrowserFolder = (name: string, names: readonly string[]): boolean =>
  name.endsWith('_files') && names.some((other) => other.replace(/\.html?$/iu, '_files') === name && other !== name);

/** Address of a drop folder, without the machine's own path and the supplier's name. @param folder may be blank */
export const dropFolderAddress = (source: string, folder: string): string =>
  `file:///drop/${source}/${folder === '' ? '' : `${codeOfName(folder)}/`}`;

/** Address of a dropped file. A supplier's file may be named for the supplier. */
const addressOf = ({ name, dropFolders }: SourceSpec, folder: string, file: string): string =>
  dropFolderAddress(name, folder) + (dropFolders ? codeOfName(file) : encodeURIComponent(file));
