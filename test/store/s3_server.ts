/**
 * An S3 server in this process: s3rver, which stores objects as files and ignores conditional writes, with those added
 * as S3 has them. A fault may take the place of any answer.
 */
import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { memoryFolder } from '../ledger/memory_folder.ts';

/** s3rver has no types of its own. */
interface S3rver {
  readonly middleware: Middleware[];
  readonly store: {
    getMetadata(bucket: string, key: string): Promise<{ etag: string }>;
    listObjects(bucket: string, options: object): Promise<unknown>;
    getResourcePath(bucket: string, key: string, resource: string): string;
    deleteObject(bucket: string, key: string): Promise<void>;
    putContent(path: string, content: unknown): Promise<unknown>;
  };
  readonly logger: { close(): void; exceptions: { unhandle(): void } };
  configureBuckets(): Promise<unknown>;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
}

type S3rverClass = new (options: object) => S3rver;

export const BUCKET = 'deals';

/** Answer a request in another way. @returns true if it did */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export interface S3Server {
  /** Value of STORE. */
  readonly address: string;
  /** Environment of a process that uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the bucket. */
  readonly folder: string;
  /** Requests so far, as "PUT current". */
  readonly requests: string[];
  fault: Fault | null;
  /** Path of the file in which s3rver stores an object. */
  fileOf(name: string): string;
  /** Refuse connections, and end open ones, until `start`. */
  stop(): Promise<void>;
  /** Listen on the same port again. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const PRECONDITION_FAILED =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>PreconditionFailed</Code>' +
  '<Message>At least one of the pre-conditions you specified did not hold</Message></Error>';

/** If-Match and If-None-Match of a PUT, one write at a time. */
function conditionalWrites({ store }: S3rver): Middleware {
  const etagOf = async (bucket: string, key: string): Promise<string | null> => {
    try {
      return (await store.getMetadata(bucket, key)).etag;
    } catch {
      return null;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return async (ctx: Context, next) => {
    const [match, noneMatch] = [ctx.get('if-match'), ctx.get('if-none-match')];
    if (ctx.method !== 'PUT' || (match === '' && noneMatch === '')) return next();
    const [, bucket = '', ...key] = ctx.path.split('/');
    const before = last;
    const turn = Promise.withResolvers<undefined>();
    last = turn.promise;
    await before;
    try {
      const etag = await etagOf(bucket, decodeURIComponent(key.join('/')));
      if (match === '' ? etag === null : etag === match) return await next();
      ctx.status = 412;
      ctx.type = 'application/xml';
      ctx.body = PRECONDITION_FAILED;
      return undefined;
    } finally {
      turn.resolve(undefined);
    }
  };
}

/** @param options.conditional false for a service that ignores conditions */
export async function startS3({ conditional = true, port = 0 } = {}): Promise<S3Server> {
  const directory = memoryFolder('dealfeed-s3-');
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as S3rverClass;
  const app = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
    // It signs a query in another way than S3.
    allowMismatchedSignatures: true,
  });
  await app.configureBuckets();
  const { store } = app;
  // Its tokens of the next page are encrypted with DES, which OpenSSL 3 does not have: the first page lists all.
  const listObjects = store.listObjects.bind(store);
  store.listObjects = (bucket, options) => listObjects(bucket, { ...options, maxKeys: Number.POSITIVE_INFINITY });
  // It writes an object in place; in S3 an object is all there or as before, whatever ends the upload.
  const putContent = store.putContent.bind(store);
  store.putContent = async (path, content) => {
    const incoming = join(directory, `.${randomUUID()}`);
    const written = await putContent(incoming, content);
    await rename(incoming, path);
    return written;
  };
  // It also removes empty folders, with the object that another request is writing there.
  store.deleteObject = async (bucket, key) => {
    for (const resource of ['metadata.json', 'object', 'object.md5'])
      await rm(store.getResourcePath(bucket, key, resource), { force: true });
  };
  if (conditional) app.middleware.unshift(conditionalWrites(app));
  const handle = app.callback();
  const sockets = new Set<Socket>();
  const folder = join(directory, BUCKET);
  const server: S3Server & { fault: Fault | null } = {
    address: `s3://${BUCKET}/feed`,
    env: {},
    folder,
    requests: [],
    fault: null,
    fileOf: (name) => join(folder, 'feed', `${name}._S3rver_object`),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => http.close(resolve));
    },
    start: () => listen(listening),
    close: async () => {
      app.logger.exceptions.unhandle();
      app.logger.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  const http = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname.replace(`/${BUCKET}/feed/`, '');
    server.requests.push(`${request.method ?? ''} ${name}`);
    void (async () => {
      if ((await server.fault?.(request, response)) !== true) handle(request, response);
    })();
  });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (on: number): Promise<void> =>
    new Promise((resolve) => {
      http.listen(on, '127.0.0.1', resolve);
    });
  await listen(port);
  const listening = (http.address() as AddressInfo).port;
  const endpoint = `http://127.0.0.1:${listening}`;
  const env = { AWS_ENDPOINT_URL_S3: endpoint, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  return Object.assign(server, { env });
}

/** Let the SDK in this process use a server. @returns a function that restores the environment */
export function withS3({ env }: Pick<S3Server, 'env'>): () => void {
  const names = Object.keys(env);
  const saved = names.map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
