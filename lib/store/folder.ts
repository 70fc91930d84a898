/**
 * A store in a folder, such as a second disk or NFS. The pointer is the file with the highest number in `current/`:
 * a hard link creates a file with its content, and fails if the number is taken, also between hosts.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, link, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, moveInto, nullIfMissing, removedAtEnd, sync, writeWhole } from '../files.ts';
import { isDiskFull, Store, StoreUnavailable, type NamedFile, type Pointer, type WaitOptions } from './store.ts';

const POINTER = 'current/';
/** Earlier pointers, for a reader that has listed them. */
const EARLIER_POINTERS = 5;
/** Folder of files until they are complete; those of killed writers stay and may be deleted. */
const INCOMING = 'incoming';
/** Errors that a retry does not fix. */
const PERMANENT: readonly string[] = ['EACCES', 'ENOENT', 'EPERM', 'EROFS'];

export class FolderStore extends Store {
  readonly #root: string;

  constructor(root: string, wait: WaitOptions = {}) {
    super(JSON.stringify(root), resolve(root), wait);
    this.#root = root;
  }

  putFile({ name }: NamedFile, path: string): Promise<void> {
    return this.retry(async () => {
      const [temporary, target] = [this.#path(INCOMING, randomUUID()), this.#path(name)];
      for (const file of [temporary, target]) await makeFolder(dirname(file));
      await using _removed = removedAtEnd(temporary);
      await copyFile(path, temporary);
      await moveInto(temporary, target);
    });
  }

  put({ name }: NamedFile, bytes: Uint8Array): Promise<void> {
    return this.retry(() => writeWhole(this.#path(name), bytes, this.#path(INCOMING)));
  }

  create(name: string, text: string): Promise<boolean> {
    return this.retry(async () => {
      const [temporary, path] = [this.#path(INCOMING, randomUUID()), this.#path(name)];
      await using _removed = removedAtEnd(temporary);
      await writeWhole(temporary, text);
      await makeFolder(dirname(path));
      try {
        await link(temporary, path);
        await sync(dirname(path));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        // A repeated write may find its own file.
        return (await readFile(path, 'utf8')) === text;
      }
    });
  }

  read(name: string): Promise<Uint8Array | null> {
    return this.retry(() => nullIfMissing(readFile(this.#path(name))));
  }

  async download(name: string, path: string): Promise<boolean> {
    const copy = (): Promise<true | null> => nullIfMissing(copyFile(this.#path(name), path).then(() => true));
    // It is the local disk that may be full.
    return (await this.retry(copy, (error) => (isDiskFull(error) ? null : this.outageOf(error)))) ?? false;
  }

  async size(name: string): Promise<number | null> {
    return (await this.retry(() => nullIfMissing(stat(this.#path(name)))))?.size ?? null;
  }

  list(prefix: string): Promise<ReadonlyMap<string, number>> {
    return this.retry(async () => {
      const found = await nullIfMissing(readdir(this.#path(prefix), { recursive: true, withFileTypes: true }));
      const paths = (found ?? []).filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
      const sizes = new Map<string, number>();
      for (const path of paths.sort()) {
        const size = (await nullIfMissing(stat(path)))?.size;
        if (size !== undefined) sizes.set(path.slice(this.#root.length + 1), size);
      }
      return sizes;
    });
  }

  remove(name: string): Promise<void> {
    return this.retry(() => rm(this.#path(name), { force: true }));
  }

  async pointer(): Promise<Pointer | null> {
    const number = (await this.#pointers()).at(-1);
    const bytes = number === undefined ? null : await this.read(`${POINTER}${number}`);
    return bytes && { text: new TextDecoder().decode(bytes), tag: String(number) };
  }

  async switchPointer(text: string, expected: string | null): Promise<boolean> {
    const next = Number(expected ?? 0) + 1;
    const numbers = await this.#pointers();
    if ((numbers.at(-1) ?? 0) >= next || !(await this.create(`${POINTER}${next}`, text))) return false;
    for (const old of numbers.slice(0, -EARLIER_POINTERS)) await this.remove(`${POINTER}${old}`);
    return true;
  }

  protected outageOf(error: unknown): string | null {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) return null;
    // The cause does not say which disk is full.
    if (isDiskFull(error)) throw new StoreUnavailable(`STORE is ${this.shown}, whose disk is full`);
    if (PERMANENT.includes(code))
      throw new StoreUnavailable(`STORE is ${this.shown}, which is unavailable: ${code}`, { cause: error });
    return code;
  }

  /** Ignores names that file systems and copy programs create, such as `.nfs…` and `7.bak`. */
  async #pointers(): Promise<number[]> {
    const names = [...(await this.list(POINTER)).keys()].map((name) => name.slice(POINTER.length));
    const numbers = names.filter((name) => /^\d+$/u.test(name)).map(Number);
    return numbers.sort((a, b) => a - b);
  }

  #path(...names: readonly string[]): string {
    return join(this.#root, ...names);
  }
}
