/** The declared schedule, and what systemd and cron make of it. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../lib/time.ts';
import { loadSources } from '../../sources/index.ts';
import { JOBS, lastSlot, nextReadOn, nextSlot, type Job } from '../../pipelines/operate/schedule/jobs.ts';
import { jobNamed, settingsFile } from '../../pipelines/operate/schedule/run_job.ts';
import { crontabLines, mergeCrontab } from '../../pipelines/operate/schedule/crontab.ts';
import { systemdUnits } from '../../pipelines/operate/schedule/systemd.ts';
import { BARE } from '../environment.ts';
import { thorough } from '../thorough.ts';

const place = { project: '/opt/deal feed', dataDir: '/var/lib/dealfeed 100%' };
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
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

  test('an instant is between the last slot and the next, with no slot between them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...JOBS),
        fc.date({ min: at('2026-01-01'), max: at('2030-01-01'), noInvalidDate: true }),
        (job, now) => {
          const [last, next] = [lastSlot(job, now), nextSlot(job, now)];
          assert.ok(last <= now && now < next);
          assert.deepEqual(nextSlot(job, last), next);
          assert.deepEqual(lastSlot(job, next), next);
        },
      ),
      { numRuns: 500 },
    );
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

describe('as a crontab', () => {
  const lines = crontabLines(place).filter((l) => !l.startsWith('#'));
  /** Fields of a line, and its command as cron hands it to the shell. */
  const parsed = lines.map((line) => {
    const match = /^(\S+) (\S+) (\S+) (\S+) (\S+) (.+)$/.exec(line) ?? assert.fail(`cron cannot read ${line}`);
    const [, minute = '', hour = '', dom = '', month = '', dow = '', command = ''] = match;
    assert.doesNotMatch(command.replaceAll('\\%', ''), /%/, 'an unescaped % would be a line break');
    return { minute, hour, dom, month, dow, command: command.replaceAll('\\%', '%') };
  });
  const line = (job: Job) => parsed.find((l) => l.command.includes(`JOB=${job.name} `)) ?? assert.fail(job.name);

  test('a line fires at each slot of its job; on other days the job exits; Ohio fires on second Saturdays only', () => {
    const days = Array.from({ length: thorough(400, 800) }, (_, i) =>
      new Date(Date.UTC(2026, 10, 21 + i)).toISOString().slice(0, 10),
    );
    for (const job of JOBS) {
      const { minute, hour, dom, month, dow, command } = line(job);
      assert.deepEqual(
        [Number(minute), Number(hour), month, dow],
        [job.minute, job.hour, '*', '*'],
        'with a day of the week cron would take either',
      );
      const [low = 1, high = 31] = dom === '*' ? [] : dom.split('-').map(Number);
      const guard = command.split(' && ').length > 1 ? (command.split(' && ')[0] ?? '') : 'true';
      const candidates = days.filter((d) => Number(d.slice(8)) >= low && Number(d.slice(8)) <= high);
      // The guard as the shell understands it, on each of those days.
      const date = 'date() { command date -d "$DAY" "$@"; }';
      const script = `${date}; for DAY in ${candidates.join(' ')}; do if ${guard}; then echo $DAY; fi; done`;
      const fires = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
      for (const day of days.filter(job.on)) assert.ok(fires.includes(day), `${job.name} ${day}`);
      if (job.name === 'ohio') assert.deepEqual(fires, days.filter(job.on));
    }
  });

  test('an hourly watch runs the jobs that cron misses while the machine is off', () => {
    const watch = parsed.find((l) => / watch /.test(l.command)) ?? assert.fail('no watch');
    assert.deepEqual([watch.hour, watch.dom, watch.month, watch.dow], ['*', '*', '*', '*']);
  });

  test('folders with spaces and signs reach make as one word', () => {
    for (const { command } of parsed) {
      const call = command.split(' && ').at(-1) ?? '';
      const words = execFileSync('/bin/sh', ['-c', `make() { printf '%s\\n' "$@"; }; ${call}`], { encoding: 'utf8' })
        .trimEnd()
        .split('\n');
      assert.equal(words[words.indexOf('-C') + 1], place.project);
      assert.equal(words.at(-1), `DATA_DIR=${place.dataDir}`);
    }
  });

  test("installing again replaces our lines and leaves the user's own", () => {
    const own = '# mine\n0 1 * * * backup\n';
    const once = mergeCrontab(own, place);
    assert.equal(mergeCrontab(once, place), once);
    assert.ok(once.startsWith(own.trimEnd()));
    const other = mergeCrontab(once, { ...place, dataDir: '/other' });
    assert.ok(
      other.includes('begin /other') && other.includes(`begin ${place.dataDir}`),
      'another data folder has lines of its own',
    );
    assert.throws(() => mergeCrontab(once.replace(/# dealfeed end.*\n/, ''), place), /without its end/);
  });
});

test('without an installed schedule the watch runs no missed jobs', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'dealfeed-watch-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { status, stdout } = spawnSync(process.execPath, ['pipelines/operate/cli.ts', 'watch'], {
    cwd: new URL('../../', import.meta.url),
    encoding: 'utf8',
    env: { ...BARE, DATA_DIR: dataDir },
  });
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^No schedule is installed for .* \(make schedule INSTALL=1\): no job runs, alerts are sent\.$/m,
  );
});

