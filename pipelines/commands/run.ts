/** `make run`: checks the settings, then runs the pipeline and prints its summary. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, whyNotWritable } from '../../lib/files.ts';
import { print } from '../../lib/output.ts';
import {
  pipelineSettings,
  readSettings,
  SANDBOX_DAY,
  SettingError,
  type PipelineSettings,
} from '../../lib/settings.ts';
import type { Store } from '../../lib/store/store.ts';
import { assumptionsWith } from '../../models/assumptions/overrides.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { hostsOf, loadSources, secretsOf } from '../../sources/index.ts';
import { FAMILIES } from '../../sources/kinds.ts';
import { liveClock, sandboxClock } from '../clock.ts';
import type { HostJobs } from '../jobs/send.ts';
import { layoutOf, STOPPED, type Layout } from '../layout.ts';
import { SOURCE_GROUPS } from '../operate/schedule.ts';
import { writeArguments } from '../operate/settings.ts';
import { missingPermissions, permissionsOf } from '../permission.ts';
import { lineProgress, type Progress } from '../progress.ts';
import { holdFolder } from '../run/lock.ts';
import { removePartialFiles } from '../run/partial_files.ts';
import { dueByCadence } from '../run/read_sources.ts';
import { run } from '../run/run.ts';
import { bestDeals, formatEnd } from '../run/summary.ts';
import { currentSnapshot } from '../snapshots.ts';
import { checkLedger, noLedgerYet, soldLeads } from '../sold_leads.ts';
import { openRunStore } from '../store/run_store.ts';
import { openStoredArchive } from '../store/folder.ts';
import { printLines } from '../format.ts';

/** The sources that SOURCES chooses, by name, family or group. @throws SettingError naming an unknown one */
function chooseSources(all: readonly SourceSpec[], wanted: string | undefined): (spec: SourceSpec) => boolean {
  if (wanted === undefined) return () => true;
  if (wanted === 'none') return () => false;
  const given = wanted.split(',').map((word) => word.trim());
  const words = given.filter(Boolean).flatMap((word) => SOURCE_GROUPS.get(word) ?? [word]);
  const refuse = (expected: string): never => {
    throw new SettingError(`SOURCES is ${JSON.stringify(wanted)}, expected names or families of sources${expected}`);
  };
  if (words.length === 0) refuse(', or none');
  const known = [...SOURCE_GROUPS.keys(), ...FAMILIES, ...all.map((source) => source.name)];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    const similar = known.filter((name) => name.startsWith(unknown.slice(0, 5)) || name.includes(unknown));
    const advice =
      similar.length > 0 ? `Similar: ${similar.slice(0, 5).join(', ')}` : `Families: ${FAMILIES.join(', ')}`;
    refuse(`: ${unknown} is neither. ${advice}. docs/sources.md lists all.`);
  }
  return (spec) => words.includes(spec.name) || words.includes(spec.family);
}

/** Check settings that depend on each other. */
function checkSettings({ LIVE, DAY, CONTACT, SANDBOX_URL, QUEUE, STORE }: PipelineSettings): void {
  const refuse = (why: string): never => {
    throw new SettingError(why);
  };
  if (LIVE && DAY !== undefined)
    refuse(`DAY is ${JSON.stringify(DAY)}, expected none with LIVE=1: the web shows today only`);
  if (LIVE && CONTACT === undefined)
    refuse('CONTACT is not set, expected an address or URL where site owners reach you: it goes into the user agent');
  if (!LIVE && SANDBOX_URL === undefined)
    refuse(
      'SANDBOX_URL is not set, expected the address of a running sandbox world: start with make run, or read the web ' +
        'with LIVE=1',
    );
  if (QUEUE !== undefined && STORE === undefined)
    refuse('STORE is not set, expected a bucket or a folder: with QUEUE, workers send what they read there');
}

/** Folders of the drop folder without a source: the files of a misspelled name would never be read. */
async function unknownDropFolders(drop: string, all: readonly SourceSpec[]): Promise<string[]> {
  const names = await namesIn(drop).catch((error: NodeJS.ErrnoException) => {
    const code = error.code ?? String(error);
    throw new SettingError(`the drop folder is ${JSON.stringify(drop)}, expected a readable folder: ${code}`);
  });
  return names.filter((name) => !name.startsWith('.') && !all.some((source) => source.name === name)).sort();
}

/** What LIVE=1 has, and has not, without a source of the operator's own. */
const NO_LISTINGS =
  'No source of listings on the real web is included, because none may be resold without a contract of yours. ' +
  "Deals come from what you add: brokers' lists in the drop folder (operator_files), an MLS feed, or the pages of a " +
  'broker who agrees (docs/adding-listings.md). Signals, auctions, leads and registers need nothing.';

/** The settings of a sandbox world. Another DAY is a later day of the same world. */
const worldOf = ({ SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS }: PipelineSettings): string =>
  `SEED=${SEED} LISTINGS=${LISTINGS} PARCELS=${PARCELS} AUCTIONS=${AUCTIONS} FILINGS=${FILINGS}`;

/** With QUEUE: how long a run waits without any worker before it ends with exit status 2. */
const NO_WORKER_MS = 10 * 60_000;

const printWrapped = (text: string): void => printLines([text]);

/**
 * On Ctrl-C note that the operator stopped the run, print what it has saved, then end by the signal, as without a
 * listener.
 * @param runFolder its folder; null before the run began
 * @returns a function that removes the listener
 */
