/**
 * `make release`: a dated copy of a snapshot's tables for others, with everything needed to read, check, cite and
 * compare it. It is completed in a temporary folder, renamed, and never changed again.
 */
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { runCommand } from '../../lib/command.ts';
import { openDuck } from '../../lib/duck.ts';
import { DamagedFile, makeFolder, sha256OfFile, sync } from '../../lib/files.ts';
import { cell, table, wrap } from '../../lib/markdown.ts';
import { print } from '../../lib/output.ts';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { literal } from '../../lib/sql.ts';
import { parquetType, rowsOfFiles } from '../../lib/stored_types.ts';
import { dictionarySections, USUAL_TYPES } from '../../models/dictionary.ts';
import { loadMarts, type Mart } from '../../models/index.ts';
import { Manifest, type PublishedTable } from '../../models/manifest.ts';
import { movingFields } from '../../models/marts/change_feeds.ts';
import { changesSql } from '../analyse/query.ts';
import { snapshotNamed } from '../analyse/open_snapshot.ts';
import { analystSettings } from '../analyse/settings.ts';
import { failureText } from '../failure.ts';
import { bytesShort, number, plural } from '../format.ts';
import { compareRunIds, layoutOf, type Layout } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { hashModels, writeParquet } from '../run/publish.ts';
import { readManifest, runIdsIn, verifySnapshot } from '../snapshots.ts';

interface ReleasedTables {
  readonly manifest: Manifest;
  /** Tables of the release. */
  readonly models: readonly Mart[];
  /** Published tables that it leaves out, each with the reason. */
  readonly leftOut: readonly Mart[];
}

/** Tables whose changes since the previous release are listed: the others follow from them. */
const COMPARED: readonly string[] = ['deals', 'signals', 'auctions', 'owners', 'filings'];

/** Sources with rows in the release. */
const sourcesOf = ({ sources }: Manifest): Manifest['sources'] =>
  sources.filter(({ staged_run }) => staged_run !== null);

/** Titles of sources whose owner must permit the release. */
const permissionsNeeded = (manifest: Manifest): readonly string[] =>
  sourcesOf(manifest).flatMap(({ terms_basis, title }) => (terms_basis === 'permission' ? [title] : []));

/** @param previous the release before, whose changes the release has; null for the first */
const readmePage = ({ manifest, models, leftOut }: ReleasedTables, previous: string | null): string =>
  [
    `# Dealfeed release ${manifest.run_id}`,
    'Listings of small multifamily buildings with their underwriting, distress records, sales and business filings, ' +
      `as of ${manifest.as_of}. For analysts: open the tables, look up a column, cite the release.`,
    `**${manifest.notice}**`,
    table(
      ['table', 'what it has', 'rows'],
      models.map(({ name, contract }) => [
        `[\`${name}\`](data-dictionary.md#${name})`,
        cell(contract.record.about),
        number(manifest.tables[name]?.rows ?? 0),
      ]),
    ),
    '## Open it',
    "```sql\n-- DuckDB, in this folder\nSELECT city, count(*) FROM 'deals.parquet' GROUP BY ALL;\n```",
    'Any tool that reads Parquet reads the tables. `sha256sum -c SHA256SUMS` checks that no file changed.',
    '[data-dictionary.md](data-dictionary.md) describes the columns, [LICENSES.md](LICENSES.md) the terms of every ' +
      'source. `manifest.json` states how the tables were made: sources read, versions, assumptions, audits.' +
      (previous === null
        ? ''
        : ` \`changes.ndjson\` has what changed in ${COMPARED.join(', ')} since release ${previous}.`),
    '## What is left out',
    [
      ...leftOut.map(({ name, contract }) => `- \`${name}\`: ${contract.publish.notReleased ?? ''}`),
      '- the ids of sold leads in the manifest, and the DuckDB file: they would disclose the same',
    ].join('\n'),
    '## Cite it',
    `The Dealfeed contributors (${manifest.as_of.slice(0, 4)}). Dealfeed release ${manifest.run_id} [data set]. ` +
      'Cite the public source too if you use its records: each row has its `source_url`.',
  ].join('\n\n');

