/** The setting STORE, and the store it names. The SDK of S3 is loaded on demand: it takes half a second. */
import { z } from 'zod';
import { FolderStore } from './folder.ts';
import type { Store } from './store.ts';

const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#\s]*))?$/u;

/** Bytes of snapshots that DATA_DIR caches from the store. The current snapshot always stays. */
export const STORE_CACHE_BYTES = 20_000_000_000;

export const storeSettings = {
  STORE: z
    .string()
    .refine(
      (text) => S3_ADDRESS.test(text) || !/^[a-z0-9+.-]+:/iu.test(text),
      's3://bucket/prefix, or the path of a folder',
    )
    .optional()
    .describe(
      'Store of snapshots and archived pages, for hosts without a shared disk: s3://bucket/prefix or a folder. ' +
        'Credentials, AWS_REGION and AWS_ENDPOINT_URL are read as all AWS tools do. Default: DATA_DIR only.',
    ),
};

/**
 * How long a run or a worker retries while the store is unavailable: longer than a storage service takes to restart or
 * fail over. After a longer outage the run fails and alerts the operator.
 */
const STORE_WAIT_MS = 120_000;

/**
 * @param waitMs how long a failed request is retried
 * @param print prints a line when a longer wait begins, and one when it ends
 */
export async function openStore(
  address: string,
  waitMs = STORE_WAIT_MS,
  print?: (line: string) => void,
): Promise<Store> {
  const wait = { waitMs, print };
  const [, bucket, path = ''] = S3_ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return new FolderStore(address, wait);
  const { S3Store } = await import('./s3.ts');
  const prefix = path.replace(/^\/+|\/+$/gu, '');
  return new S3Store({ bucket, prefix: prefix === '' ? '' : `${prefix}/`, ...wait });
}
