/** Reads the Iceberg tables of a bucket as an engine does that has nothing else. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import avro from 'avsc';
import { z } from 'zod';
import { openStore } from '../../lib/store/open.ts';
import type { S3Server } from './s3_server.ts';

const Metadata = z.looseObject({
  'current-snapshot-id': z.int(),
  snapshots: z.array(z.looseObject({ 'snapshot-id': z.int(), 'manifest-list': z.string() })),
});

interface NamedByMetadata {
  readonly location: string;
  /** Size that is stated, if one is. */
  readonly bytes?: number;
}

/** The Iceberg tables in a bucket, as their hints name them, and the files that the metadata of each name. */
export async function icebergOf(
  s3: S3Server,
): Promise<Record<string, { metadata: z.infer<typeof Metadata>; files: NamedByMetadata[] }>> {
  const store = await openStore(s3.address, 0);
  const names = [...(await store.list('iceberg/')).keys()];
  const pathOf = (location: string): string => s3.fileOf(location.slice(`${s3.address}/`.length));
  const rowOf = async (location: string): Promise<Record<string, unknown>> => {
    const [row] = (await avro.createFileDecoder(pathOf(location)).toArray()) as Record<string, unknown>[];
    return row ?? assert.fail(location);
  };
  const tables: Awaited<ReturnType<typeof icebergOf>> = {};
  for (const hint of names.filter((name) => name.endsWith('/version-hint.text'))) {
    const folder = dirname(hint);
    const version = await readFile(s3.fileOf(hint), 'utf8');
    const text = await readFile(s3.fileOf(`${folder}/v${version}.metadata.json`), 'utf8');
    const metadata = Metadata.parse(JSON.parse(text));
    const files: NamedByMetadata[] = [];
    for (const { 'manifest-list': list } of metadata.snapshots) {
      const { manifest_path: manifest, manifest_length: bytes } = await rowOf(list);
      const { file_path: data, file_size_in_bytes: dataBytes } = (await rowOf(String(manifest)))['data_file'] as Record<
        string,
        unknown
      >;
      files.push({ location: list }, { location: String(manifest), bytes: Number(bytes) });
      files.push({ location: String(data), bytes: Number(dataBytes) });
    }
    tables[folder.split('/')[1] ?? ''] = { metadata, files };
  }
  store.close();
  return tables;
}
