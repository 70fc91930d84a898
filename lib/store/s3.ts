/**
 * A store in a bucket of S3 or a compatible service. Credentials, region and endpoint come from the SDK's usual chain
 * (AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, the machine's role). Uploads state their SHA-256,
 * which the service checks.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  type GetObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { sha256OfFile } from '../files.ts';
import { SettingError } from '../settings.ts';
import { isDiskFull, Store, type NamedFile, type Pointer, type WaitOptions } from './store.ts';

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

/** A hash as the service compares it. */
const base64 = (hash: string): string => Buffer.from(hash, 'hex').toString('base64');

export class S3Store extends Store {
  readonly #client: S3Client;
  readonly #options: S3Options;

  constructor(options: S3Options) {
    const url = `s3://${options.bucket}/${options.prefix}`.replace(/\/$/u, '');
    super(url, url, options);
    this.#options = options;
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

  async putFile({ name }: NamedFile, path: string): Promise<void> {
    const [ChecksumSHA256, { size }] = [base64(await sha256OfFile(path)), await stat(path)];
    await this.retry(() => {
      const body = { Body: createReadStream(path), ContentLength: size, ChecksumSHA256 };
      return this.#client.send(new PutObjectCommand({ ...this.#at(name), ...body }));
    });
  }

  async put({ name, sha256 }: NamedFile, Body: Uint8Array): Promise<void> {
    const command = { ...this.#at(name), Body, ChecksumSHA256: base64(sha256) };
    await this.retry(() => this.#client.send(new PutObjectCommand(command)));
  }

  create(name: string, text: string): Promise<boolean> {
    return this.#putIf(name, text, { IfNoneMatch: '*' });
  }

  read(name: string): Promise<Uint8Array | null> {
    return this.#get(name, async ({ Body }) => (await Body?.transformToByteArray()) ?? new Uint8Array());
  }

  async download(name: string, path: string): Promise<boolean> {
    const found = await this.#get(name, async ({ Body }) => {
      await pipeline(Body instanceof Readable ? Body : Readable.from([]), createWriteStream(path, { flush: true }));
      return true;
    });
    return found ?? false;
  }

  async size(name: string): Promise<number | null> {
    return (await this.list(name)).get(name) ?? null;
  }

  list(prefix: string): Promise<ReadonlyMap<string, number>> {
    const { Bucket, Key: Prefix } = this.#at(prefix);
    return this.retry(async () => {
      const sizes: [name: string, bytes: number][] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix }))
        for (const { Key = '', Size = 0 } of Contents) sizes.push([Key.slice(this.#options.prefix.length), Size]);
      return new Map(sizes.sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  }

  async remove(name: string): Promise<void> {
    await this.retry(() => this.#client.send(new DeleteObjectCommand(this.#at(name))));
  }

  pointer(): Promise<Pointer | null> {
    return this.#get(POINTER, async ({ Body, ETag: tag = '' }) => ({
      text: (await Body?.transformToString()) ?? '',
      tag,
    }));
  }

  switchPointer(text: string, expected: string | null): Promise<boolean> {
    return this.#putIf(POINTER, text, expected === null ? { IfNoneMatch: '*' } : { IfMatch: expected });
  }

  override close(): void {
    super.close();
    this.#client.destroy();
  }

  /** @throws SettingError if the service refuses */
  protected outageOf(error: unknown): string | null {
    if (isConflict(error) || isLocalFileError(error)) return null;
    if (isRefusal(error))
      throw new SettingError(`STORE is ${this.shown}, which refuses the request: ${reasonOf(error)}`);
    return reasonOf(error);
  }

  /** A request that meets a reset is sent again once, even without a wait: each is safe to repeat. */
  protected override retry<T>(work: () => Promise<T>): Promise<T> {
    return super.retry(() =>
      work().catch((error: unknown) => {
        if (isReset(error)) return work();
        throw error;
      }),
    );
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix}${name}` };
  }

  /** A conditional write. A retry may find that the first request succeeded and only its response was lost. */
  async #putIf(name: string, text: string, condition: { IfMatch: string } | { IfNoneMatch: string }): Promise<boolean> {
    try {
      await this.retry(() => this.#client.send(new PutObjectCommand({ ...this.#at(name), Body: text, ...condition })));
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const found = await this.read(name);
    return found !== null && new TextDecoder().decode(found) === text;
  }

  /** Get an object and use it. @returns null if it does not exist */
  #get<T>(name: string, use: (found: GetObjectCommandOutput) => Promise<T>): Promise<T | null> {
    return this.retry(async () => {
      try {
        return await use(await this.#client.send(new GetObjectCommand(this.#at(name))));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
  }
}
