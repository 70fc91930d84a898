/** All adapters: those of this folder, and those of EXTRA_SOURCES. */
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RecordDefinition } from '../lib/record.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { requireTerms, type SourceSpec } from './contract.ts';
import { FAMILIES } from './kinds.ts';

/** An adapter and where it is found. */
export interface FoundSource {
  readonly spec: SourceSpec;
  /** The file that declares it. */
  readonly file: URL;
  /** The folder of its recorded pages, with a trailing slash. */
  readonly recorded: URL;
  /** Whether its file declares that recorded pages of one of its sources show the layout of all. */
  readonly sharesLayout: boolean;
}

const ROOT = new URL('./', import.meta.url);

/** @throws naming the file if it declares another family than its folder, or one source of another name */
async function readSources(file: URL, family: string): Promise<FoundSource[]> {
  const path = fileURLToPath(file);
  const { default: declared, SHARED_LAYOUT } = (await import(path)) as {
    default?: SourceSpec | readonly SourceSpec[];
    SHARED_LAYOUT?: true;
  };
  const specs: readonly SourceSpec[] = [declared ?? []].flat();
  if (!specs.some(({ parse }) => typeof parse === 'function'))
    throw new Error(`${path}: has no default export made by defineSource`);
  return specs.map((spec) => {
    const name = Array.isArray(declared) ? spec.name : basename(path, '.ts');
    if (spec.name !== name) throw new Error(`${path}: declares the name ${spec.name}, expected ${name}`);
    if (spec.family !== family) throw new Error(`${path}: declares the family ${spec.family}, expected ${family}`);
    return { spec, file, recorded: new URL(`recorded/${name}/`, file), sharesLayout: SHARED_LAYOUT === true };
  });
}

/** Sorted by name. @throws naming the source that states no terms or has the name of another one */
function checked(found: readonly FoundSource[]): FoundSource[] {
  const byName = new Map<string, FoundSource>();
  for (const each of found) {
    const { name } = each.spec;
    requireTerms(each.spec);
    const twin = byName.get(name);
    if (twin) throw new Error(`${fileURLToPath(each.file)}: the name ${name} is taken by ${fileURLToPath(twin.file)}`);
    byName.set(name, each);
  }
  return [...byName.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/**
 * The adapters of the files `<root>/<family>/<name>.ts`, sorted by name. Other folders of the root hold no adapters.
 * @throws naming an adapter that is not as it must be
 */
export async function sourcesIn(root: URL): Promise<FoundSource[]> {
  const folders = await readdir(root);
  const found: FoundSource[] = [];
  for (const family of FAMILIES.filter((name) => folders.includes(name))) {
    const folder = new URL(`${family}/`, root);
    for (const name of (await readdir(folder)).filter((each) => each.endsWith('.ts')))
      found.push(...(await readSources(new URL(name, folder), family)));
  }
  return checked(found);
}

/** The adapters of this folder, and of folders like it, sorted by name. */
export const findSources = async (...extra: readonly URL[]): Promise<FoundSource[]> =>
  checked((await Promise.all([ROOT, ...extra].map(sourcesIn))).flat());

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
