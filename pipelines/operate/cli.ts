/** Command line of the operator: `node pipelines/operate/cli.ts schedule`, `job`, `watch` or `prune`. */
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { BUCKET_KEYS, BUCKET_VARIABLES } from '../../lib/store/settings.ts';
import { loadSources } from '../../sources/index.ts';
import { failureText } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { sendAlerts } from './alerts/send.ts';
import { soldSnapshots } from './earnings.ts';
import { policyOf, prune } from './retention/prune.ts';
import { formatSchedule, install, placeOf, schedulerOfMachine } from './schedule/install.ts';
import { JOBS, nextSlot } from './schedule/jobs.ts';
import { jobNamed, logFile, runJob, runMissedJobs, saveSettings, settingsFile } from './schedule/run_job.ts';
import { alertSettings, operatorSettings, retentionSettings } from './settings.ts';

/** Settings of one call, which a schedule does not save. */
const NOT_SAVED: ReadonlySet<string> = new Set(['APPLY', 'DATA_DIR', 'EXTRA_SOURCES', 'SANDBOX_URL', 'SOURCES']);

/** The settings that are set now, including secrets of sources, for scheduled runs. */
async function settingsToSave(): Promise<Record<string, string>> {
  const secrets = (await loadSources()).flatMap((source) => source.secrets ?? []);
  const names = new Set([
    ...Object.keys(pipelineSettings.shape),
    ...Object.keys(alertSettings.shape),
    ...Object.keys(retentionSettings.shape),
    'WAIT_MINUTES',
    ...(process.env['STORE'] ? BUCKET_VARIABLES : []),
    ...secrets,
  ]);
  const values = [...names].map((name) => [name, process.env[name] ?? ''] as const);
  return Object.fromEntries(values.filter(([name, value]) => value !== '' && !NOT_SAVED.has(name)));
}

/** Report a wrong setting now, not when the job runs at night. */
function checkSettings(): void {
  const { LIVE, CONTACT } = readSettings(pipelineSettings);
  if (LIVE && CONTACT === undefined)
    throw new SettingError(
      'CONTACT is null, expected an address or URL where site owners reach you: it goes into the user agent of LIVE=1',
    );
}

/** Keys of a bucket are not saved: they would be in each backup, and rotated keys would be there twice. */
function unsavedKeys(): string[] {
  const names = process.env['STORE'] ? BUCKET_KEYS.filter((name) => process.env[name]) : [];
  return names.length === 0
    ? []
    : [
        `Not saved: ${names.join(', ')}. Put them into ~/.aws/credentials (chmod 600), or give the machine a role: ` +
          'scheduled runs read them there.',
      ];
}

async function scheduleCommand(): Promise<number> {
  const settings = readSettings(operatorSettings);
  checkSettings();
  const scheduler = settings.SCHEDULER ?? schedulerOfMachine();
  const place = placeOf(settings.DATA_DIR);
  const saved = await settingsToSave();
  const names = Object.keys(saved).join(', ') || 'only the defaults';
  if (!settings.INSTALL) {
    for (const line of formatSchedule(scheduler, place)) print(line);
    print(`# Next runs: ${JOBS.map((job) => `${job.name} ${localTime(nextSlot(job, new Date()))}`).join(', ')}.`);
    print(`# Settings of these runs: ${names}.`);
    for (const line of unsavedKeys()) print(`# ${line}`);
    print(`# Nothing was installed. INSTALL=1 installs it and saves the settings in ${settingsFile(place.dataDir)}.`);
    return 0;
  }
  await saveSettings(place.dataDir, saved);
  for (const line of await install(scheduler, place)) print(line);
  for (const line of unsavedKeys()) print(line);
  print(`settings of these runs (${names}) are in ${settingsFile(place.dataDir)}, readable by you only`);
  return 0;
}

/** Load the settings that `make schedule` saved; settings of the caller win. @returns false if there are none */
function loadSavedSettings(dataDir: string): boolean {
  try {
    process.loadEnvFile(settingsFile(dataDir));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
  return true;
}

/** A time on the machine's clock. */
const localTime = (at: Date): string => at.toLocaleString('sv-SE').slice(0, 16);

async function jobCommand(): Promise<number> {
  const { DATA_DIR, JOB } = readSettings(operatorSettings);
  const job = jobNamed(JOB);
  loadSavedSettings(DATA_DIR);
  const outcome = await runJob(job, { dataDir: DATA_DIR, print });
  // Cron mails every line, so success is printed on a terminal only.
  if (process.stdout.isTTY && outcome === 'done') print(`job ${job.name} done; log: ${logFile(DATA_DIR, job.name)}`);
  else if (process.stdout.isTTY && outcome !== 'failed') {
    const next = localTime(nextSlot(job, new Date()));
    print(`job ${job.name}: nothing to do (${outcome.replaceAll('_', ' ')}); next run ${next}`);
  }
  return outcome === 'failed' ? 1 : 0;
}

async function watchCommand(): Promise<number> {
  const { DATA_DIR } = readSettings(operatorSettings);
  const isScheduled = loadSavedSettings(DATA_DIR);
  const outcomes = isScheduled ? await runMissedJobs({ dataDir: DATA_DIR, print }) : new Map<string, never>();
  if (!isScheduled)
    print(`No schedule is installed for ${DATA_DIR} (make schedule INSTALL=1): no job runs, alerts are sent.`);
  for (const [job, outcome] of outcomes)
    if (outcome === 'done') print(`job ${job}: was missed or had failed, and is done now`);
  await sendAlerts(layoutOf(DATA_DIR), print);
  return [...outcomes.values()].includes('failed') ? 1 : 0;
}

async function pruneCommand(): Promise<number> {
  // The list of a prune by hand is what the job removes.
  loadSavedSettings(readSettings(operatorSettings).DATA_DIR);
  const settings = readSettings(retentionSettings);
  const sold = settings.KEEP_SOLD ? await soldSnapshots(readSettings(pipelineSettings)) : new Set<string>();
  const { TABLES_URL: tablesUrl } = readSettings(pipelineSettings);
  const waitMs = readSettings(operatorSettings).WAIT_MINUTES * 60_000;
  const options = { apply: settings.APPLY, sold, tablesUrl, waitMs };
  const { lines } = await prune(layoutOf(settings.DATA_DIR), policyOf(settings), options);
  for (const line of lines) print(line);
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
  const text =
    error instanceof LedgerUnavailable ? error.message : failureText(error, process.env['DATA_DIR'] || 'data');
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