const licensesPage = ({ manifest }: ReleasedTables): string =>
  [
    `# Sources of release ${manifest.run_id} and their terms`,
    'The code of Dealfeed is under the Apache License 2.0. That license does not cover data: rows stay under the ' +
      'terms of their source. Dealfeed claims no rights in figures that it computes from them.',
    `**${manifest.notice}**`,
    'Rows of sources with the basis `permission` may be passed on only as their owner permits.',
    table(
      ['source', 'basis', 'terms', 'rows', 'read on'],
      sourcesOf(manifest).map((source) => [
        `[${cell(source.title)}](${source.home})<br>\`${source.source}\``,
        `\`${source.terms_basis}\``,
        cell(source.terms_note) + (source.terms_url === null ? '' : ` ([terms](${source.terms_url}))`),
        number(source.rows_out + source.rows_carried),
        source.last_good_at?.slice(0, 10) ?? '',
      ]),
    ),
  ].join('\n\n');

const dictionaryPage = ({ manifest, models }: ReleasedTables): string =>
  [
    `# Data dictionary of release ${manifest.run_id}`,
    `${USUAL_TYPES} Every table passed its audits: among others unique key, no null without a declared reason, ` +
      'closed lists of values.',
    ...dictionarySections(models, parquetType, true),
  ].join('\n\n');

const SUMS = 'SHA256SUMS';
const MAKING = '.making-';

/** The manifest without entries that disclose which leads were sold, and without tables that are left out. */
const ReleasedManifest = z
  .object(Manifest.shape)
  .omit({ sold_leads: true, sold_properties: true, database: true, serving: true });

async function checkReleasable(layout: Layout, runId: string): Promise<ReleasedTables> {
  const damage = await verifySnapshot(layout, runId, 'tables');
  if (damage.length > 0) throw new SettingError(`Snapshot ${runId} cannot be released: ${damage.join('; ')}.`);
  const manifest = await readManifest(layout, runId);
  const published = await loadMarts();
  if (hashModels(published).schema !== manifest.versions.schema)
    throw new SettingError(
      `Snapshot ${runId} has other columns than this version of Dealfeed describes. Release a snapshot that this ` +
        'version published: make run, then make release.',
    );
  return {
    manifest,
    models: published.filter(({ contract }) => contract.publish.notReleased === undefined),
    leftOut: published.filter(({ contract }) => contract.publish.notReleased !== undefined),
  };
}

/** Write every change of the compared tables since the previous release. */
async function writeChangesSince(previous: string, folder: string, models: readonly Mart[]): Promise<void> {
  await using duck = await openDuck();
  const { connection } = duck;
  const changes: string[] = [];
  for (const { name, contract } of models.filter((model) => COMPARED.includes(model.name))) {
    const files = [join(previous, `${name}.parquet`), join(folder, `${name}.parquet`)] as const;
    const sql = await changesSql(connection, files, contract.record.key, new Set(movingFields(contract.record)));
    changes.push(`SELECT ${literal(name)} AS "table", * FROM (${sql})`);
  }
  const target = literal(join(folder, 'changes.ndjson'));
  await connection.run(`COPY (${changes.join(' UNION ALL ')} ORDER BY ALL) TO ${target} (FORMAT json)`);
}

/** Write a table as one file: as it is published, or of a table in parts, its rows in their order. */
async function writeTable(
  layout: Layout,
  folder: string,
  { run_id: runId, notice, tables }: Manifest,
  model: Mart,
): Promise<PublishedTable> {
  const published = tables[model.name] ?? { rows: 0, files: [] };
  const paths = published.files.map(({ file }) => join(layout.snapshot(runId), file));
  const { record, publish } = model.contract;
  if (!publish.parts) {
    for (const path of paths) await copyFile(path, join(folder, basename(path)));
    return published;
  }
  await using duck = await openDuck(':memory:', { threads: 1 });
  const rows = `FROM ${rowsOfFiles(paths, record.key)} ORDER BY ${publish.orderBy.join(', ')}`;
  const file = await writeParquet(duck.connection, model, rows, { folder, notice });
  return { rows: file.rows, files: [file] };
}

