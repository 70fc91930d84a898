/** All adapters: those in folders of their own, the rows of a family's table, and those of EXTRA_SOURCES. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RecordDefinition } from '../lib/record.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { requireTerms, type SourceSpec } from './contract.ts';
import { realAuctionSources } from './families/realauction/counties.ts';

/** An adapter and its folder. */
export interface FoundSource {
  readonly spec: SourceSpec;
  /** URL of the adapter's folder, with a trailing slash. */
  readonly folder: URL;
  /** A row of a family's table: the folder holds its recorded pages, if there are any. */
  readonly isTableRow?: true;
}

const ROOT = new URL('./', import.meta.url);

const folders = async (at: URL): Promise<string[]> =>
  (await readdir(at, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

/** @throws naming the file if its folder differs from the declared family and name */
async function readSource(folder: URL, family: string, name: string): Promise<FoundSource> {
  const file = fileURLToPath(new URL('source.ts', folder));
  const { default: spec } = (await import(file)) as { default?: SourceSpec };
  if (typeof spec?.parse !== 'function') throw new Error(`${file}: has no default export made by defineSource`);
  if (spec.name !== name) throw new Error(`${file}: declares the name ${spec.name}, expected ${name} as its folder`);
  if (spec.family !== family)
    throw new Error(`${file}: declares the family ${spec.family}, expected ${family} as its folder`);
  return { spec, folder };
}

/** Sorted by name. @throws naming the source that states no terms or has the name of another one */
function checked(found: readonly FoundSource[]): FoundSource[] {
  const byName = new Map<string, FoundSource>();
  for (const each of found) {
    const { name } = each.spec;
    requireTerms(each.spec);
    const twin = byName.get(name);
    if (twin)
      throw new Error(`${fileURLToPath(each.folder)}: the name ${name} is taken by ${fileURLToPath(twin.folder)}`);
    byName.set(name, each);
  }
  return [...byName.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/**
 * Adapters under `<root>/<family>/<name>/source.ts`, sorted by name.
 * @throws naming an adapter that is not as it must be
 */
export async function sourcesIn(root: URL): Promise<FoundSource[]> {
  const found: FoundSource[] = [];
  for (const family of await folders(root)) {
    for (const name of await folders(new URL(`${family}/`, root))) {
      const folder = new URL(`${family}/${name}/`, root);
      if ((await readdir(folder)).includes('source.ts')) found.push(await readSource(folder, family, name));
    }
  }
  return checked(found);
}

/** The adapters of this folder, and of folders like it, sorted by name. */
export async function findSources(...extra: readonly URL[]): Promise<FoundSource[]> {
  const rows = realAuctionSources.map(
    (spec) => ({ spec, folder: new URL(`${spec.family}/${spec.name}/`, ROOT), isTableRow: true }) as const,
  );
  const inFolders: FoundSource[] = [];
  for (const root of [ROOT, ...extra]) inFolders.push(...(await sourcesIn(root)));
  return checked([...inFolders, ...rows]);
}

/** The folder of EXTRA_SOURCES. @throws SettingError if it cannot be read */
async function extraFolder(): Promise<URL[]> {
  const { EXTRA_SOURCES } = readSettings(pipelineSettings.pick({ EXTRA_SOURCES: true }));
  if (EXTRA_SOURCES === undefined) return [];
  const folder = pathToFileURL(`${EXTRA_SOURCES}/`);
  await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const code = error.code ?? String(error);
    throw new SettingError(`EXTRA_SOURCES is ${JSON.stringify(EXTRA_SOURCES)}, expected a folder of sources: ${code}`);
  });
  return [folder];
}

/** By the folder of EXTRA_SOURCES. */
const loaded = new Map<string, Promise<readonly FoundSource[]>>();

/** The adapters of this folder and of EXTRA_SOURCES, sorted by name, found once in a process. */
export async function loadSources(): Promise<SourceSpec[]> {
  const extra = await extraFolder();
  const key = extra.join();
  const sources = loaded.get(key) ?? findSources(...extra);
  loaded.set(key, sources);
  return (await sources).map(({ spec }) => spec);
}

/** All staged records, of the files in rows/. A build has a table for each, whether or not a source of it is read. */
export async function loadRowRecords(): Promise<RecordDefinition[]> {
  const folder = new URL('rows/', ROOT);
  const records: RecordDefinition[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const exported = Object.values(
      (await import(fileURLToPath(new URL(file, folder)))) as Record<string, RecordDefinition | undefined>,
    );
    const defined = exported.filter((candidate) => candidate !== undefined && 'columns' in candidate);
    if (defined.length === 0) throw new Error(`sources/rows/${file}: exports no record made by defineRecord`);
    records.push(...defined);
  }
  return records;
}

/** Hosts of all sources. */
export const hostsOf = (sources: readonly SourceSpec[]): string[] => [
  ...new Set(sources.flatMap(({ hosts }) => hosts)),
];

/** Secrets that sources declare, by setting name, from the environment. An empty setting counts as not set. */
export const secretsOf = (sources: readonly SourceSpec[]): Record<string, string | undefined> =>
  Object.fromEntries(
    sources.flatMap(({ secrets }) => secrets ?? []).map((name) => [name, process.env[name]?.trim() || undefined]),
  );
