/**
 * Runs scheduled jobs: once per slot. The hourly watch retries a missed slot or a failed run a few times, an hour
 * apart, to spare the sites.
 */
import { spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { readJson, writeWhole } from '../../../lib/files.ts';
import { SettingError } from '../../../lib/settings.ts';
import { JOBS, lastSlot, type Job } from './jobs.ts';

const MAX_ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 50 * 60_000;
/** WAIT_MINUTES of a scheduled run. */
const WAIT_MINUTES = '240';
const TAIL_LINES = 20;

const State = z.object({
  slot: z.iso.datetime(),
  attempts: z.int().min(0),
  last_attempt: z.iso.datetime(),
  done: z.boolean(),
});
type State = z.infer<typeof State>;

export type Outcome = 'done' | 'failed' | 'already_done' | 'tried_lately' | 'given_up';

const folderOf = (dataDir: string): string => join(dataDir, 'schedule');
export const settingsFile = (dataDir: string): string => join(folderOf(dataDir), 'settings.env');
export const logFile = (dataDir: string, job: string): string => join(folderOf(dataDir), `${job}.log`);
const stateFile = (dataDir: string, job: string): string => join(folderOf(dataDir), `${job}.json`);

/** @throws SettingError listing the jobs */
export function jobNamed(name: string | undefined): Job {
  const job = JOBS.find((each) => each.name === name);
  if (!job) {
    const names = JOBS.map((each) => each.name).join(', ');
    throw new SettingError(`JOB is ${JSON.stringify(name ?? null)}, expected one of ${names}`);
  }
  return job;
}

/** A line of an env file. */
function envLine(name: string, value: string): string {
  const quote = ['"', "'", '`'].find((query) => !value.includes(query) && !(query === '"' && value.includes('\\')));
  if (quote === undefined || value.includes('\n'))
    throw new SettingError(
      `${name} is ${JSON.stringify(value)}, expected a value of one line without at least one of the quotation marks ` +
        '" \' `',
    );
  return `${name}=${quote}${value}${quote}\n`;
}

/** The settings that `make schedule` saved; null without a schedule. */
export async function savedSettings(dataDir: string): Promise<NodeJS.Dict<string> | null> {
  const content = await readFile(settingsFile(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return content === null ? null : parseEnv(content);
}

/** Save the settings of scheduled runs, readable by this user only: they may have a token. */
export async function saveSettings(dataDir: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => envLine(name, value));
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  await writeWhole(settingsFile(dataDir), lines.join(''));
  const handle = await open(settingsFile(dataDir), 'r');
  try {
    await handle.chmod(0o600);
  } finally {
    await handle.close();
  }
}

/** Runs a job's make target with its output in a log file. @returns its exit status */
export type JobRunner = (job: Job, log: string, env: NodeJS.ProcessEnv) => Promise<number>;

const runByMake: JobRunner = async (job, log, env) => {
  const output = await open(log, 'w');
  try {
    return await new Promise<number>((resolve, reject) => {
      spawn('make', ['--no-print-directory', job.name], {
        cwd: join(import.meta.dirname, '../../..'),
        env,
        stdio: ['ignore', output.fd, output.fd],
      })
        .on('error', reject)
        .on('exit', (code) => {
          resolve(code ?? 1);
        });
    });
  } finally {
    await output.close();
  }
};

export interface JobOptions {
  readonly dataDir: string;
  readonly print: (line: string) => void;
  readonly now?: Date;
  readonly runner?: JobRunner;
}

/** State of the job's last slot. */
async function readState(dataDir: string, job: Job, slot: string): Promise<State> {
  const read = State.safeParse(await readJson(stateFile(dataDir, job.name)));
  return read.success && read.data.slot === slot
    ? read.data
    : { slot, attempts: 0, last_attempt: new Date(0).toISOString(), done: false };
}

/** Why an attempt must not begin now; null if it may. */
function reasonToSkip(state: State, now: Date): Outcome | null {
  if (state.done) return 'already_done';
  if (state.attempts >= MAX_ATTEMPTS) return 'given_up';
  return now.getTime() - Date.parse(state.last_attempt) < BETWEEN_ATTEMPTS_MS ? 'tried_lately' : null;
}

/** Run a job if its last slot is not done. */
export async function runJob(
  job: Job,
  { dataDir, print, now = new Date(), runner = runByMake }: JobOptions,
): Promise<Outcome> {
  const slot = lastSlot(job, now).toISOString();
  const before = await readState(dataDir, job, slot);
  const skipped = reasonToSkip(before, now);
  if (skipped !== null) return skipped;
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const attempt: State = { slot, attempts: before.attempts + 1, last_attempt: now.toISOString(), done: false };
  const write = (state: State): Promise<void> => writeWhole(stateFile(dataDir, job.name), `${JSON.stringify(state)}\n`);
  // Written first: a killed attempt counts, and a second caller sees it.
  await write(attempt);
  const log = logFile(dataDir, job.name);
  const status = await runner(job, log, { WAIT_MINUTES, ...process.env, ...job.settings, DATA_DIR: dataDir });
  if (status === 0) {
    await write({ ...attempt, done: true });
    return 'done';
  }
  const attempts = `attempt ${attempt.attempts} of ${MAX_ATTEMPTS}`;
  print(`job ${job.name} failed with exit status ${status}, ${attempts}; the end of ${log}:`);
  const tail = (await readFile(log, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-TAIL_LINES);
  for (const line of tail) print(`  ${line}`);
  return 'failed';
}

/** Run every job whose last slot is not done, one after the other. @returns the outcome of each */
export async function runMissedJobs(options: JobOptions): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const job of JOBS) outcomes.set(job.name, await runJob(job, options));
  return outcomes;
}
