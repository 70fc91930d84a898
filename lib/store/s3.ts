/**
 * A store in a bucket of S3 or a compatible service. Credentials, region and endpoint come from the SDK's usual chain
 * (AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, the machine's role). Uploads state their SHA-256,
 * which the service checks.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { SettingError } from '../settings.ts';
import { isDiskFull, type NamedFile, type Pointer, type Store } from './store.ts';
import { StoreWait, type WaitOptions } from './wait.ts';

const POINTER = 'current';
const CONNECT_MS = 5_000;
/** A request that transfers nothing for this long is sent again. */
const SILENT_MS = 20_000;

export interface S3Options extends WaitOptions {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Default: 20 s. */
  readonly silentMs?: number;
}

/** Errors are thrown; the SDK also prints some. */
const SILENT_LOGGER = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket' && (error as Error).name !== 'NotImplemented';

/** Responses that a retry does not change. */
const isRefusal = (error: unknown): boolean => {
  const status = statusOf(error);
  if ((error as Error).name === 'CredentialsProviderError') return true;
  return status !== undefined && status >= 300 && status < 500 && ![408, 409, 412, 425, 429].includes(status);
};

/** An error of the local disk. A failed write to an open file does not have its path. */
const isLocalFileError = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).path !== undefined || isDiskFull(error);

/** The service ended an idle connection when a request was on its way. */
const isReset = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Another writer was first, or is writing now. */
const isConflict = (error: unknown): boolean => [409, 412].includes(statusOf(error) ?? 0);

function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  const { code } = first as NodeJS.ErrnoException;
  const status = statusOf(first);
  if (status !== undefined)
    return `HTTP status ${status}${['Error', 'Unknown'].includes(first.name) ? '' : ` (${first.name})`}`;
  if (code !== undefined) return code;
  if (first.name === 'TimeoutError') return 'no response in time';
  return first.message.split('\n', 1)[0] || first.name;
}

/** SHA-256 in base64 and size of a local file. */
async function digestOf(path: string): Promise<{ readonly base64: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { base64: hash.digest('base64'), bytes };
}

export class S3Store implements Store {
  readonly shown: string;
  readonly url: string;
  readonly #client: S3Client;
  readonly #options: S3Options;
  readonly #wait: StoreWait;

  constructor(options: S3Options) {
    this.#options = options;
    this.shown = `s3://${options.bucket}/${options.prefix}`.replace(/\/$/u, '');
    this.url = this.shown;
    this.#wait = new StoreWait(this.shown, options);
    const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    const hasEndpoint = (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined;
    const hasRegion = (AWS_REGION ?? AWS_DEFAULT_REGION) !== undefined;
    this.#client = new S3Client({
      // Compatible services have no host name per bucket, and no regions.
      ...(hasEndpoint ? { forcePathStyle: true } : {}),
      ...(hasEndpoint && !hasRegion ? { region: 'us-east-1' } : {}),
      // Repeated here: the SDK cannot send a stream again.
      maxAttempts: 1,
      logger: SILENT_LOGGER,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: options.silentMs ?? SILENT_MS },
    });
  }

  async putFile(file: NamedFile, path: string): Promise<void> {
    const { base64, bytes } = await digestOf(path);
    await this.#retry(() => {
      const body = { Body: createReadStream(path), ContentLength: bytes, ChecksumSHA256: base64 };
      return this.#client.send(new PutObjectCommand({ ...this.#at(file.name), ...body }));
    });
  }

  async put({ name, sha256 }: NamedFile, bytes: Uint8Array): Promise<void> {
    const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
    await this.#retry(() =>
      this.#client.send(new PutObjectCommand({ ...this.#at(name), Body: bytes, ChecksumSHA256 })),
    );
  }

  create(name: string, text: string): Promise<boolean> {
    return this.#putIf(name, text, { IfNoneMatch: '*' });
  }

  read(name: string): Promise<Uint8Array | null> {
    return this.#nullIfMissing(async () => {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#at(name)));
      return Body ? Body.transformToByteArray() : new Uint8Array();
    });
  }

  async download(name: string, path: string): Promise<boolean> {
    const found = await this.#nullIfMissing(async () => {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#at(name)));
      await pipeline(Body instanceof Readable ? Body : Readable.from([]), createWriteStream(path, { flush: true }));
      return true;
    });
    return found ?? false;
  }

  size(name: string): Promise<number | null> {
    return this.#nullIfMissing(async () => {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#at(name)));
      return ContentLength ?? 0;
    });
  }

  list(prefix: string): Promise<ReadonlyMap<string, number>> {
    const { Bucket, Key: Prefix } = this.#at(prefix);
    return this.#retry(async () => {
      const sizes: [name: string, bytes: number][] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix }))
        for (const { Key = '', Size = 0 } of Contents) sizes.push([Key.slice(this.#options.prefix.length), Size]);
      return new Map(sizes.sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  }

  async remove(name: string): Promise<void> {
    await this.#retry(() => this.#client.send(new DeleteObjectCommand(this.#at(name))));
  }

  pointer(): Promise<Pointer | null> {
    return this.#nullIfMissing(async () => {
      const { Body, ETag = '' } = await this.#client.send(new GetObjectCommand(this.#at(POINTER)));
      return { text: (await Body?.transformToString()) ?? '', tag: ETag };
    });
  }

  switchPointer(text: string, expected: string | null): Promise<boolean> {
    return this.#putIf(POINTER, text, expected === null ? { IfNoneMatch: '*' } : { IfMatch: expected });
  }

  close(): void {
    this.#wait.close();
    this.#client.destroy();
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix}${name}` };
  }

  /** A conditional write. A retry may find that the first request succeeded and only its response was lost. */
  async #putIf(name: string, text: string, condition: { IfMatch: string } | { IfNoneMatch: string }): Promise<boolean> {
    try {
      await this.#retry(() => this.#client.send(new PutObjectCommand({ ...this.#at(name), Body: text, ...condition })));
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const found = await this.read(name);
    return found !== null && new TextDecoder().decode(found) === text;
  }

  /** @returns null if the object does not exist */
  #nullIfMissing<T>(work: () => Promise<T>): Promise<T | null> {
    return this.#retry(async () => {
      try {
        return await work();
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }

  /**
   * A request that meets a reset is sent again once, even without a wait: each is safe to repeat.
   * @throws SettingError if the service refuses; StoreUnavailable if it still fails after the wait
   */
  #retry<T>(work: () => Promise<T>): Promise<T> {
    return this.#wait.repeat(
      (error) => {
        if (isConflict(error) || isLocalFileError(error)) return null;
        if (isRefusal(error))
          throw new SettingError(`STORE is ${this.shown}, which refuses the request: ${reasonOf(error)}`);
        return reasonOf(error);
      },
      async () => {
        try {
          return await work();
        } catch (error) {
          if (isReset(error)) return work();
          throw error;
        }
      },
    );
  }
}
