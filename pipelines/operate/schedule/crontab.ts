/** The schedule as lines of a crontab. */
import { SettingError } from '../../../lib/settings.ts';
import { JOBS } from './jobs.ts';
import { commandWords, PLAIN_WORD, WATCH, type Place } from './place.ts';

/** A word of a shell command. */
const shellWord = (word: string): string => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const marker = (end: 'begin' | 'end', dataDir: string): string => `# dealfeed ${end} ${dataDir}`;

/** Lines for a crontab, between marker comments. */
export function crontabLines(place: Place): string[] {
  const command = (target: string, job?: string): string =>
    commandWords(place, target, job).map(shellWord).join(' ').replaceAll('%', '\\%');
  const jobs = JOBS.flatMap(({ name, about, hour, minute, cron }) => {
    const condition = cron.only === undefined ? '' : `${cron.only} && `;
    return [`# ${about}`, `${minute} ${hour} ${cron.days} ${condition}${command('job', name)}`];
  });
  return [
    marker('begin', place.dataDir),
    ...jobs,
    `# ${WATCH.about} (cron skips runs that were missed while the machine was off)`,
    `${WATCH.minute} * * * * ${command('watch')}`,
    marker('end', place.dataDir),
  ];
}

/** A crontab with our lines replaced or added; all other lines are unchanged. */
export function mergeCrontab(before: string, place: Place): string {
  const lines = before.split('\n');
  const start = lines.indexOf(marker('begin', place.dataDir));
  const end = lines.indexOf(marker('end', place.dataDir));
  if (start < 0 !== end < 0 || end < start)
    throw new SettingError(
      `the crontab has ${JSON.stringify(marker('begin', place.dataDir))} without its end, expected both or neither: ` +
        'correct it with crontab -e',
    );
  const others = start < 0 ? lines : [...lines.slice(0, start), ...lines.slice(end + 1)];
  while (others.at(-1) === '') others.pop();
  return `${[...others, ...crontabLines(place)].join('\n')}\n`;
}
