/** All adapters, found by their folders. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { RecordDefinition } from '../lib/record.ts';
import type { SourceSpec } from './contract.ts';
import { requireTerms } from './terms.ts';

/** An adapter and its folder. */
export interface FoundSource {
  readonly spec: SourceSpec;
  /** URL of the adapter's folder, with a trailing slash. */
  readonly folder: URL;
}

const ROOT = new URL('./', import.meta.url);

const folders = async (at: URL): Promise<string[]> =>
  (await readdir(at, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

/**
 * Adapters under `<root>/<family>/<name>/source.ts` with their folders, sorted by name. Default root: this folder.
 * @throws naming the file if its folder differs from the declared family and name, or two adapters have the same name
 * @throws naming the source if it states no terms
 */
export async function findSources(root = ROOT): Promise<FoundSource[]> {
  const found: FoundSource[] = [];
  for (const family of await folders(root)) {
    for (const name of await folders(new URL(`${family}/`, root))) {
      const folder = new URL(`${family}/${name}/`, root);
      if (!(await readdir(folder)).includes('source.ts')) continue;
      const file = fileURLToPath(new URL('source.ts', folder));
      const { default: spec } = (await import(file)) as { default?: SourceSpec };
      if (typeof spec?.parse !== 'function') throw new Error(`${file}: has no default export made by defineSource`);
      if (spec.name !== name)
        throw new Error(`${file}: declares the name ${spec.name}, expected ${name} as its folder`);
      if (spec.family !== family)
        throw new Error(`${file}: declares the family ${spec.family}, expected ${family} as its folder`);
      requireTerms(spec);
      const twin = found.find((other) => other.spec.name === name);
      if (twin) throw new Error(`${file}: the name ${name} is taken by ${fileURLToPath(twin.folder)}`);
      found.push({ spec, folder });
    }
  }
  return found.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

let loaded: Promise<readonly FoundSource[]> | undefined;

/** All adapters, sorted by name, found once in a process. */
export const loadSources = async (): Promise<SourceSpec[]> =>
  (await (loaded ??= findSources())).map(({ spec }) => spec);

/** All staged records, one file each in rows/. A build has a table for each, whether or not a source of it is read. */
export async function loadRowRecords(): Promise<RecordDefinition[]> {
  const folder = new URL('rows/', ROOT);
  const records: RecordDefinition[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const exported = Object.values(
      (await import(fileURLToPath(new URL(file, folder)))) as Record<string, RecordDefinition | undefined>,
    );
    const record = exported.find((candidate) => candidate?.columns !== undefined);
    if (!record) throw new Error(`sources/rows/${file}: exports no record made by defineRecord`);
    records.push(record);
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
