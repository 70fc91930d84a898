/**
 * Command line of the pipeline: `node pipelines/commands/cli.ts run`, `status` or `reparse`.
 * Exit status of a run: 0 published (with a summary of warnings, if any), 1 a wrong setting or a failure, 2 a blocking
 * audit failed, or the ledger could not say which leads are sold, or the queue could not be asked, and nothing was published. Exit status of status: as EXIT in status.ts has it.
 */
import { access, constants, mkdir, readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import {
  pipelineSettings,
  readSettings,
  reparseSettings,
  SANDBOX_DAY,
  SettingError,
  type PipelineSettings,
} from '../../lib/settings.ts';
import { assumptionsWith } from '../../models/assumptions/overrides.ts';
import { openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { createFetcher, type Progress } from '../../sources/fetch/fetcher.ts';
import { loadSources, secretsOf } from '../../sources/index.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { liveClock, sandboxClock, type Clock } from '../clock.ts';
import type { QueueProgress } from '../crawl/by_queue.ts';
import { inThisProcess, type Crawler } from '../crawl/crawler.ts';
import { QueueUnavailable } from '../crawl/database.ts';
import { failureOf } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { removeLeftovers } from '../run/leftovers.ts';
import { holdFolder } from '../run/lock.ts';
import { operatorSettings } from '../operate/settings.ts';
import { tell } from '../operate/tell.ts';
import { say } from '../../lib/output.ts';
import { linesOf, reparse } from './reparse.ts';
import { run } from '../run/run.ts';
import { dueByCadence } from '../run/read_sources.ts';
import { checkLedger, noLedgerYet, soldLeads } from '../sold_leads.ts';
import { mayBeFetched, notPermitted } from '../permission.ts';
import { status } from './status.ts';
import { summaryOf } from '../run/summary.ts';

/** Sources chosen by name or family. @throws SettingError naming what is not known. */
export function chooseSources(all: readonly SourceSpec[], wanted: string | undefined): (spec: SourceSpec) => boolean {
  if (wanted === undefined) return () => true;
  if (wanted === 'none') return () => false;
  const words = wanted
    .split(',')
    .map((w) => w.trim())
    .filter(Boolean);
  if (words.length === 0)
    throw new SettingError(`SOURCES is ${JSON.stringify(wanted)}, expected names or families of sources, or none`);
  for (const word of words) {
    if (!all.some((s) => s.name === word || s.family === word)) {
      throw new SettingError(
        `SOURCES is ${JSON.stringify(wanted)}, expected names or families of sources: ${word} is none of ` +
          `${[...new Set([...all.map((s) => s.family), ...all.map((s) => s.name)])].join(', ')}`,
      );
    }
  }
  return (spec) => words.includes(spec.name) || words.includes(spec.family);
}

/** Settings that only make sense together. */
function checkTogether(settings: PipelineSettings): void {
  if (settings.LIVE && settings.DAY !== undefined)
    throw new SettingError(
      `DAY is ${JSON.stringify(settings.DAY)}, expected none with LIVE=1: the web shows today only`,
    );
  if (settings.LIVE && settings.CONTACT === undefined)
    throw new SettingError(
      'CONTACT is null, expected an address or URL where site owners reach you: it goes into the user agent of LIVE=1',
    );
  if (!settings.LIVE && settings.SANDBOX_URL === undefined)
    throw new SettingError(
      'SANDBOX_URL is null, expected the address of a running sandbox world: start with make run, or read ' +
        'the web with LIVE=1',
    );
}

/** @throws SettingError where nothing can be written into the data folder. */
async function checkWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new SettingError(
      `DATA_DIR is ${JSON.stringify(folder)}, expected a folder that can be written: ` +
        `${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    );
  }
}

/** Folders of the drop folder that no source is called after: a misspelt name would leave its files unread. */
async function strayFolders(drop: string, all: readonly SourceSpec[]): Promise<string[]> {
  const names = await readdir(drop).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new SettingError(
      `the drop folder is ${JSON.stringify(drop)}, expected a folder that can be read: ${error.code ?? String(error)}`,
    );
  });
  return names.filter((name) => !name.startsWith('.') && !all.some((s) => s.name === name)).sort();
}

/** The settings a sandbox world is made from; another DAY is a later day of the same world. */
const worldOf = ({ SEED, LISTINGS, PARCELS, AUCTIONS, FILINGS }: PipelineSettings): string =>
  `SEED=${SEED} LISTINGS=${LISTINGS} PARCELS=${PARCELS} AUCTIONS=${AUCTIONS} FILINGS=${FILINGS}`;

/** On a terminal one line that moves; elsewhere the line each source prints when it is read is enough. */
const showMoving = (line: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K  ${line}\r`);
};
const progress = ({ source, requests, bytes }: Progress): void => {
  showMoving(`reading ${source}: ${requests} requests, ${(bytes / 1000).toFixed(0)} kB`);
};
const queueProgress = ({ waiting, beingRead, read, workers }: QueueProgress): void => {
  showMoving(
    `${read} sources read, ${beingRead} being read, ${waiting} waiting; ${workers} worker${workers === 1 ? '' : 's'}`,
  );
};

/** Who reads the sources' pages: this process, or with QUEUE workers. */
async function crawlerOf(
  settings: PipelineSettings,
  all: readonly SourceSpec[],
  archive: Archive,
  clock: Clock,
): Promise<{ readonly crawler: Crawler; close(): Promise<void> }> {
  const sandboxUrl = settings.LIVE ? undefined : settings.SANDBOX_URL;
  const secrets = secretsOf(all);
  if (settings.QUEUE !== undefined) {
    // Most runs have no queue, and what asks one takes a while to load.
    const { openQueueCrawler } = await import('../crawl/by_queue.ts');
    const crawler = await openQueueCrawler({
      url: settings.QUEUE,
      dataDir: settings.DATA_DIR,
      archive,
      sources: all,
      contact: settings.CONTACT,
      sandboxUrl,
      secrets,
      say,
      onProgress: queueProgress,
      noWorkerMs: settings.QUEUE_WAIT_MINUTES * 60_000,
    });
    return { crawler, close: () => crawler.close() };
  }
  const fetcher = createFetcher({
    archive,
    clock,
    onProgress: progress,
    secrets,
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
    ...(settings.CHROMIUM_PATH === undefined ? {} : { chromiumPath: settings.CHROMIUM_PATH }),
    ...(settings.CONTACT === undefined ? {} : { contact: settings.CONTACT }),
  });
  return { crawler: inThisProcess(fetcher), close: () => fetcher.close() };
}

async function runCommand(): Promise<number> {
  const settings = readSettings(pipelineSettings);
  const { WAIT_MINUTES } = readSettings(operatorSettings);
  checkTogether(settings);
  const assumptions = assumptionsWith(settings.ASSUMPTIONS_FILE);
  const all = await loadSources();
  const chosen = chooseSources(all, settings.SOURCES);
  const mayFetch = mayBeFetched(all, settings);
  const clock = settings.LIVE ? liveClock() : sandboxClock(settings.DAY ?? SANDBOX_DAY);
  const layout = layoutOf(settings.DATA_DIR, settings.DROP_DIR);
  await checkWritable(settings.DATA_DIR);
  await checkLedger(settings, say);
  const letGo = await holdFolder(layout, WAIT_MINUTES * 60_000);
  await removeLeftovers(layout);
  const archive = await openArchive(settings.DATA_DIR);
  await archive.removeLeftovers();
  const { crawler, close } = await crawlerOf(settings, all, archive, clock);
  const byCadence = dueByCadence(clock.asOf);
  const sources = settings.LIVE ? all.filter((s) => s.terms.basis !== 'sandbox_only') : all;
  say(`Dealfeed: ${settings.LIVE ? 'the real web' : 'the sandbox world (made-up data)'}, day ${clock.asOf}`);
  for (const line of noLedgerYet(settings)) say(line);
  for (const name of await strayFolders(layout.drop, all))
    say(`not read: ${name} in the drop folder; it is the name of no source`);
  for (const line of notPermitted(sources, mayFetch)) say(line);
  try {
    const result = await run({
      layout,
      clock,
      assumptions,
      dataClock: settings.LIVE ? 'live' : 'sandbox',
      sources,
      archive,
      crawler,
      say,
      mayFetch,
      soldLeads: () => soldLeads(settings),
      ...(settings.LIVE ? {} : { world: worldOf(settings) }),
      due: (spec, lastGoodOn) => chosen(spec) && (!settings.LIVE || byCadence(spec, lastGoodOn)),
    });
    for (const line of summaryOf(result, settings.DATA_DIR)) say(line);
    return result.manifest ? 0 : 2;
  } finally {
    await close();
    letGo();
  }
}

/** On a terminal what is well is told by family where its lines are too few. */
async function statusCommand(): Promise<number> {
  const { DATA_DIR, JSON: json, ALL, PAYMENTS } = readSettings(operatorSettings);
  const { LEDGER, QUEUE } = readSettings(pipelineSettings);
  const { isTTY, rows, columns } = process.stdout;
  return status(layoutOf(DATA_DIR), say, {
    json,
    ledger: { DATA_DIR, LEDGER },
    payments: PAYMENTS,
    queue: QUEUE,
    colour: isTTY && process.stdout.hasColors(),
    ...(isTTY ? { columns } : {}),
    ...(isTTY && !ALL ? { lines: rows } : {}),
  });
}

/** Exit status 1 where a read could not be rebuilt. */
async function reparseCommand(): Promise<number> {
  const { DATA_DIR } = readSettings(pipelineSettings);
  const { SOURCE, SINCE, APPLY } = readSettings(reparseSettings);
  const all = await loadSources();
  const spec = all.find((s) => s.name === SOURCE);
  if (!spec)
    throw new SettingError(`SOURCE is ${JSON.stringify(SOURCE)}, expected one of ${all.map((s) => s.name).join(', ')}`);
  const layout = layoutOf(DATA_DIR);
  // Only what writes needs the folder to itself.
  const letGo = APPLY ? await holdFolder(layout) : undefined;
  try {
    const results = await reparse({
      layout,
      archive: await openArchive(DATA_DIR),
      spec,
      apply: APPLY,
      ...(SINCE === undefined ? {} : { since: SINCE }),
    });
    for (const line of linesOf(results, spec.name, APPLY)) say(line);
    return results.every((r) => r.problem === null) ? 0 : 1;
  } finally {
    letGo?.();
  }
}

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const [command, ...rest] = positionals;
  if (rest.length > 0)
    throw new SettingError(`argument is ${JSON.stringify(rest[0])}, expected nothing after ${command ?? ''}`);
  if (command === 'run') {
    const exitStatus = await runCommand();
    await tell(layoutOf(readSettings(pipelineSettings).DATA_DIR), say);
    return exitStatus;
  }
  if (command === 'status') return statusCommand();
  if (command === 'reparse') return reparseCommand();
  throw new SettingError(`command is ${JSON.stringify(command ?? null)}, expected run, status or reparse`);
}

try {
  process.exitCode = await main();
} catch (error) {
  // The folder as the settings have it, also where they are what is wrong.
  process.stderr.write(`${failureOf(error, process.env['DATA_DIR'] || 'data')}\n`);
  process.exitCode = error instanceof LedgerUnavailable || error instanceof QueueUnavailable ? 2 : 1;
  // Connections to a server that is silent stay open, and would keep us.
  if (error instanceof QueueUnavailable) process.exit();
}
