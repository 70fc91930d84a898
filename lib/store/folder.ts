/**
 * A store in a folder, such as a second disk or NFS. The pointer is the file with the highest number in `current/`:
 * a hard link creates a file with its content, and fails if the number is taken, also between hosts.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, link, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, moveInto, sync, writeWhole } from '../files.ts';
import { isDiskFull, StoreUnavailable, type NamedFile, type Pointer, type Store } from './store.ts';
import { StoreWait, type WaitOptions } from './wait.ts';

const POINTER = 'current';
/** Earlier pointers, for a reader that has listed them. */
const EARLIER_POINTERS = 5;

/** Folder of files until they are complete; those of killed writers stay and may be deleted. */
const INCOMING = 'incoming';

/** Errors that a retry does not fix. */
const PERMANENT: readonly string[] = ['EACCES', 'ENOENT', 'EPERM', 'EROFS'];

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** @returns null if the file does not exist */
async function nullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

export class FolderStore implements Store {
  readonly shown: string;
  readonly url: string;
  readonly #root: string;
  readonly #wait: StoreWait;

  constructor(root: string, wait: WaitOptions = {}) {
    this.#root = root;
    this.shown = JSON.stringify(root);
    this.url = resolve(root);
    this.#wait = new StoreWait(this.shown, wait);
  }

  async putFile({ name }: NamedFile, path: string): Promise<void> {
    await this.#write(name, (temporary) => copyFile(path, temporary));
  }

  async put({ name }: NamedFile, bytes: Uint8Array): Promise<void> {
    await this.#reach(() => writeWhole(this.#path(name), bytes, this.#path(INCOMING)));
  }

  create(name: string, text: string): Promise<boolean> {
    return this.#reach(async () => {
      const [temporary, path] = [this.#temporary(), this.#path(name)];
      await writeWhole(temporary, text);
      await makeFolder(dirname(path));
      try {
        await link(temporary, path);
        await sync(dirname(path));
        return true;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        // A repeated write may find its own file.
        return (await readFile(this.#path(name), 'utf8')) === text;
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  read(name: string): Promise<Uint8Array | null> {
    return this.#reach(() => nullIfMissing(readFile(this.#path(name))));
  }

  download(name: string, path: string): Promise<boolean> {
    return this.#reach(
      async () => (await nullIfMissing(copyFile(this.#path(name), path).then(() => true))) ?? false,
      'to the local disk',
    );
  }

  size(name: string): Promise<number | null> {
    return this.#reach(async () => (await nullIfMissing(stat(this.#path(name))))?.size ?? null);
  }

  list(prefix: string): Promise<ReadonlyMap<string, number>> {
    return this.#reach(async () => {
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
    return this.#reach(() => rm(this.#path(name), { force: true }));
  }

  async pointer(): Promise<Pointer | null> {
    const number = (await this.#pointers()).at(-1);
    if (number === undefined) return null;
    const bytes = await this.read(`${POINTER}/${number}`);
    return bytes === null ? null : { text: new TextDecoder().decode(bytes), tag: String(number) };
  }

  async switchPointer(text: string, expected: string | null): Promise<boolean> {
    const next = Number(expected ?? 0) + 1;
    const numbers = await this.#pointers();
    if ((numbers.at(-1) ?? 0) >= next || !(await this.create(`${POINTER}/${next}`, text))) return false;
    for (const old of numbers.slice(0, -EARLIER_POINTERS)) await this.remove(`${POINTER}/${old}`);
    return true;
  }

  close(): void {
    this.#wait.close();
  }

  /** Ignores names that file systems and copy programs create, such as `.nfs…` and `7.bak`. */
  async #pointers(): Promise<number[]> {
    const names = [...(await this.list(`${POINTER}/`)).keys()].map((name) => name.slice(POINTER.length + 1));
    return names
      .filter((name) => /^\d+$/u.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }

  #temporary(): string {
    return this.#path(`${INCOMING}/${randomUUID()}`);
  }

  #path(name: string): string {
    return join(this.#root, name);
  }

  #write(name: string, fill: (temporary: string) => Promise<void>): Promise<void> {
    return this.#reach(async () => {
      const path = this.#path(name);
      const temporary = this.#temporary();
      await makeFolder(dirname(path));
      await makeFolder(dirname(temporary));
      try {
        await fill(temporary);
        await moveInto(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    });
  }

  /** @param writes which disk may be full */
  #reach<T>(work: () => Promise<T>, writes: 'to the store' | 'to the local disk' = 'to the store'): Promise<T> {
    return this.#wait.repeat((error) => {
      const code = codeOf(error);
      if (code === undefined) return null;
      if (isDiskFull(error)) {
        if (writes === 'to the local disk') return null;
        // The cause does not say which disk is full.
        throw new StoreUnavailable(`STORE is ${this.shown}, whose disk is full`);
      }
      if (PERMANENT.includes(code))
        throw new StoreUnavailable(`STORE is ${this.shown}, which is unavailable: ${code}`, { cause: error });
      return code;
    }, work);
  }
}
