/** Records as a CSV file on disk, for lists that are too long for memory. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import type { RecordDefinition } from '../../../lib/record.ts';
import { SpooledFile } from '../../payments/spooled_answer.ts';
import { csvOptions } from '../list/csv.ts';

type Row = Readonly<Record<string, unknown>>;

/** Write pages of records to a file in `folder`. The file is complete when this resolves; a failure leaves no file. */
export async function spoolCsv(
  folder: string,
  record: RecordDefinition,
  pages: AsyncIterable<readonly Row[]>,
): Promise<SpooledFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${randomUUID()}.csv`);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await pipeline(
      Readable.from(
        (async function* rows() {
          for await (const page of pages) yield* page;
        })(),
      ),
      stringify(csvOptions(record.columns.map((column) => column.name))),
      async function* counted(chunks: AsyncIterable<Buffer | string>) {
        for await (const chunk of chunks) {
          const content = Buffer.from(chunk as string);
          hash.update(content);
          bytes += content.length;
          yield content;
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
    return await SpooledFile.take(path, bytes, hash.digest('hex'));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
