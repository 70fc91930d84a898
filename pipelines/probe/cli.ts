/**
 * `make probe SOURCE=...`: checks whether the real sites still look as the adapters expect, with a few rows each. With
 * SANDBOX_URL it probes the sandbox world instead.
 * Exit status 1 if a site differs or does not respond.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { openArchive } from '../../lib/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { hostsOf, loadSources, secretsOf } from '../../sources/index.ts';
import { liveClock } from '../clock.ts';
import { failureText } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { permissionsOf } from '../permission.ts';
import { probeSettings, probeSources } from './probe_sources.ts';

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
  const isLive = settings.SANDBOX_URL === undefined;
  if (isLive && settings.CONTACT === undefined)
    throw new SettingError(
      'CONTACT is not set, expected an address or URL where site owners reach you: it goes into the user agent',
    );
  const all = await loadSources();
  const wanted = chosenSources(all, SOURCE).filter(({ terms }) => !isLive || terms.basis !== 'sandbox_only');
  const { mayFetch } = permissionsOf(all, { LIVE: isLive, PERMITTED: settings.PERMITTED });
  // The pages belong to no run, so they must not enter the archive of the data folder.
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-probe-'));
  const clock = liveClock(settings.DAY);
  const archive = await openArchive(folder);
  const fetcher = createFetcher({
    archive,
    clock,
    secrets: secretsOf(all),
    hosts: hostsOf(all),
    onNoNetwork: print,
    limits: { retries: 1 },
    sandboxUrl: settings.SANDBOX_URL,
    chromiumPath: settings.CHROMIUM_PATH,
    contact: settings.CONTACT,
  });
  try {
    const layout = layoutOf(settings.DATA_DIR, settings.DROP_DIR);
    const isWell = await probeSources({ fetcher, clock, layout, wanted, mayFetch, print });
    return isWell ? 0 : 1;
  } finally {
    await fetcher.close();
    await archive.close();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  // From the environment, because the settings may be the error.
  process.stderr.write(`${failureText(error, process.env['DATA_DIR'] || 'data')}\n`);
  process.exitCode = 1;
}
