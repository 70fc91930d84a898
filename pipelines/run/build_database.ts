/**
 * The database of one build: a private file for inputs and models, and an attached file for the published tables, which
 * becomes the snapshot's database.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, DEFAULT_THREADS } from '../../lib/duck.ts';
import { pipelineSettings } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { BUILD_DATABASE } from './partial_files.ts';

/** Name of the attached file of the published tables. */
export const PUBLISHED = 'published';

export interface BuildDatabase {
  readonly connection: DuckDBConnection;
  /** For the models that are built beside another. */
  readonly second: DuckDBConnection;
  /** File of the published tables. */
  readonly publishedFile: string;
  /** Share of the statement in progress that is done, from 0 to 1; null if DuckDB does not know it. */
  shareDone(): number | null;
  /** Close the database and remove its remaining files. */
  close(): Promise<void>;
}

/** The setting's default, for a build without settings. */
const DEFAULT_MEMORY = pipelineSettings.shape.BUILD_MEMORY.parse(undefined);

/** Percent of the memory that DuckDB may count: it does not count the rows that a query has at hand. */
const COUNTED_PCT = 85;

/** The limit of DuckDB for a build of this memory, such as 4GB. */
function limitOf(memory: string): string {
  const megabytes = Number.parseInt(memory, 10) * (memory.endsWith('GB') ? 1000 : 1);
  return `${Math.ceil((megabytes * COUNTED_PCT) / 100)}MB`;
}

/** DuckDB scans this many rows per thread, so a build of fewer rows gains nothing from a second one. */
const ROWS_PER_THREAD = 122_880;

/** Freed memory goes back to the system at once, also that of a thread that waits. By default twice the limit stays. */
const RETURN_MEMORY = `SET allocator_flush_threshold = '4MB'; SET allocator_bulk_deallocation_flush_threshold = '4MB';
  SET allocator_background_threads = true`;

/** A log would write every table once more: no file of a killed build is opened again. */
const NO_LOG = 'RECOVERY_MODE no_wal_writes';

/** Rows in a row group of the published file, and wide rows that are sorted at a time, which then are one. */
export const SORTED_ROWS = 10_240;

/**
 * Options of the published file. DuckDB 1.4 and newer read it: their compression of short texts saves a fifth. Small
 * blocks, because most columns fill a part of one. Publishing writes the tables by one checkpoint.
 */
const PUBLISHED_OPTIONS = `${NO_LOG}, STORAGE_VERSION 'v1.4.0', BLOCK_SIZE 65536, ROW_GROUP_SIZE ${SORTED_ROWS}`;

/** Length that no text reaches: one text compressed with zstd is read with the 2,047 texts around it. */
const NO_ZSTD = 1_000_000_000;

/** DuckDB counts the progress of a statement only for a progress bar, which we draw ourselves. */
const COUNT_PROGRESS = 'SET enable_progress_bar = true; SET enable_progress_bar_print = false';

/** Let a build of this many input rows use more threads. */
export async function setThreads(connection: DuckDBConnection, rows: number): Promise<void> {
  if (rows > ROWS_PER_THREAD) await connection.run(`SET threads = ${DEFAULT_THREADS}`);
}

/**
 * Create an empty build database in a folder. Its queries have one thread.
 * @param memory beyond it DuckDB spills to disk
 */
export async function openBuildDatabase(folder: string, memory = DEFAULT_MEMORY): Promise<BuildDatabase> {
  const file = join(folder, BUILD_DATABASE);
  const publishedFile = `${file}.${PUBLISHED}`;
  const removeFiles = async (): Promise<void> => {
    for (const path of [file, publishedFile]) await rm(path, { force: true });
  };
  try {
    const duck = await openDuck(':memory:', { threads: 1, memoryLimit: limitOf(memory), isTemporary: true });
    try {
      await duck.connection.run(RETURN_MEMORY);
      await duck.connection.run(`SET temp_directory = ${literal(`${file}.tmp`)}`);
      await duck.connection.run(`ATTACH ${literal(file)} AS build (${NO_LOG}); USE build`);
      await duck.connection.run(`SET zstd_min_string_length = ${NO_ZSTD}`);
      await duck.connection.run(COUNT_PROGRESS);
      await duck.connection.run(`ATTACH ${literal(publishedFile)} AS ${PUBLISHED} (${PUBLISHED_OPTIONS})`);
    } catch (error) {
      duck.close();
      throw error;
    }
    const second = await duck.instance.connect();
    await second.run('USE build');
    return {
      connection: duck.connection,
      second,
      publishedFile,
      shareDone() {
        const { percentage } = duck.connection.progress;
        return percentage > 0 ? percentage / 100 : null;
      },
      async close() {
        second.closeSync();
        duck.close();
        await removeFiles();
      },
    };
  } catch (error) {
    // On a full disk the files may exist although they could not be opened.
    await removeFiles();
    throw error;
  }
}
