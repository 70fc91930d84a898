/**
 * Answers that are complete and may be settled: text, bytes, or a finished file of known length and hash. The file is
 * unlinked, so that its space is freed when it is closed.
 */
import { hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Context } from 'koa';
import { LIST_HEADER_NAMES, WEEK_HEADERS } from '../../lib/list_headers.ts';
import type { Answer } from '../../ledger/ledger.ts';

/** A finished file, which is sent unchanged as the body of an answer. */
export class SpooledFile {
  readonly bytes: number;
  /** Of the content, in hex. */
  readonly sha256: string;
  readonly #handle: Awaited<ReturnType<typeof open>>;

  private constructor(handle: Awaited<ReturnType<typeof open>>, bytes: number, sha256: string) {
    [this.#handle, this.bytes, this.sha256] = [handle, bytes, sha256];
  }

  /** Open the finished file at `path` and unlink it. @throws if it is not `bytes` long */
  static async take(path: string, bytes: number, sha256: string): Promise<SpooledFile> {
    const handle = await open(path, 'r');
    const file = new SpooledFile(handle, bytes, sha256);
    try {
      await rm(path);
      if (!(await file.isComplete())) throw new Error(`a spooled file is not ${bytes} bytes long`);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  /** Whether the file still has its length. */
  async isComplete(): Promise<boolean> {
    return (await this.#handle.stat()).size === this.bytes;
  }

  /** The content from the start. Can be read several times, until the file is closed. */
  async *read(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.bytes;) {
      const buffer = Buffer.allocUnsafe(Math.min(1 << 16, this.bytes - position));
      const { bytesRead } = await this.#handle.read(buffer, { position });
      if (bytesRead === 0) throw new Error('a spooled file is shorter than its length');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Free the disk space. Calling it twice is harmless. */
  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Repr-Digest (RFC 9530) and Unencoded-Digest of a SHA-256 in hex. */
export const digestHeader = (sha256: string): string => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;

/** Headers that belong to a body and are stored with it. */
const BODY_HEADERS = [
  'Content-Type',
  'Content-Disposition',
  'Content-Language',
  'X-Snapshot-Id',
  ...LIST_HEADER_NAMES,
  ...Object.values(WEEK_HEADERS),
];

/**
 * The response in `ctx` as an answer that can be sold, with its own headers and `more`.
 * @throws TypeError if it is not complete
 */
export async function completeAnswer(
  { body, status, response }: Context,
  more: Readonly<Record<string, string>>,
): Promise<Answer> {
  const file = body instanceof SpooledFile && status === 200 && (await body.isComplete()) ? body : undefined;
  const buffer = typeof body === 'string' ? Buffer.from(body) : Buffer.isBuffer(body) ? body : undefined;
  const own = BODY_HEADERS.map((name) => [name, response.get(name) || ''] as const).filter(([, value]) => value !== '');
  const headers = { ...Object.fromEntries(own), ...more };
  if (file) return { headers, sha256: file.sha256, bytes: file.bytes, body: () => file.read() };
  if (!buffer)
    throw new TypeError(
      'the answer of a priced route must be complete before it is settled: text, bytes or a spooled file',
    );
  return {
    headers,
    sha256: hash('sha256', buffer, 'hex'),
    bytes: buffer.length,
    buffer,
    async *body() {
      if (buffer.length > 0) yield buffer;
    },
  };
}
