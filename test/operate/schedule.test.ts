/** The declared schedule, and the daemon that keeps it: a job runs once per slot, and is retried when it fails. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY_MS } from '../../lib/time.ts';
import { loadSources } from '../../sources/index.ts';
import { JOBS, nextReadOn, nextSlot, type Job } from '../../pipelines/operate/schedule.ts';
import { commandOf, keepSchedule, runJob, type Outcome } from '../../pipelines/operate/scheduler.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const jobNamed = (name: string): Job => JOBS.find((each) => each.name === name) ?? assert.fail(name);
const at = (day: string, time = '12:00'): Date => new Date(`${day}T${time}:00`);
const localDay = (d: Date): string => new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/** Slots of a job from one day on, by its own arithmetic. */
function slots(job: Job, from: Date, n: number): Date[] {
  const found: Date[] = [];
  for (let now = from; found.length < n; now = found.at(-1) ?? now) found.push(nextSlot(job, now));
  return found;
}

describe('the days of the schedule', () => {
  test('Ohio is read on the second Saturday of each month', () => {
    assert.deepEqual(slots(jobNamed('ohio'), at('2026-11-01'), 6).map(localDay), [
      '2026-11-14',
      '2026-12-12',
      '2027-01-09',
      '2027-02-13',
      '2027-03-13',
      '2027-04-10',
    ]);
  });

  test('underwriting is every two days also where a month has 31 days, and the others every day', () => {
    const days = slots(jobNamed('underwrite'), at('2026-12-27'), 5).map((d) => Date.parse(localDay(d)) / DAY_MS);
    assert.deepEqual(
      days.slice(1).map((d, i) => d - (days[i] ?? 0)),
      [2, 2, 2, 2],
    );
    for (const name of ['daily', 'colorado'])
      assert.deepEqual(slots(jobNamed(name), at('2026-12-30'), 3).map(localDay), [
        '2026-12-31',
        '2027-01-01',
        '2027-01-02',
      ]);
  });

  test('every source on the web has a job, and is due again within its interval and the month', async () => {
    for (const spec of await loadSources()) {
      assert.ok(
        JOBS.some((j) => j.reads.includes(spec.name) || j.reads.includes(spec.family)),
        spec.name,
      );
      const next = nextReadOn(
        { source: spec.name, family: spec.family, last_good_at: '2026-11-20T12:00:00Z' },
        spec.readEveryDays ?? spec.everyDays,
        '2026-11-20',
      );
      assert.ok(
        next > '2026-11-20' && Date.parse(next) - Date.parse('2026-11-20') <= spec.everyDays * DAY_MS,
        `${spec.name} ${next}`,
      );
    }
    assert.equal(
      nextReadOn({ source: 'ohio_sos', family: 'register', last_good_at: '2026-11-14T12:00:00Z' }, 7, '2026-11-20'),
      '2026-12-12',
    );
    assert.equal(nextReadOn({ source: 'x', family: 'tax', last_good_at: null }, 1, '2026-11-20'), '2026-11-20');
  });
});

describe('a job', () => {
  const daily = jobNamed('daily');
  async function doing(outcomes: readonly number[]) {
    const dataDir = memoryFolder('dealfeed-job-');
    const done: string[] = [];
    const runner = async (job: Job, log: string): Promise<number> => {
      const status = outcomes[done.length] ?? 0;
      done.push(job.name);
      await writeFile(log, `line one\nwhat went wrong\n`);
      return status;
    };
    const said: string[] = [];
    const run = (now: Date): Promise<Outcome> => runJob(daily, { dataDir, print: (l) => said.push(l), now, runner });
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

  test('starts its program, with the output in its log', async () => {
    const { dataDir, said } = await doing([]);
    const tell = (line: string): void => void said.push(line);
    assert.equal(await runJob(jobNamed('prune'), { dataDir, print: tell }), 'done', said.join('\n'));
    assert.match(await readFile(join(dataDir, 'schedule', 'prune.log'), 'utf8'), /^removed: 0 of 0 snapshots/mu);
    for (const each of JOBS)
      for (const path of commandOf(each).args) if (path.endsWith('.ts')) assert.ok(existsSync(path));
  });
});

test('the scheduler runs each job once when its time has come, and ends when it is stopped', async () => {
  const dataDir = memoryFolder('dealfeed-scheduler-');
  const stopping = new AbortController();
  const ran: string[] = [];
  const times = ['2026-11-23T05:00', '2026-11-23T05:09', '2026-11-23T05:10', '2026-11-23T05:11', '2026-11-24T05:10'];
  let round = 0;
  await keepSchedule({
    dataDir,
    signal: stopping.signal,
    now: () => new Date(`${times[round] ?? ''}:00`),
    async wait() {
      round += 1;
      if (round === times.length) stopping.abort();
    },
    async runner({ name }, log) {
      ran.push(`${times[round] ?? ''} ${name}`);
      writeFileSync(log, '');
      return 0;
    },
  });
  const first = JOBS.map(({ name }) => `${times[0] ?? ''} ${name}`);
  const daily = ran.slice(first.length).filter((line) => line.endsWith('daily'));
  assert.deepEqual(ran.slice(0, first.length), first, 'a new schedule begins with everything');
  assert.deepEqual(daily, ['2026-11-23T05:10 daily', '2026-11-24T05:10 daily']);
});
