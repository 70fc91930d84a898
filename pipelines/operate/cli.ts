/** Command line of the operator: `node pipelines/operate/cli.ts schedule`, `job`, `watch` or `prune`. */
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { loadSources } from '../../sources/index.ts';
import { failureOf } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { say } from '../../lib/output.ts';
import { soldSnapshots } from './earnings.ts';
import { policyOf, prune } from './prune.ts';
import { jobNamed, keepSettings, logOf, makeUpMissed, runJob, settingsFile, type Outcome } from './run_job.ts';
import { JOBS, nextSlot } from './jobs.ts';
import { install, placeOf, printed, schedulerOfMachine } from './schedule.ts';
import { alertSettings, operatorSettings, retentionSettings } from './settings.ts';
import { tell } from './tell.ts';

/** Settings that belong to one call and not to the schedule. */
const OF_ONE_CALL: ReadonlySet<string> = new Set(['DATA_DIR', 'SANDBOX_URL', 'SOURCES']);

/** What scheduled runs are to know: the settings that are set now, secrets of sources among them. */
async function settingsNow(): Promise<Record<string, string>> {
  const secrets = (await loadSources()).flatMap((s) => s.secrets ?? []);
  const names = [
    ...new Set([
      ...Object.keys(pipelineSettings.shape),
      ...Object.keys(alertSettings.shape),
      'WAIT_MINUTES',
      ...secrets,
    ]),
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === '' || OF_ONE_CALL.has(name) ? [] : [[name, value]];
    }),
  );
}

async function scheduleCommand(): Promise<number> {
  const settings = readSettings(operatorSettings);
  // A wrong one is found now and not at five in the morning.
  const { LIVE, CONTACT } = readSettings(pipelineSettings);
  if (LIVE && CONTACT === undefined)
    throw new SettingError(
      'CONTACT is null, expected an address or URL where site owners reach you: it goes into the user agent of LIVE=1',
    );
  const scheduler = settings.SCHEDULER ?? schedulerOfMachine();
  const place = placeOf(settings.DATA_DIR);
  const kept = await settingsNow();
  if (!settings.INSTALL) {
    for (const line of printed(scheduler, place)) say(line);
    say(`# Next times: ${JOBS.map((job) => `${job.name} ${timeOf(nextSlot(job, new Date()))}`).join(', ')}.`);
    say(
      `# Settings of these runs: ${Object.keys(kept).join(', ') || 'none but the defaults'}. Nothing was installed; INSTALL=1 installs it and keeps them in ${settingsFile(place.dataDir)}.`,
    );
    return 0;
  }
  await keepSettings(place.dataDir, kept);
  for (const line of await install(scheduler, place)) say(line);
  say(
    `settings of these runs (${Object.keys(kept).join(', ') || 'none but the defaults'}) are in ${settingsFile(place.dataDir)}, readable by you alone`,
  );
  return 0;
}

/** Settings that `make schedule` kept; what the caller sets himself wins. @returns false where there are none */
function loadKeptSettings(dataDir: string): boolean {
  try {
    process.loadEnvFile(settingsFile(dataDir));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
  return true;
}

/** What of a job is worth a line of the watch. A failure has told its own. */
const SAID: Readonly<Record<Outcome, string | null>> = {
  done: 'was missed or had failed, and is done now',
  failed: null,
  already_done: null,
  tried_lately: null,
  given_up: null,
};

/** An instant as the machine's clock shows it. */
const timeOf = (at: Date): string => at.toLocaleString('sv-SE').slice(0, 16);

async function jobCommand(): Promise<number> {
  const { DATA_DIR, JOB } = readSettings(operatorSettings);
  const job = jobNamed(JOB);
  loadKeptSettings(DATA_DIR);
  const outcome = await runJob(job, { dataDir: DATA_DIR, say });
  // Cron sends a mail for every line: only a person is told that all is well.
  if (process.stdout.isTTY && outcome === 'done')
    say(`job ${job.name} done; its output is in ${logOf(DATA_DIR, job.name)}`);
  else if (process.stdout.isTTY && outcome !== 'failed')
    say(
      `job ${job.name}: nothing to do (${outcome.replaceAll('_', ' ')}); its next time is ${timeOf(nextSlot(job, new Date()))}`,
    );
  return outcome === 'failed' ? 1 : 0;
}

async function watchCommand(): Promise<number> {
  const { DATA_DIR } = readSettings(operatorSettings);
  // Where nobody installed a schedule there is nothing that could have been missed.
  const outcomes = loadKeptSettings(DATA_DIR)
    ? await makeUpMissed({ dataDir: DATA_DIR, say })
    : new Map<string, Outcome>();
  if (outcomes.size === 0)
    say(`no schedule is installed for ${DATA_DIR} (make schedule INSTALL=1): nothing is made up, trouble is told`);
  for (const [job, outcome] of outcomes) if (SAID[outcome] !== null) say(`job ${job}: ${SAID[outcome]}`);
  await tell(layoutOf(DATA_DIR), say);
  return [...outcomes.values()].includes('failed') ? 1 : 0;
}

async function pruneCommand(): Promise<number> {
  const settings = readSettings(retentionSettings);
  const sold = settings.KEEP_SOLD ? await soldSnapshots(readSettings(pipelineSettings)) : new Set<string>();
  const { lines } = await prune(layoutOf(settings.DATA_DIR), policyOf(settings), { applying: settings.APPLY, sold });
  for (const line of lines) say(line);
  return 0;
}

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  schedule: scheduleCommand,
  job: jobCommand,
  watch: watchCommand,
  prune: pruneCommand,
};

try {
  const [name = '', ...rest] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (!command || rest.length > 0)
    throw new SettingError(
      `command is ${JSON.stringify([name, ...rest].join(' '))}, expected ${Object.keys(COMMANDS).join(', ')}`,
    );
  process.exitCode = await command();
} catch (error) {
  process.stderr.write(
    `${error instanceof LedgerUnavailable ? error.message : failureOf(error, process.env['DATA_DIR'] || 'data')}\n`,
  );
  process.exitCode = 1;
}