function explainInterrupt(progress: Progress, runFolder: () => string | null): () => void {
  const stop = (): void => {
    progress.done();
    const folder = runFolder();
    if (folder !== null) writeFileSync(join(folder, STOPPED), '');
    printWrapped(
      'Stopped. The next run of this day continues from the pages read so far. make status shows what is published.',
    );
    process.off('SIGINT', stop);
    process.kill(process.pid, 'SIGINT');
  };
  process.on('SIGINT', stop);
  return () => process.off('SIGINT', stop);
}

/** A missing ledger, and drop folders that no source reads. */
async function noticesBefore(
  settings: PipelineSettings,
  layout: Layout,
  all: readonly SourceSpec[],
): Promise<readonly string[]> {
  const unknown = await unknownDropFolders(layout.drop, all);
  // Without a snapshot or on made-up data, nothing is sold that another ledger could know of.
  const isSelling = settings.LIVE && (await currentSnapshot(layout)) !== null;
  return [
    ...(isSelling ? noLedgerYet(settings) : []),
    ...unknown.map((name) => `not read: ${name} in the drop folder: no source has this name`),
  ];
}

/** @returns the exit status */
export async function makeRun(): Promise<number> {
  const settings = readSettings(pipelineSettings);
  const { WAIT_MINUTES } = readSettings(writeArguments);
  checkSettings(settings);
  const assumptions = assumptionsWith(settings.ASSUMPTIONS_FILE);
  const all = await loadSources();
  const isChosen = chooseSources(all, settings.SOURCES);
  const permissions = permissionsOf(all, settings);
  const clock = settings.LIVE ? liveClock() : sandboxClock(settings.DAY ?? SANDBOX_DAY);
  const layout = layoutOf(settings.DATA_DIR, settings.DROP_DIR);
  const why = await whyNotWritable(settings.DATA_DIR);
  if (why !== null)
    throw new SettingError(`DATA_DIR is ${JSON.stringify(settings.DATA_DIR)}, expected a writable folder: ${why}`);
  await checkLedger(settings, printWrapped);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(await holdFolder(layout, WAIT_MINUTES * 60_000));
  await removePartialFiles(layout);
  const progress = lineProgress(print);
  const tell = (text: string): void => progress.line(text);
  const store = await openRunStore(settings, layout, tell);
  cleanup.defer(() => store?.close());
  const archive = await openStoredArchive(settings.DATA_DIR, store?.store, tell);
  cleanup.defer(() => archive.close());
  await archive.removeLeftovers();
  const startedMs = Date.now();
  const isDue = dueByCadence(clock.asOf);
  const sources = settings.LIVE ? all.filter((source) => source.terms.basis !== 'sandbox_only') : all;
  printWrapped(`Dealfeed: ${settings.LIVE ? 'the real web' : 'the sandbox world (made-up data)'}, day ${clock.asOf}`);
  if (settings.LIVE && sources.every(({ family, fetch }) => family !== 'listings' || !fetch)) printWrapped(NO_LISTINGS);
  for (const line of await noticesBefore(settings, layout, all)) printWrapped(line);
  for (const line of missingPermissions(sources.filter(isChosen), permissions.mayFetch)) printWrapped(line);
  let folder: string | null = null;
  const finish = explainInterrupt(progress, () => folder);
  cleanup.defer(finish);
  const secrets = secretsOf(all);
  const fetcher = createFetcher({
    archive,
    clock,
    secrets,
    onProgress: (received) => progress.received(received),
    onNoNetwork: tell,
    hosts: hostsOf(all),
    sandboxUrl: settings.LIVE ? undefined : settings.SANDBOX_URL,
    chromiumPath: settings.CHROMIUM_PATH,
    contact: settings.CONTACT,
  });
  cleanup.defer(() => fetcher.close());
  const jobs = await openJobs(settings, store?.store, secrets, tell);
  cleanup.defer(() => jobs?.close());
  cleanup.defer(() => progress.done());
  const result = await run({
    layout,
    clock,
    assumptions,
    buildMemory: settings.BUILD_MEMORY,
    tablesUrl: settings.TABLES_URL,
    dataClock: settings.LIVE ? 'live' : 'sandbox',
    sources,
    archive,
    fetcher,
    jobs,
    progress,
    store,
    ...permissions,
    soldLeads: () => soldLeads(settings),
    ...(settings.LIVE ? {} : { world: worldOf(settings) }),
    onBegin(runId) {
      folder = layout.run(runId);
    },
    due: (spec, lastGoodOn) => isChosen(spec) && (!settings.LIVE || isDue(spec, lastGoodOn)),
  });
  progress.done();
  finish();
  const best = result.manifest ? await bestDeals(join(layout.snapshot(result.runId), 'deals.parquet')) : [];
  printLines(formatEnd(result, { dataDir: layout.root, best, ms: Date.now() - startedMs }));
  return result.manifest ? 0 : 2;
}

/** The workers of a queue. */
async function openJobs(
  { QUEUE: url, LIVE, SANDBOX_URL, CONTACT: contact }: PipelineSettings,
  store: Store | undefined,
  secrets: Readonly<Record<string, string | undefined>>,
  tell: (line: string) => void,
): Promise<HostJobs | undefined> {
  if (url === undefined || store === undefined) return undefined;
  // Imported on demand: most runs have no queue, and its packages load slowly.
  const { openHostJobs } = await import('../jobs/send.ts');
  const sandboxUrl = LIVE ? undefined : SANDBOX_URL;
  return openHostJobs({ url, store, contact, sandboxUrl, secrets, print: tell, noWorkerMs: NO_WORKER_MS });
}
