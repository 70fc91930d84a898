/** Runs of the real pipeline over the sandbox world, for tests: real server, real fetcher, real DuckDB. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { closing } from '../../lib/closing.ts';
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { rowsOfFiles } from '../../lib/stored_types.ts';
import type { AssumptionSet } from '../../models/assumptions.ts';
import { loadMarts, type Model } from '../../models/index.ts';
import { hashOf } from '../../models/manifest.ts';
import { sandboxClock } from '../../pipelines/clock.ts';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import type { Step } from '../../pipelines/progress.ts';
import { run, type RunResult } from '../../pipelines/run/run.ts';
import { readManifest } from '../../pipelines/snapshots.ts';
import type { SoldLeads } from '../../pipelines/sold_leads.ts';
import type { RunStore } from '../../pipelines/store/run_store.ts';
import { openStoredArchive } from '../../pipelines/store/folder.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { startSandbox, type Alter } from '../../sandbox/server.ts';
import type { World } from '../../sandbox/world/types.ts';
import { makeWorld, type WorldDay } from '../../sandbox/world/world.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { loadSources } from '../../sources/index.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';
import { modelsOf } from './some_tables.ts';
import '../environment.ts';

/** Big enough that every kind of event and fault occurs, small enough to run in seconds. */
export const SMALL = { seed: 7, listings: 120, parcels: 400, auctions: 120, filings: 300 } as const;

/** The site whose list is made by a script. */
export const IN_A_BROWSER = 'crescent_brokerage';

/** Smaller still: every source has rows, and few pages. */
export const TINY = { seed: 7, listings: 60, parcels: 400, auctions: 60, filings: 120 } as const;

export const smallWorld = (): World => makeWorld(SMALL);

/** A data folder of its own, which goes when the test's process ends. */
export const newLayout = async (): Promise<Layout> => layoutOf(memoryFolder('dealfeed-run-'));

/** A folder with all that this one holds, to go on from. */
export async function copyOf(layout: Layout): Promise<Layout> {
  const copy = await newLayout();
  cpSync(layout.root, copy.root, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/**
 * Address of the Iceberg tables, so that a run in a copy of a folder does not write those of earlier days again. With a
 * store, they have the store's.
 */
const TABLES_URL = 's3://tests';

export interface OneRun {
  readonly layout: Layout;
  readonly world: World;
  readonly day: string;
  readonly alter?: Alter;
  /** Sources to read, or their names; the others keep what they have. Default: all. */
  readonly only?: readonly string[] | ((source: { readonly name: string; readonly family: string }) => boolean);
  /** Read the site that needs a browser, too, which takes a third of a run. Default: false. */
  readonly browser?: boolean;
  /** Sources as they are, or with a fault. Default: as they are. */
  readonly changed?: (spec: SourceSpec) => SourceSpec;
  readonly models?: readonly Model[];
  /** Published tables to fill; the others stay empty. Default: all. */
  readonly tables?: readonly string[];
  /** Models that stay empty, with what only they read. Default: none. */
  readonly empty?: readonly string[];
  /** Default: the declared set. */
  readonly assumptions?: AssumptionSet;
  /** Secrets of the operator, by the name of their setting. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Reads the ids of sold leads. Default: none. */
  readonly soldLeads?: () => Promise<SoldLeads>;
  /** Store that the folder shares with others. Default: none. */
  readonly store?: RunStore;
  /** Called with each line that the run prints while it works. */
  readonly onLine?: (line: string) => void;
  /** Called when a step after the reading begins. */
  readonly onStep?: (step: Step) => void;
}

/** Run one day. */
export async function runDay({
  layout,
  world,
  day,
  alter,
  only,
  tables,
  empty,
  models,
  assumptions,
  secrets,
  soldLeads,
  store,
  onLine = () => {},
  onStep = () => {},
  browser = false,
  changed = (spec) => spec,
}: OneRun): Promise<RunResult & { truth: WorldDay }> {
  const sandbox = await startSandbox({ world, day, ...(alter ? { alter } : {}) });
  const clock = sandboxClock(day);
  const archive = await openStoredArchive(layout.root, store?.store, () => {});
  const fetcher = createFetcher({
    archive,
    clock,
    sandboxUrl: sandbox.url,
    secrets: { ...SANDBOX_SECRETS, ...secrets },
    limits: { retries: 1, backoffMs: 5 },
  });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => sandbox.close());
  cleanup.defer(() => fetcher.close());
  const result = await run({
    layout,
    clock,
    dataClock: 'sandbox',
    archive,
    fetcher,
    sources: (await loadSources()).map(changed),
    due: (spec) =>
      (browser || spec.name !== IN_A_BROWSER) &&
      (typeof only === 'function' ? only(spec) : (only?.includes(spec.name) ?? true)),
    ...(models ? { models } : tables ? { models: await modelsOf(tables, empty) } : {}),
    ...(assumptions ? { assumptions } : {}),
    ...(soldLeads ? { soldLeads } : {}),
    store,
    tablesUrl: store ? undefined : TABLES_URL,
    progress: { line: onLine, step: onStep },
  });
  return { ...result, truth: sandbox.day };
}

/** SQL of the rows of a published table, as people read it. */
export async function shownRows(layout: Layout, runId: string, table: string): Promise<string> {
  const { tables } = await readManifest(layout, runId);
  const marts = await loadMarts();
  const rowsOfTable = (name: string): string =>
    rowsOfFiles(
      tables[name]?.files.map(({ file }) => join(layout.snapshot(runId), file)) ?? [],
      marts.find((mart) => mart.name === name)?.contract.record.key ?? [],
    );
  const shown = marts.find(({ name }) => name === table)?.contract.publish.parts?.shown;
  if (!shown) return `FROM ${rowsOfTable(table)}`;
  return `WITH agents AS (FROM ${rowsOfTable('agents')}) ${shown.sql(rowsOfTable(table))}`;
}

/** Rows of a published table, in JSON form. */
export async function published(
  layout: Layout,
  runId: string,
  table: string,
  rest = '',
): Promise<Record<string, unknown>[]> {
  const rows = await shownRows(layout, runId, table);
  await using duck = closing(await openSmall());
  return await rowsOf(duck.connection, `SELECT * FROM (${rows}) ${rest}`);
}

/** SHA-256 of each published Parquet file, as the manifest states it. */
export const hashesOf = (result: Pick<RunResult, 'manifest'>): Record<string, string> =>
  Object.fromEntries(Object.entries(result.manifest?.tables ?? {}).map(([name, table]) => [name, hashOf(table)]));

/** Hashes of the tables but the changes, which lead from the snapshot that a repeated run replaces. */
export const withoutChanges = (result: Pick<RunResult, 'manifest'>): Record<string, string> =>
  Object.fromEntries(Object.entries(hashesOf(result)).filter(([name]) => !name.startsWith('change')));
