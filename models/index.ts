/** Load models/: the models of its three layers, the reference tables and the macros. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { termsText } from './assumptions.ts';
import {
  auditsOfRecord,
  auditsOfReferences,
  readModelText,
  type Audit,
  type MartContract,
  type ModelText,
} from './contract.ts';
import { stepModels } from './figures/steps.ts';
import { movingFieldsSql } from './marts/change_feeds.ts';

const LAYERS = ['staging', 'intermediate', 'marts'] as const;
export type Layer = (typeof LAYERS)[number];

export interface Model extends ModelText {
  /** Name of the file and of the table. */
  readonly name: string;
  readonly layer: Layer;
  /** Its SQL file, from the root of the repository. Folders of a layer divide it by subject. */
  readonly path: string;
  /** Set on a mart. */
  readonly contract?: MartContract;
}

/** A published table. */
export interface Mart extends Model {
  readonly contract: MartContract;
}

export const isMart = (model: Model): model is Mart => model.contract !== undefined;

type NamedFile = readonly [name: string, file: string];
const byName = ([a]: NamedFile, [b]: NamedFile): number => (a < b ? -1 : 1);

let loaded: Promise<readonly Model[]> | undefined;

/** All models, found once in a process. @throws if a mart has no contract, or a name occurs twice */
export const loadModels = async (): Promise<Model[]> => [...(await (loaded ??= findModels()))];

/** The models that are published. */
export const loadMarts = async (): Promise<Mart[]> => (await loadModels()).filter(isMart);

async function findModels(): Promise<readonly Model[]> {
  const models: Model[] = [];
  for (const layer of LAYERS) {
    const folder = join(import.meta.dirname, layer);
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql'));
    // By name, whatever the folder: a model that moves keeps its place, so the hash of all SQL stays.
    for (const [name, file] of files.map((each) => [basename(each, '.sql'), each] as const).sort(byName)) {
      const path = `models/${layer}/${file}`;
      const before = models.find((model) => model.name === name);
      if (before) throw new Error(`two models are called ${name}: ${before.path} and ${path}`);
      const text = readModelText(name, await readFile(join(folder, file), 'utf8'));
      models.push({ name, layer, path, ...text, ...(layer === 'marts' ? await contractOf(name, text.audits) : {}) });
    }
  }
  models.push({
    name: 'terms',
    layer: 'staging',
    path: 'models/assumptions.ts',
    ...readModelText('terms', termsText()),
  });
  // Their SQL follows from that of the models whose figures are steps.
  for (const text of await stepModels(models, selectMacros))
    models.push({ layer: 'intermediate', path: 'models/figures/steps.ts', ...text });
  return models;
}

/** The contract of a mart, and its audits. */
async function contractOf(name: string, audits: readonly Audit[]): Promise<Pick<Mart, 'audits' | 'contract'>> {
  const { default: contract } = (await import(`./marts/${name}.ts`)) as { default: MartContract };
  const ofColumns = [...auditsOfRecord(name, contract.record), ...auditsOfReferences(name, contract.publish)];
  return { contract, audits: [...ofColumns, ...contract.audits, ...audits] };
}

const sqlIn = (folder: string): string =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

/** The macros that read no table. */
export const macrosSql = (): string => movingFieldsSql() + sqlIn(join(import.meta.dirname, 'macros'));

let statements: ReadonlyMap<string, string> | undefined;

/** Statements that create a macro, by its name, in their order. Read once in a process. */
const macrosByName = (): ReadonlyMap<string, string> =>
  (statements ??= new Map(
    macrosSql()
      .split(/^(?=CREATE OR REPLACE MACRO )/mu)
      .flatMap((sql) => {
        const name = /^CREATE OR REPLACE MACRO (\w+)/u.exec(sql)?.[1];
        return name === undefined ? [] : [[name, sql] as const];
      }),
  ));

/**
 * The macros that queries call, and those that they call in turn. DuckDB takes a tenth of a second to create all of
 * them, a quarter of the build of a few models.
 */
export function selectMacros(queries: readonly string[]): string {
  const macros = macrosByName();
  const needed = new Set<string>();
  const addCalled = (sql: string): void => {
    for (const [, called = ''] of sql.matchAll(/(\w+)\s*\(/gu)) {
      const name = called.toLowerCase();
      const definition = macros.get(name);
      if (definition === undefined || needed.has(name)) continue;
      needed.add(name);
      addCalled(definition);
    }
  };
  for (const sql of queries) addCalled(sql);
  return [...macros].flatMap(([name, sql]) => (needed.has(name) ? [sql] : [])).join('');
}

/** The macros that read an input table, which must exist first. graph.ts names each macro's table. */
export const inputMacrosSql = (): string => sqlIn(join(import.meta.dirname, 'macros', 'inputs'));
