/** `make schedule`: the declared schedule as systemd timers or a crontab of this user, printed or installed. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { SettingError } from '../../lib/settings.ts';
import { JOBS } from './jobs.ts';

export type Scheduler = 'systemd' | 'cron';

export interface Place {
  /** Folder of the project. */
  readonly project: string;
  readonly dataDir: string;
}

/** Every hour: what was missed or failed is done again, and new trouble is told. */
const WATCH = { name: 'watch', about: 'what was missed or failed, and what there is to tell', minute: 40 } as const;

const has = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** What this machine has: systemd where it is the one that started it, else cron, else what could be installed. */
export function schedulerOfMachine(): Scheduler {
  if (existsSync('/run/systemd/system') && has('systemctl')) return 'systemd';
  if (has('crontab')) return 'cron';
  return has('systemctl') ? 'systemd' : 'cron';
}

/** A word for a shell. */
const quoted = (s: string): string => (/^[\w./:=@+-]+$/u.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`);
/** A word of a command in a unit: its own quoting, and % and $ are special there. */
const unitWord = (s: string): string => {
  const escaped = s.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./:=@+-]+$/u.test(s) ? s : `"${escaped}"`;
};

const words = ({ project, dataDir }: Place, target: string, job?: string): string[] => [
  'make',
  '--no-print-directory',
  '-C',
  project,
  target,
  ...(job === undefined ? [] : [`JOB=${job}`]),
  `DATA_DIR=${dataDir}`,
];

const pad = (n: number): string => String(n).padStart(2, '0');

/** Unit files by name. A service leaves by itself where its job is not due or has been done. */
export function systemdUnits(place: Place): ReadonlyMap<string, string> {
  const units = new Map<string, string>();
  const add = (name: string, about: string, command: readonly string[], calendar: string): void => {
    units.set(
      `dealfeed-${name}.service`,
      [
        '[Unit]',
        `Description=Dealfeed: ${about}`,
        'After=network-online.target',
        '',
        '[Service]',
        'Type=oneshot',
        `ExecStart=/usr/bin/env ${command.map(unitWord).join(' ')}`,
        'Nice=10',
        'TimeoutStartSec=12h',
        '',
      ].join('\n'),
    );
    units.set(
      `dealfeed-${name}.timer`,
      [
        '[Unit]',
        `Description=Dealfeed: ${about}`,
        '',
        '[Timer]',
        `OnCalendar=${calendar}`,
        '# What was missed while the machine was off is made up when it is on again.',
        'Persistent=true',
        '',
        '[Install]',
        'WantedBy=timers.target',
        '',
      ].join('\n'),
    );
  };
  for (const job of JOBS)
    add(job.name, job.about, words(place, 'job', job.name), `${job.calendar} ${pad(job.hour)}:${pad(job.minute)}:00`);
  add(WATCH.name, WATCH.about, words(place, 'watch'), `*-*-* *:${pad(WATCH.minute)}:00`);
  return units;
}

const mark = (end: 'begin' | 'end', dataDir: string): string => `# dealfeed ${end} ${dataDir}`;

/** Lines for a crontab, between marks of their own. */
export function crontabLines(place: Place): string[] {
  const command = (target: string, job?: string): string =>
    words(place, target, job).map(quoted).join(' ').replaceAll('%', '\\%');
  return [
    mark('begin', place.dataDir),
    ...JOBS.flatMap((job) => [
      `# ${job.about}`,
      `${job.minute} ${job.hour} ${job.cron.days} ${job.cron.only === undefined ? '' : `${job.cron.only} && `}${command('job', job.name)}`,
    ]),
    `# ${WATCH.about}: cron forgets what it missed while the machine was off`,
    `${WATCH.minute} * * * * ${command('watch')}`,
    mark('end', place.dataDir),
  ];
}

/** A crontab with our lines in the place of those there were; everything else stays as it is. */
export function mergedCrontab(before: string, place: Place): string {
  const lines = before.split('\n');
  const [start, end] = [lines.indexOf(mark('begin', place.dataDir)), lines.indexOf(mark('end', place.dataDir))];
  if (start < 0 !== end < 0 || end < start)
    throw new SettingError(
      `the crontab has ${JSON.stringify(mark('begin', place.dataDir))} without its end, expected both or neither: correct it with crontab -e`,
    );
  const kept = start < 0 ? lines : [...lines.slice(0, start), ...lines.slice(end + 1)];
  while (kept.at(-1) === '') kept.pop();
  return `${[...kept, ...crontabLines(place)].join('\n')}\n`;
}

function must(program: string, args: readonly string[], input?: string): string {
  const done = spawnSync(program, args, { encoding: 'utf8', ...(input === undefined ? {} : { input }) });
  if (done.error || done.status !== 0)
    throw new SettingError(
      `${program} ${args.join(' ')} failed: ${done.error?.message ?? done.stderr.trim().split('\n')[0] ?? ''}`,
    );
  return done.stdout;
}

/** Install for this user. @returns what was done, as lines @throws SettingError where the machine refuses */
export async function install(scheduler: Scheduler, place: Place): Promise<string[]> {
  if (scheduler === 'cron') {
    const listed = spawnSync('crontab', ['-l'], { encoding: 'utf8' });
    if (listed.error) throw new SettingError(`crontab cannot be run: ${listed.error.message}`);
    // Without a crontab it fails, and says so.
    if (listed.status !== 0 && !/no crontab/iu.test(listed.stderr))
      throw new SettingError(`crontab -l failed: ${listed.stderr.trim()}`);
    must('crontab', ['-'], mergedCrontab(listed.status === 0 ? listed.stdout : '', place));
    return ['installed in the crontab of this user; crontab -l shows it'];
  }
  const folder = join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'systemd', 'user');
  await mkdir(folder, { recursive: true });
  const units = systemdUnits(place);
  for (const [name, content] of units) await writeFile(join(folder, name), content);
  const found = spawnSync('systemctl', ['--user', 'daemon-reload'], { encoding: 'utf8' });
  if (found.error || found.status !== 0) {
    throw new SettingError(
      `the units are in ${folder}, but this user's systemd does not take them (${found.error?.message ?? found.stderr.trim().split('\n')[0] ?? ''}); log in so that it runs, or use SCHEDULER=cron`,
    );
  }
  must('systemctl', ['--user', 'enable', '--now', ...[...units.keys()].filter((name) => name.endsWith('.timer'))]);
  return [
    `installed ${units.size} units in ${folder}; systemctl --user list-timers shows them`,
    'so that they run while nobody is logged in: loginctl enable-linger',
  ];
}

/** Schedule as it would be installed, as lines. */
export function printed(scheduler: Scheduler, place: Place): string[] {
  if (scheduler === 'cron') return crontabLines(place);
  return [...systemdUnits(place)].flatMap(([name, content]) => [`# ${name}`, ...content.trimEnd().split('\n'), '']);
}

export const placeOf = (dataDir: string): Place => ({
  project: resolve(import.meta.dirname, '../..'),
  dataDir: resolve(dataDir),
});