test("INSTALL=1 writes the lines to this user's crontab; a second time changes nothing", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-crontab-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const crontab = join(folder, 'tab');
  await writeFile(crontab, '0 1 * * * backup\n');
  // Stands in for the machine's own, which belongs to whoever runs the tests.
  await writeFile(
    join(folder, 'crontab'),
    `#!/bin/sh\nif [ "$1" = -l ]; then cat ${crontab}; else cat > ${crontab}; fi\n`,
    { mode: 0o755 },
  );
  const dataDir = join(folder, 'data');
  const call = (env: Record<string, string>) =>
    spawnSync(process.execPath, ['pipelines/operate/cli.ts', 'schedule'], {
      cwd: new URL('../../', import.meta.url),
      encoding: 'utf8',
      env: { ...BARE, PATH: `${folder}:${BARE['PATH'] ?? ''}`, DATA_DIR: dataDir, SCHEDULER: 'cron', ...env },
    });
  const settings = { LIVE: '1', CONTACT: 'me@example.org', HUD_TOKEN: 'secret', SOURCES: 'tax' };
  const printed = call(settings);
  assert.deepEqual(
    [printed.status, await readFile(crontab, 'utf8')],
    [0, '0 1 * * * backup\n'],
    'printing installs nothing',
  );
  assert.doesNotMatch(printed.stdout, /secret/);
  assert.equal(call({ ...settings, INSTALL: '1' }).status, 0);
  const installed = await readFile(crontab, 'utf8');
  assert.match(installed, /^0 1 \* \* \* backup\n# dealfeed begin /);
  assert.equal(installed.match(/JOB=daily /g)?.length, 1);
  assert.doesNotMatch(installed, /secret/);
  assert.equal(
    await readFile(settingsFile(dataDir), 'utf8'),
    'LIVE="1"\nCONTACT="me@example.org"\nHUD_TOKEN="secret"\n',
    'SOURCES is of one call: each job has its own',
  );
  const bucket = { STORE: 's3://deals/feed', AWS_REGION: 'eu-central-1', AWS_SECRET_ACCESS_KEY: 'key of the bucket' };
  const { stdout } = call({ ...settings, ...bucket, INSTALL: '1' });
  assert.match(stdout, /^Not saved: AWS_SECRET_ACCESS_KEY\. Put them into ~\/\.aws\/credentials \(chmod 600\)/mu);
  assert.equal(await readFile(crontab, 'utf8'), installed, 'the second time');
  const saved = await readFile(settingsFile(dataDir), 'utf8');
  assert.ok(saved.includes('STORE="s3://deals/feed"\n') && saved.includes('AWS_REGION="eu-central-1"\n'), saved);
  assert.ok(!saved.includes('key of the bucket'));
  assert.match(
    call({ LIVE: '1' }).stderr,
    /^CONTACT is null, expected /,
    'a setting that is missing is told now and not at five in the morning',
  );
});

describe('as systemd units', { skip: hasAnalyze ? false : 'there is no systemd-analyze' }, () => {
  test('systemd finds nothing wrong with them', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-units-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const units = systemdUnits(place);
    for (const [name, content] of units) await writeFile(join(folder, name), content);
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', '--recursive-errors=no', ...[...units.keys()].map((name) => join(folder, name))],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /dealfeed-[a-z]+\.(?:service|timer):\d/, 'not even a warning');
    for (const [name, content] of units)
      if (name.endsWith('.timer')) assert.match(content, /^Persistent=true$/m, 'a missed run is made up');
  });

  test("its calendar has every slot of the jobs, and Ohio's has no other", () => {
    for (const job of JOBS) {
      const calendar =
        /^OnCalendar=(.*)$/m.exec(systemdUnits(place).get(`dealfeed-${job.name}.timer`) ?? '')?.[1] ??
        assert.fail(job.name);
      const { status, stdout, stderr } = spawnSync(
        'systemd-analyze',
        ['calendar', '--iterations=40', '--base-time=2026-11-21 12:00:00 UTC', calendar],
        { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } },
      );
      assert.equal(status, 0, stderr);
      const times = [...stdout.matchAll(/(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}):00 UTC/g)].map(
        (m) => `${m[1] ?? ''} ${m[2] ?? ''}`,
      );
      const elapsed = [...new Set(times)];
      const last = elapsed.at(-1)?.slice(0, 10) ?? '';
      const own: string[] = [];
      for (let day = Date.UTC(2026, 10, 22); day <= Date.parse(last); day += DAY_MS) {
        const d = new Date(day).toISOString().slice(0, 10);
        if (job.on(d)) own.push(`${d} ${String(job.hour).padStart(2, '0')}:${String(job.minute).padStart(2, '0')}`);
      }
      for (const slot of own) assert.ok(elapsed.includes(slot), `${job.name} ${slot}`);
      if (job.name === 'ohio') assert.deepEqual(elapsed, own);
    }
  });
});
