/** Opens the store that STORE names. The SDK of S3 is loaded on demand: it takes half a second. */
import { S3_ADDRESS } from '../settings.ts';
import { FolderStore } from './folder.ts';
import type { Store } from './store.ts';

/** Bytes of snapshots that DATA_DIR caches from the store. The current snapshot always stays. */
export const STORE_CACHE_BYTES = 20_000_000_000;

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
