/** Opens the store that STORE names. The SDK of S3 is loaded on demand: it takes half a second. */
import { S3_ADDRESS } from '../settings.ts';
import { FolderStore } from './folder.ts';
import type { Store } from './store.ts';

/** Bytes of snapshots that DATA_DIR caches from the store. The current snapshot always stays. */
export const STORE_CACHE_BYTES = 20_000_000_000;

/** How long a run or a worker retries: longer than a storage service takes to restart or fail over. */
const STORE_WAIT_MS = 120_000;

/** @param print prints a line when a longer wait begins, and one when it ends */
export async function openStore(
  address: string,
  waitMs = STORE_WAIT_MS,
  print?: (line: string) => void,
): Promise<Store> {
  const [, bucket, path = ''] = S3_ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return new FolderStore(address, { waitMs, print });
  const { S3Store } = await import('./s3.ts');
  const prefix = path.replace(/^\/+|\/+$/gu, '');
  return new S3Store({ bucket, prefix: prefix === '' ? '' : `${prefix}/`, waitMs, print });
}
