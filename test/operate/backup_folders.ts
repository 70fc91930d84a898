/** A small data folder with one file of each kind, and its backups. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../lib/files.ts';
import { readSettings } from '../../lib/settings.ts';
import { backUp, type BackedUp } from '../../pipelines/operate/backup/back_up.ts';
import { restoreFolder } from '../../pipelines/operate/backup/restore.ts';
import { backUpSettings, restoreSettings } from '../../pipelines/operate/backup/settings.ts';
import { BARE } from '../environment.ts';
import { archivePage } from '../lib/archive_files.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

export const CLI = fileURLToPath(new URL('../../pipelines/operate/backup/cli.ts', import.meta.url));
export const RUN = '2026-11-20.01';
export const PAGE = 'a page '.repeat(50);
export const LARGE_PAGE = 'a large page '.repeat(81_000);
export const KEY = `0x${'ab'.repeat(32)}\n`;

/** A path that does not exist yet, in a folder that goes with the test. */
export const newPath = (name: string): string => join(memoryFolder('dealfeed-backup-'), name);

export function write(root: string, path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content, { mode });
  chmodSync(join(root, path), mode);
}

/** An archive with a page, and one above 1 MiB. */
const ARCHIVED = newPath('archived');
for (const page of [PAGE, LARGE_PAGE]) await archivePage(ARCHIVED, page, { source: 'oh_stark_tax', runId: RUN });
rmSync(join(ARCHIVED, 'archive', 'incoming'), { recursive: true });

/** A data folder with one file of each kind. */
export function dataFolder(): string {
  const root = newPath('data');
  const [rows, table] = [Buffer.alloc(3_000_000, 'rows'), Buffer.alloc(2_000_000, 'table')];
  write(root, 'kind.json', '{"data_clock":"sandbox"}\n');
  cpSync(join(ARCHIVED, 'archive'), join(root, 'archive'), { recursive: true });
  write(root, `staged/oh_stark_tax/${RUN}.json`, JSON.stringify({ parquet: { sha256: sha256(rows) } }));
  write(root, `staged/oh_stark_tax/${RUN}.parquet`, rows);
  const published = (file: string, content: Buffer): object => {
    write(root, `snapshots/${RUN}/${file}`, content);
    return { file, bytes: content.length, sha256: sha256(content) };
  };
  const manifest = {
    tables: { deals: { files: [published('deals.parquet', table)] } },
    database: published('dealfeed.duckdb', Buffer.from('database')),
    serving: [published('serving.sqlite', Buffer.from('rows to serve'))],
  };
  write(root, `snapshots/${RUN}/manifest.json`, JSON.stringify(manifest));
  symlinkSync(`snapshots/${RUN}`, join(root, 'current'));
  write(root, `runs/${RUN}/report.json`, '{}\n');
  mkdirSync(join(root, 'runs', '2026-11-19.01'), { recursive: true });
  write(root, 'schedule/settings.env', 'LIVE="1"\n', 0o600);
  write(root, 'drop/operator_files/broker/list.csv', 'address\n');
  write(root, `releases/${RUN}/SHA256SUMS`, 'hashes of the tables\n');
  // These belong to a process or can be made again.
  write(root, 'lock.sqlite', '');
  write(root, 'readers.sqlite', '');
  write(root, `snapshots/${RUN}/verified.json`, '{}');
  write(root, 'jobs/1.0/archive/archive.sqlite', 'pages of a job in progress');
  write(root, `runs/${RUN}/build.duckdb`, 'half a build');
  write(root, 'snapshots/.building-2026-11-21.01/deals.parquet', 'half a table');
  return root;
}

const settingsFor = (env: Record<string, string>): ReturnType<typeof readSettings<typeof backUpSettings>> =>
  readSettings(backUpSettings, env);
export const backUpTo = (DATA_DIR: string, TO: string, env: Record<string, string> = {}): Promise<BackedUp> =>
  backUp(settingsFor({ DATA_DIR, TO, ...env }));
export const restoreTo = (
  DATA_DIR: string,
  FROM: string,
  env: Record<string, string> = {},
): ReturnType<typeof restoreFolder> => restoreFolder(readSettings(restoreSettings, { DATA_DIR, FROM, ...env }));

/** Every file and folder with its content and permissions. */
export const treeOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map((e) => [join(e.parentPath, e.name), e.isFile()] as const)
    .map(([path, isFile]) => {
      const mode = (statSync(path).mode & 0o777).toString(8);
      return `${path.slice(root.length)} ${isFile ? `${mode} ${sha256(readFileSync(path))}` : ''}`;
    })
    .sort();

/** File of a content in a folder of backups. */
export const objectIn = (root: string, content: string | Buffer): string =>
  join(root, 'objects', sha256(content).slice(0, 2), sha256(content));

export const objectsIn = (root: string): string[] =>
  readdirSync(join(root, 'objects'), { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name));

export const command = (
  name: string,
  env: Record<string, string>,
): { readonly status: number | null; readonly out: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, name], { env: { ...BARE, ...env } });
  return { status, out: `${stdout.toString()}${stderr.toString()}` };
};