/** Write every file of a release, the hashes last. */
async function writeFiles(
  layout: Layout,
  folder: string,
  tables: ReleasedTables,
  before: string | null,
): Promise<void> {
  const { manifest, models } = tables;
  const files: Manifest['tables'] = {};
  for (const model of models) files[model.name] = await writeTable(layout, folder, manifest, model);
  const released = ReleasedManifest.parse({ ...manifest, tables: files });
  if (before !== null) await writeChangesSince(join(layout.releases, before), folder, models);
  const texts: Readonly<Record<string, string>> = {
    'README.md': wrap(readmePage(tables, before)),
    'LICENSES.md': wrap(licensesPage(tables)),
    'data-dictionary.md': wrap(dictionaryPage(tables)),
    'manifest.json': JSON.stringify(released, null, 2),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), `${text.trimEnd()}\n`);
  const lines: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    await sync(join(folder, name));
    lines.push(`${await sha256OfFile(join(folder, name))}  ${name}`);
  }
  await writeFile(join(folder, SUMS), `${lines.join('\n')}\n`);
  await sync(join(folder, SUMS));
  await sync(folder);
}

/** Differences of a release on disk from its hashes; empty if it is unchanged. */
export async function findDamage(folder: string): Promise<string[]> {
  const sums = await readFile(join(folder, SUMS), 'utf8').catch(() => null);
  if (sums === null) return [`${SUMS} is missing`];
  const problems: string[] = [];
  for (const line of sums.trimEnd().split('\n')) {
    const [sha256 = '', name = ''] = line.split('  ');
    const found = await sha256OfFile(join(folder, name)).catch(() => null);
    if (found === null) problems.push(`${name} is missing`);
    else if (found !== sha256) problems.push(`${name} changed since it was released`);
  }
  return problems;
}

/**
 * Release a snapshot into `releases/<run id>/`, unless it is there. The same snapshot gives the same bytes.
 * @throws SettingError if the snapshot is damaged, pruned, or of another version
 * @throws DamagedFile if a release of this snapshot is there and damaged
 */
export async function release(layout: Layout, runId: string) {
  const folder = join(layout.releases, runId);
  const all = await runIdsIn(layout.releases);
  const tables = await checkReleasable(layout, runId);
  const before = all.filter((id) => compareRunIds(id, runId) < 0).at(-1) ?? null;
  const isNew = !all.includes(runId);
  if (isNew) await makeRelease(layout, folder, tables, before);
  const damage = await findDamage(folder);
  if (damage.length > 0)
    throw new DamagedFile(`${folder} is damaged: ${damage.join('; ')}. Delete the folder and release again.`);
  const files = (await readdir(folder)).sort();
  return { folder, runId, isNew, manifest: tables.manifest, files, previous: before };
}

export type Release = Awaited<ReturnType<typeof release>>;

async function makeRelease(
  layout: Layout,
  folder: string,
  tables: ReleasedTables,
  before: string | null,
): Promise<void> {
  const making = join(layout.releases, `${MAKING}${tables.manifest.run_id}`);
  await rm(making, { recursive: true, force: true });
  await makeFolder(layout.releases);
  await mkdir(making);
  try {
    await writeFiles(layout, making, tables, before);
    await rename(making, folder);
    await sync(layout.releases);
  } catch (error) {
    // Remove the partial folder: the disk may be full.
    await rm(making, { recursive: true, force: true });
    throw error;
  }
}

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT } = readSettings(analystSettings);
  const layout = layoutOf(DATA_DIR);
  using _reading = holdForReading(layout);
  const runId = await snapshotNamed(layout, 'SNAPSHOT', SNAPSHOT);
  const { folder, files, isNew, manifest, previous } = await release(layout, runId);
  print(`${isNew ? 'Released' : 'Already released, and unchanged'}: ${folder}`);
  for (const name of files) print(`  ${bytesShort((await stat(join(folder, name))).size).padStart(8)}  ${name}`);
  print(`${plural(files.length, 'file')}; ${previous === null ? 'the first release' : `compared with ${previous}`}.`);
  print(manifest.notice);
  const needed = permissionsNeeded(manifest);
  if (needed.length > 0)
    print(
      `Before you share it, ask for permission. Rows of ${plural(needed.length, 'source')} may be shared only as ` +
        `the owner permits: ${needed.join('; ')}.`,
    );
  return 0;
}

if (import.meta.main) await runCommand(main, failureText);
