/**
 * When an answer is whole, so that it may be settled: text, bytes, or a file that was written to its end before, of
 * known length and hash. Such a file has no name any more: it is gone from the disk once it was sent or dropped.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { ReadStream } from 'node:fs';
import type { Context } from 'koa';

/** A file that was written to its end. */
export interface SpooledFile {
  readonly stream: ReadStream;
  readonly bytes: number;
  /** Of the content, in hex. */
  readonly sha256: string;
}

const spooled = new WeakMap<object, { handle: FileHandle; bytes: number }>();

/**
 * Take over the finished file at `path`: it is opened, its name is removed, and it can be read once.
 * @throws where it is not `bytes` long
 */
export async function spooledFile(path: string, bytes: number, sha256: string): Promise<SpooledFile> {
  const handle = await open(path, 'r');
  try {
    await rm(path);
    const { size } = await handle.stat();
    if (size !== bytes) throw new Error(`a spooled file is ${size} bytes long, ${bytes} were written`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const stream = handle.createReadStream({ start: 0 });
  spooled.set(stream, { handle, bytes });
  return { stream, bytes, sha256 };
}

/** Whether the answer stands complete: text, bytes, or a spooled file as long as it is announced. */
export async function isWhole({ body, status, response }: Context): Promise<boolean> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return true;
  const file = typeof body === 'object' && body !== null ? spooled.get(body) : undefined;
  return file !== undefined && status === 200 && response.length === file.bytes && (await file.handle.stat()).size === file.bytes;
}
