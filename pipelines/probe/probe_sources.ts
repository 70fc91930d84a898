/**
 * `make probe SOURCE=...`: checks whether the real sites still look as the adapters expect, with a few rows each, and
 * prints a line for each. With SANDBOX_URL it probes the sandbox world instead.
 * Exit status 1 if a site differs or does not respond.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openArchive } from '../../lib/archive.ts';
import { atOnce } from '../../lib/at_once.ts';
import { print as printLine } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { createFetcher, type Fetcher } from '../../sources/fetch/fetcher.ts';
import { hostsOf, loadSources, secretsOf } from '../../sources/index.ts';
import { liveClock, type Clock } from '../clock.ts';
import { runProgram } from '../failure.ts';
import { bytesShort } from '../format.ts';
import { standingRead } from '../ingest/reads.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { permissionsOf, whatIsMissing } from '../permission.ts';
import { hostsSay, probe, type Probe } from './probe.ts';

/** Settings of `make probe`. docs/settings.md is generated from here. */
export const probeSettings = z.object({
  SOURCE: z
    .string('the name of a source, or all')
    .min(1, 'the name of a source, or all')
    .describe('`make probe`: source to probe, several separated by commas, or all.'),
});

export interface ProbeOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly layout: Layout;
  /** Sources to probe. */
  readonly wanted: readonly SourceSpec[];
  /** Whether a source may be read from the web. */
  readonly mayFetch: (spec: SourceSpec) => boolean;
  readonly print: (line: string) => void;
}

/** Sites probed in parallel: most of a probe is waiting. */
const AT_ONCE = 6;

const WORDS = {
  as_expected: 'as expected',
  differs: 'DIFFERS',
  unavailable: 'NO ANSWER',
  not_probed: 'not probed',
} as const;

/** @returns whether every probed site is as expected */
export async function probeSources(options: ProbeOptions): Promise<boolean> {
  const { wanted, print, fetcher, clock, mayFetch } = options;
  const width = Math.max(...wanted.map(({ name }) => name.length));
  let isWell = true;
  const probeOne = async (spec: SourceSpec): Promise<void> => {
    const why = whyNotProbed(spec, mayFetch);
    const found = why === null ? await probe(fetcher, spec, clock) : null;
    const verdict = found?.verdict ?? 'not_probed';
    isWell &&= found === null || verdict === 'as_expected';
    const hosts = spec.fetch ? await hostsSay(fetcher, spec, clock) : [];
    const news = found === null ? [] : await newColumns(options, spec, found);
    const text = [found === null ? why : textOf(found), ...news, ...hosts].join('; ');
    print(`  ${spec.name.padEnd(width)}  ${WORDS[verdict].padEnd(WORDS.as_expected.length)}  ${text}`);
  };
  await atOnce(wanted, probeOne, AT_ONCE);
  return isWell;
}

/** What the operator must provide before the site can be probed; null if nothing. */
function whyNotProbed(spec: SourceSpec, mayFetch: (spec: SourceSpec) => boolean): string | null {
  if (!spec.fetch) return `it has no site to probe; put a file into the drop folder: ${spec.drop?.[0]?.about ?? ''}`;
  return mayFetch(spec) ? null : whatIsMissing(spec);
}

/** The columns that the publisher's table has now and had not at the last read. */
async function newColumns({ layout, clock }: ProbeOptions, spec: SourceSpec, found: Probe): Promise<string[]> {
  const known = (await standingRead(layout, spec.name, clock.asOf))?.columns ?? null;
  const added = known === null ? [] : (found.columns ?? []).filter((name) => !known.includes(name));
  return added.length === 0 ? [] : [`columns that the last read had not: ${added.join(', ')}`];
}

function textOf({ findings, requests, bytes, verdict, pageUrl }: Probe): string {
  const page = verdict === 'as_expected' || pageUrl === null ? '' : ` [${pageUrl}]`;
  return `${findings.join('; ')}${page} (${requests} requests, ${bytesShort(bytes)})`;
}

/** @throws SettingError naming an unknown source */
function chosenSources(all: readonly SourceSpec[], wanted: string): readonly SourceSpec[] {
  if (wanted === 'all') return all;
  return wanted.split(',').map((word) => {
    const spec = all.find(({ name }) => name === word.trim());
    if (spec) return spec;
    const names = all.map(({ name }) => name).join(', ');
    throw new SettingError(`SOURCE is ${JSON.stringify(wanted)}, expected all, or names of: ${names}`);
  });
}

async function main(): Promise<number> {
  const { SOURCE } = readSettings(probeSettings);
  const settings = readSettings(pipelineSettings);
  const { SANDBOX_URL: sandboxUrl, CHROMIUM_PATH: chromiumPath, CONTACT: contact, PERMITTED } = settings;
  const isLive = sandboxUrl === undefined;
  if (isLive && contact === undefined)
    throw new SettingError(
      'CONTACT is not set, expected an address or URL where site owners reach you: it goes into the user agent',
    );
  const all = await loadSources();
  const wanted = chosenSources(all, SOURCE).filter(({ terms }) => !isLive || terms.basis !== 'sandbox_only');
  const { mayFetch } = permissionsOf(all, { LIVE: isLive, PERMITTED });
  // The pages belong to no run, so they must not enter the archive of the data folder.
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-probe-'));
  const [clock, archive, print] = [liveClock(settings.DAY), await openArchive(folder), printLine];
  const sites = { secrets: secretsOf(all), hosts: hostsOf(all), sandboxUrl, chromiumPath, contact };
  const fetcher = createFetcher({ archive, clock, onNoNetwork: print, limits: { retries: 1 }, ...sites });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  cleanup.defer(() => archive.close());
  cleanup.defer(() => fetcher.close());
  const layout = layoutOf(settings.DATA_DIR, settings.DROP_DIR);
  return (await probeSources({ fetcher, clock, layout, wanted, mayFetch, print })) ? 0 : 1;
}

if (import.meta.main) await runProgram(main);
