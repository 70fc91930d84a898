/**
 * `make schedule`: runs scheduled jobs and sends alerts until it is stopped. Each job runs once per slot; a missed slot
 * or a failed run is retried a few times, an hour apart, to spare the sites. The jobs take their settings from the
 * environment of this process.
 */
import { spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { runCommand } from '../../lib/command.ts';
import { readJson, writeWhole } from '../../lib/files.ts';
import { print } from '../../lib/output.ts';
import { isPlaceholder } from '../../lib/placeholders.ts';
import { pipelineSettings, readSettings, SettingError } from '../../lib/settings.ts';
import { failureText } from '../failure.ts';
import { layoutOf } from '../layout.ts';
import { sendAlerts } from './alerts.ts';
import { JOBS, lastSlot, nextSlot, type Job } from './schedule.ts';
import { operatorSettings } from './settings.ts';

const MINUTE_MS = 60_000;
const MAX_ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 50 * MINUTE_MS;
/** WAIT_MINUTES of a scheduled run. */
const WAIT_MINUTES = '240';
/** Lines of a failed job's log that are printed. */
const TAIL_LINES = 20;
/** Rounds between two alerts: problems of the current hour are reported once. */
const ALERTS_EVERY = 60;
const PROJECT = join(import.meta.dirname, '../..');

const State = z.object({
  slot: z.iso.datetime(),
  attempts: z.int().min(0),
  last_attempt: z.iso.datetime(),
  done: z.boolean(),
});

export type Outcome = 'done' | 'failed' | 'already_done' | 'tried_lately' | 'given_up';

/** Runs a job with its output in a log file. @returns its exit status */
export type JobRunner = (job: Job, log: string, env: NodeJS.ProcessEnv) => Promise<number>;

export interface JobOptions {
  readonly dataDir: string;
  readonly print: (line: string) => void;
  readonly now?: Date;
  readonly runner?: JobRunner | undefined;
}

/** Arguments of Node, and settings, for a job. The scheduler starts programs itself, without make. */
export function commandOf({ name, reads }: Job): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  if (name === 'prune') return { args: ['pipelines/operate/prune.ts'], env: { APPLY: '1' } };
  const run = ['sandbox/around.ts', process.execPath, 'pipelines/commands/cli.ts', 'run'];
  return { args: run, env: { SOURCES: reads.length === 0 ? 'none' : reads.join(',') } };
}

const spawnJob: JobRunner = async (job, log, env) => {
  await using output = await open(log, 'w');
  return await new Promise<number>((resolve, reject) => {
    spawn(process.execPath, commandOf(job).args, { cwd: PROJECT, env, stdio: ['ignore', output.fd, output.fd] })
      .on('error', reject)
      .on('exit', (code) => {
        resolve(code ?? 1);
      });
  });
};

/** Run a job if its last slot is not done. */
export async function runJob(
  job: Job,
  { dataDir, print: tell, now = new Date(), runner = spawnJob }: JobOptions,
): Promise<Outcome> {
  const folder = join(dataDir, 'schedule');
  const stateFile = join(folder, `${job.name}.json`);
  const slot = lastSlot(job, now).toISOString();
  const { data } = State.safeParse(await readJson(stateFile));
  const before = data?.slot === slot ? data : null;
  if (before?.done) return 'already_done';
  const attempts = (before?.attempts ?? 0) + 1;
  if (attempts > MAX_ATTEMPTS) return 'given_up';
  if (before && now.getTime() - Date.parse(before.last_attempt) < BETWEEN_ATTEMPTS_MS) return 'tried_lately';
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const attempt: z.infer<typeof State> = { slot, attempts, last_attempt: now.toISOString(), done: false };
  // Written first: a killed attempt counts, and a second scheduler sees it.
  await writeWhole(stateFile, `${JSON.stringify(attempt)}\n`);
  const log = join(folder, `${job.name}.log`);
  const status = await runner(job, log, { WAIT_MINUTES, ...process.env, ...commandOf(job).env, DATA_DIR: dataDir });
  if (status === 0) {
    await writeWhole(stateFile, `${JSON.stringify({ ...attempt, done: true })}\n`);
    return 'done';
  }
  tell(`job ${job.name} failed with exit status ${status}, attempt ${attempts} of ${MAX_ATTEMPTS}; the end of ${log}:`);
  const tail = (await readFile(log, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-TAIL_LINES);
  for (const line of tail) tell(`  ${line}`);
  return 'failed';
}

export interface SchedulerOptions extends Pick<JobOptions, 'dataDir' | 'runner'> {
  readonly signal: AbortSignal;
  /** Called between two rounds. Default: waits a minute. */
  readonly wait?: (signal: AbortSignal) => Promise<void>;
  readonly now?: () => Date;
}

const waitMinute = async (signal: AbortSignal): Promise<void> => {
  await pause(MINUTE_MS, undefined, { signal }).catch(() => undefined);
};

/** Every minute run the jobs whose time has come, one after the other; every hour send alerts. */
export async function keepSchedule(options: SchedulerOptions): Promise<void> {
  const { dataDir, signal, wait = waitMinute, now = (): Date => new Date(), runner } = options;
  for (let round = 0; !signal.aborted; round += 1) {
    const at = now();
    let hasRun = false;
    for (const job of JOBS) {
      const outcome = await runJob(job, { dataDir, print, now: at, runner });
      if (outcome === 'done') print(`job ${job.name}: done`);
      hasRun ||= outcome === 'done' || outcome === 'failed';
    }
    if (hasRun || round % ALERTS_EVERY === 0) await sendAlerts(layoutOf(dataDir), print);
    await wait(signal);
  }
}

/** A time on the machine's clock. */
const localTime = (at: Date): string => at.toLocaleString('sv-SE').slice(0, 16);

async function main(): Promise<number> {
  const { DATA_DIR, LIVE, CONTACT } = readSettings(pipelineSettings);
  if (LIVE && CONTACT === undefined)
    throw new SettingError('CONTACT is not set, expected an address or URL where site owners reach you');
  const { ALERT_COMMAND } = readSettings(operatorSettings);
  if (ALERT_COMMAND === undefined || isPlaceholder(ALERT_COMMAND))
    throw new SettingError(
      `ALERT_COMMAND is ${ALERT_COMMAND === undefined ? 'not set' : 'an example'}: problems would reach ` +
        "nobody. Expected a command such as 'node deploy/alert.ts mailto:you@your.domain', or an https address of " +
        'Slack, Discord or Mattermost in its place (docs/operating.md#alerts)',
    );
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // A run that is in progress ends with the scheduler; the next one continues from its archived pages.
      if (stopping.signal.aborted) process.exit(1);
      stopping.abort();
    });
  print(`scheduler: jobs of ${DATA_DIR}; missed jobs run now, then:`);
  for (const job of JOBS) print(`  ${job.name.padEnd(11)}${localTime(nextSlot(job, new Date()))}`);
  await keepSchedule({ dataDir: DATA_DIR, signal: stopping.signal });
  return 0;
}

if (import.meta.main) await runCommand(main, failureText);
