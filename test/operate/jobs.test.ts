/** A scheduled job runs once per slot, is retried when it fails, and reads its settings from a private file. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { JOBS, type Job } from '../../pipelines/operate/schedule/jobs.ts';
import {
  jobNamed,
  saveSettings,
  logFile,
  runMissedJobs,
  runJob,
  settingsFile,
  type Outcome,
} from '../../pipelines/operate/schedule/run_job.ts';

const at = (day: string, time = '12:00'): Date => new Date(`${day}T${time}:00`);

describe('a job', () => {
  const daily = jobNamed('daily');
  async function doing(outcomes: readonly number[]) {
    const dataDir = await mkdtemp(join(tmpdir(), 'dealfeed-job-'));
    const done: string[] = [];
    const runner = async (job: Job, log: string): Promise<number> => {
      const status = outcomes[done.length] ?? 0;
      done.push(job.name);
      await writeFile(log, `line one\nwhat went wrong\n`);
      return status;
    };
    const said: string[] = [];
    const run = (now: Date, job = daily): Promise<Outcome> =>
      runJob(job, { dataDir, print: (l) => said.push(l), now, runner });
    return { dataDir, done, said, run, runner };
  }

  test('runs once for its slot, for any number of callers', async () => {
    const { run, done } = await doing([]);
    assert.equal(await run(at('2026-11-21', '05:10')), 'done');
    assert.equal(await run(at('2026-11-21', '09:40')), 'already_done');
    assert.equal(await run(at('2026-11-22', '05:09')), 'already_done');
    assert.equal(await run(at('2026-11-22', '05:10')), 'done');
    assert.equal(done.length, 2);
  });

  test('that was missed for days runs once at the next check', async () => {
    const { dataDir, done, runner } = await doing([]);
    const options = { dataDir, print: () => undefined, runner, now: at('2026-11-21', '12:00') };
    await runMissedJobs(options);
    assert.deepEqual(
      done,
      JOBS.map((j) => j.name),
      'a new schedule begins with everything',
    );
    const later = await runMissedJobs({ ...options, now: at('2026-12-13', '03:00') });
    assert.deepEqual(
      [...later.values()],
      JOBS.map(() => 'done'),
      'the second Saturday, 12 December, was missed too',
    );
    assert.equal(done.length, 2 * JOBS.length);
  });

  test('that fails is retried hourly, three times, then at its next slot; a failure shows its log', async () => {
    const { run, said } = await doing([1, 2, 1]);
    const clock = ['05:10', '05:40', '06:40', '07:40', '08:40', '23:40'];
    const outcomes: Outcome[] = [];
    for (const time of clock) outcomes.push(await run(at('2026-11-21', time)));
    assert.deepEqual(outcomes, ['failed', 'tried_lately', 'failed', 'failed', 'given_up', 'given_up']);
    assert.match(
      said.join('\n'),
      /job daily failed with exit status 1, attempt 1 of 3; the end of .*:\n {2}line one\n {2}what went wrong/,
    );
    assert.equal(await run(at('2026-11-22', '05:10')), 'done');
  });

  test('that was killed is tried again too', async () => {
    const { run, dataDir } = await doing([]);
    await assert.rejects(
      runJob(daily, {
        dataDir,
        print: () => undefined,
        now: at('2026-11-21', '05:10'),
        runner: () => Promise.reject(new Error('killed')),
      }),
    );
    assert.equal(await run(at('2026-11-21', '05:20')), 'tried_lately');
    assert.equal(await run(at('2026-11-21', '06:40')), 'done');
  });

  test('gets its own settings: the scheduled prune removes files', async () => {
    const { dataDir } = await doing([]);
    const given: NodeJS.ProcessEnv[] = [];
    const runner = (_: Job, __: string, env: NodeJS.ProcessEnv): Promise<number> => {
      given.push(env);
      return Promise.resolve(0);
    };
    const options = { dataDir, print: () => undefined, now: at('2026-11-21', '09:10'), runner };
    for (const job of ['prune', 'daily']) await runJob(jobNamed(job), options);
    assert.deepEqual(
      given.map((env) => [env['APPLY'], env['WAIT_MINUTES']]),
      [
        ['1', '240'],
        [undefined, '240'],
      ],
    );
  });

  test('that is unknown is named', () => {
    assert.throws(
      () => jobNamed('weekly'),
      /^SettingError: JOB is "weekly", expected one of daily, colorado, underwrite, ohio, prune$/,
    );
  });

  test('reads its settings, with any characters, from a file that only its owner can read', async () => {
    const { dataDir } = await doing([]);
    const settings = {
      CONTACT: 'me@example.org # not a comment',
      ALERT_COMMAND: 'mail -s "trouble" me | tee -a \'log\'',
      HUD_TOKEN: 'a\\b$c=d',
      LIVE: '1',
    };
    await saveSettings(dataDir, settings);
    assert.equal((await stat(settingsFile(dataDir))).mode & 0o777, 0o600);
    const shown = execFileSync(
      process.execPath,
      ['-e', `process.loadEnvFile(${JSON.stringify(settingsFile(dataDir))}); console.log(JSON.stringify(process.env))`],
      { encoding: 'utf8', env: {} },
    );
    const read = JSON.parse(shown) as Record<string, string>;
    for (const [name, value] of Object.entries(settings)) assert.equal(read[name], value, name);
    await assert.rejects(saveSettings(dataDir, { ALERT_COMMAND: '"\'`' }), /ALERT_COMMAND is /);
    assert.equal(await readFile(logFile(dataDir, 'daily'), 'utf8').catch(() => 'none'), 'none');
  });
});
