/** Prints or installs the schedule for this user, as systemd timers or a crontab (`make schedule`). */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { SettingError } from '../../../lib/settings.ts';
import { crontabLines, mergeCrontab } from './crontab.ts';
import type { Place } from './place.ts';
import { systemdUnits } from './systemd.ts';

export type Scheduler = 'systemd' | 'cron';

const hasProgram = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** The scheduler of this machine: systemd if it is running, else cron, else an installed systemctl. */
export function schedulerOfMachine(): Scheduler {
  if (existsSync('/run/systemd/system') && hasProgram('systemctl')) return 'systemd';
  if (hasProgram('crontab')) return 'cron';
  return hasProgram('systemctl') ? 'systemd' : 'cron';
}

/** Run a program. @throws SettingError if it fails */
function runProgram(program: string, args: readonly string[], input?: string): void {
  const result = spawnSync(program, args, { encoding: 'utf8', ...(input === undefined ? {} : { input }) });
  if (result.error || result.status !== 0) {
    const reason = result.error?.message ?? result.stderr.trim().split('\n')[0] ?? '';
    throw new SettingError(`${program} ${args.join(' ')} failed: ${reason}`);
  }
}

function installCrontab(place: Place): string[] {
  const listed = spawnSync('crontab', ['-l'], { encoding: 'utf8' });
  if (listed.error) throw new SettingError(`crontab cannot run: ${listed.error.message}`);
  // `crontab -l` fails if the user has no crontab.
  if (listed.status !== 0 && !/no crontab/iu.test(listed.stderr))
    throw new SettingError(`crontab -l failed: ${listed.stderr.trim()}`);
  runProgram('crontab', ['-'], mergeCrontab(listed.status === 0 ? listed.stdout : '', place));
  return ['installed in the crontab of this user; crontab -l shows it'];
}

async function installUnits(place: Place): Promise<string[]> {
  const folder = join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'systemd', 'user');
  await mkdir(folder, { recursive: true });
  const units = systemdUnits(place);
  for (const [name, content] of units) await writeFile(join(folder, name), content);
  const reloaded = spawnSync('systemctl', ['--user', 'daemon-reload'], { encoding: 'utf8' });
  if (reloaded.error || reloaded.status !== 0) {
    const reason = reloaded.error?.message ?? reloaded.stderr.trim().split('\n')[0] ?? '';
    throw new SettingError(
      `the units are in ${folder}, but this user's systemd does not load them (${reason}). Log in so that it runs, ` +
        'or use SCHEDULER=cron.',
    );
  }
  const timers = [...units.keys()].filter((name) => name.endsWith('.timer'));
  runProgram('systemctl', ['--user', 'enable', '--now', ...timers]);
  return [
    `installed ${units.size} units in ${folder}; systemctl --user list-timers shows them`,
    'to run them while nobody is logged in: loginctl enable-linger',
  ];
}

/** Install for this user. @returns lines for the user @throws SettingError if the machine refuses */
export const install = async (scheduler: Scheduler, place: Place): Promise<string[]> =>
  scheduler === 'cron' ? installCrontab(place) : installUnits(place);

/** The schedule as `install` would install it, as lines. */
export function formatSchedule(scheduler: Scheduler, place: Place): string[] {
  if (scheduler === 'cron') return crontabLines(place);
  return [...systemdUnits(place)].flatMap(([name, content]) => [`# ${name}`, ...content.trimEnd().split('\n'), '']);
}

export const placeOf = (dataDir: string): Place => ({
  project: resolve(import.meta.dirname, '../../..'),
  dataDir: resolve(dataDir),
});
