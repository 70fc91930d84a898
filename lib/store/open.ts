/** Opens the store of the setting STORE. The SDK of S3 is loaded on demand: it takes half a second. */
import { FolderStore } from './folder.ts';
import { S3_ADDRESS } from './settings.ts';
import type { Store } from './store.ts';

/** How long a run repeats a request while the store is unavailable. */
export const STORE_WAIT_MS = 120_000;

/** @param waitMs how long a failed request is repeated */
export async function openStore(address: string, waitMs = STORE_WAIT_MS): Promise<Store> {
  const [, bucket, path = ''] = S3_ADDRESS.exec(address) ?? [];
  if (bucket === undefined) return new FolderStore(address);
  const { S3Store } = await import('./s3.ts');
  const prefix = path.replace(/^\/+|\/+$/gu, '');
  return new S3Store({ bucket, prefix: prefix === '' ? '' : `${prefix}/`, waitMs });
}
