/**
 * Staged shards on their way from a worker to the run, if they share no folder: two files each, under `shards/`, until
 * the run has put them together. A killed run leaves them; a rule of the bucket may expire them.
 */
import { downloadVerified, type Store } from '../../lib/store/store.ts';
import { makeFolder } from '../../lib/files.ts';
import { dirname } from 'node:path';
import type { ShardFiles, StagedShard } from '../ingest/stage/stage_shard.ts';

const FILES = ['rows', 'refused'] as const;

/** @param name of the shard, as its files' names in the store begin */
export async function putShard(store: Store, name: string, files: ShardFiles, { sha256 }: StagedShard): Promise<void> {
  for (const file of FILES) await store.putFile({ name: `${name}.${file}`, sha256: sha256[file] }, files[file]);
}

/** Copy a shard into local files, verified. @throws StoreDamage */
export async function getShard(store: Store, name: string, files: ShardFiles, { sha256 }: StagedShard): Promise<void> {
  await makeFolder(dirname(files.rows));
  for (const file of FILES)
    await downloadVerified(store, { name: `${name}.${file}`, sha256: sha256[file] }, files[file]);
}

export async function removeStoredShard(store: Store, name: string): Promise<void> {
  for (const file of FILES) await store.remove(`${name}.${file}`);
}
