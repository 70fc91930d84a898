/**
 * When an answer is whole, so that it may be settled: text, bytes, or a file that was written to its end before, of
 * known length and hash. Such a file has no name any more: it is gone from the disk once it is closed.
 */
import { hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Context } from 'koa';
import type { Answer } from '../../ledger/ledger.ts';

/** A file that was written to its end. As the body of an answer it is sent as it is. */
export class SpooledFile {
  readonly bytes: number;
  /** Of the content, in hex. */
  readonly sha256: string;
  readonly #handle: Awaited<ReturnType<typeof open>>;

  private constructor(handle: Awaited<ReturnType<typeof open>>, bytes: number, sha256: string) {
    this.#handle = handle;
    this.bytes = bytes;
    this.sha256 = sha256;
  }

  /**
   * Take over the finished file at `path`: it is opened and its name is removed.
   * @throws where it is not `bytes` long
   */
  static async take(path: string, bytes: number, sha256: string): Promise<SpooledFile> {
    const handle = await open(path, 'r');
    const file = new SpooledFile(handle, bytes, sha256);
    try {
      await rm(path);
      if (!(await file.isWhole())) throw new Error(`a spooled file is not ${bytes} bytes long`);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  /** Whether it is still as long as it was written. */
  async isWhole(): Promise<boolean> {
    return (await this.#handle.stat()).size === this.bytes;
  }

  /** The content from its start. May be read more than once, until it is closed. */
  async *read(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.bytes;) {
      const { bytesRead, buffer } = await this.#handle.read(
        Buffer.allocUnsafe(Math.min(1 << 16, this.bytes - position)),
        0,
        undefined,
        position,
      );
      if (bytesRead === 0) throw new Error('a spooled file ended before its end');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Give the disk back. Twice is the same as once. */
  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Repr-Digest (RFC 9530) of a SHA-256 in hex. */
export const reprDigest = (sha256: string): string => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;

/** Headers that belong to a body, and are kept with it. */
const KEPT = ['Content-Type', 'Content-Disposition', 'Content-Language', 'X-Snapshot-Id'];

/**
 * The answer that stands in `ctx`, with its own headers and `more`, as it can be sold.
 * @throws TypeError where it is not whole
 */
export async function wholeAnswer(
  { body, status, response }: Context,
  more: Readonly<Record<string, string>>,
): Promise<Answer> {
  const file = body instanceof SpooledFile && status === 200 && (await body.isWhole()) ? body : undefined;
  const held = typeof body === 'string' ? Buffer.from(body) : Buffer.isBuffer(body) ? body : undefined;
  const headersFor = (sha256: string): Readonly<Record<string, string>> => {
    const own = KEPT.map((name) => [name, response.get(name) || ''] as const).filter(([, value]) => value !== '');
    return { ...Object.fromEntries(own), 'Repr-Digest': reprDigest(sha256), ...more };
  };
  if (file)
    return { headers: headersFor(file.sha256), sha256: file.sha256, bytes: file.bytes, body: () => file.read() };
  if (!held)
    throw new TypeError(
      'the answer of a priced route must be whole before it is settled: text, bytes or a spooled file',
    );
  const sha256 = hash('sha256', held, 'hex');
  return {
    headers: headersFor(sha256),
    sha256,
    bytes: held.length,
    held,
    async *body() {
      if (held.length > 0) yield held;
    },
  };
}
