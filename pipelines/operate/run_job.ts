/**
 * Doing what the schedule says: a job is done once for each of its slots. A slot that was missed, or whose run
 * failed, is tried again from the hourly watch: a few times, with an hour between, so that no site is pestered.
 */
import { spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../../lib/files.ts';
import { SettingError } from '../../lib/settings.ts';
import { JOBS, lastSlot, type Job } from './jobs.ts';

const MOST_ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 50 * 60_000;
/** What a scheduled run waits for another one, in minutes. */
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
export const logOf = (dataDir: string, job: string): string => join(folderOf(dataDir), `${job}.log`);
const stateOf = (dataDir: string, job: string): string => join(folderOf(dataDir), `${job}.json`);

/** @throws SettingError naming the jobs there are */
export function jobNamed(name: string | undefined): Job {
  const job = JOBS.find((j) => j.name === name);
  if (!job)
    throw new SettingError(
      `JOB is ${JSON.stringify(name ?? null)}, expected one of ${JOBS.map((j) => j.name).join(', ')}`,
    );
  return job;
}

/** Keep the settings that scheduled runs are to have. Only this user may read them: a token may be among them. */
export async function keepSettings(dataDir: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => {
    const quote = ['"', "'", '`'].find((q) => !value.includes(q) && !(q === '"' && value.includes('\\')));
    if (quote === undefined || value.includes('\n'))
      throw new SettingError(
        `${name} is ${JSON.stringify(value)}, expected a value of one line without every kind of quotation mark`,
      );
    return `${name}=${quote}${value}${quote}\n`;
  });
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  await writeWhole(settingsFile(dataDir), lines.join(''));
  const handle = await open(settingsFile(dataDir), 'r');
  try {
    await handle.chmod(0o600);
  } finally {
    await handle.close();
  }
}

/** What runs a job's make target, its output into a file. @returns its exit status */
export type Doer = (job: Job, log: string, env: NodeJS.ProcessEnv) => Promise<number>;

const byMake: Doer = async (job, log, env) => {
  const output = await open(log, 'w');
  try {
    return await new Promise<number>((done, failed) => {
      spawn('make', ['--no-print-directory', job.name], {
        cwd: join(import.meta.dirname, '../..'),
        env,
        stdio: ['ignore', output.fd, output.fd],
      })
        .on('error', failed)
        .on('exit', (code) => {
          done(code ?? 1);
        });
    });
  } finally {
    await output.close();
  }
};

export interface JobOptions {
  readonly dataDir: string;
  readonly say: (line: string) => void;
  readonly now?: Date;
  readonly doer?: Doer;
}

/** Do a job if its last slot has not been done. */
export async function runJob(
  job: Job,
  { dataDir, say, now = new Date(), doer = byMake }: JobOptions,
): Promise<Outcome> {
  const slot = lastSlot(job, now).toISOString();
  const known = State.safeParse(await readJson(stateOf(dataDir, job.name)));
  const before: State =
    known.success && known.data.slot === slot
      ? known.data
      : { slot, attempts: 0, last_attempt: new Date(0).toISOString(), done: false };
  if (before.done) return 'already_done';
  if (before.attempts >= MOST_ATTEMPTS) return 'given_up';
  if (now.getTime() - Date.parse(before.last_attempt) < BETWEEN_ATTEMPTS_MS) return 'tried_lately';
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const attempt: State = { slot, attempts: before.attempts + 1, last_attempt: now.toISOString(), done: false };
  // Noted before it begins: an attempt that is killed counts as one, and a second caller leaves meanwhile.
  await writeWhole(stateOf(dataDir, job.name), `${JSON.stringify(attempt)}\n`);
  const log = logOf(dataDir, job.name);
  const status = await doer(job, log, { WAIT_MINUTES, ...process.env, DATA_DIR: dataDir });
  if (status === 0) {
    await writeWhole(stateOf(dataDir, job.name), `${JSON.stringify({ ...attempt, done: true })}\n`);
    return 'done';
  }
  const tail = (await readFile(log, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-TAIL_LINES);
  say(
    `job ${job.name} failed with exit status ${status}, attempt ${attempt.attempts} of ${MOST_ATTEMPTS}; the end of ${log}:`,
  );
  for (const line of tail) say(`  ${line}`);
  return 'failed';
}

/** Do every job whose last slot has not been done, one after the other. @returns what became of each */
export async function makeUpMissed(options: JobOptions): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const job of JOBS) outcomes.set(job.name, await runJob(job, options));
  return outcomes;
}
