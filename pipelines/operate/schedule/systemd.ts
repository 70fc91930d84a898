/** The schedule as systemd units. */
import { JOBS } from './jobs.ts';
import { commandWords, PLAIN_WORD, WATCH, type Place } from './place.ts';

/** A word of a command in a unit, where % and $ are special. */
function unitWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return `"${escaped}"`;
}

const pad = (value: number): string => String(value).padStart(2, '0');

const serviceUnit = (about: string, command: readonly string[]): string =>
  `[Unit]
Description=Dealfeed: ${about}
After=network-online.target

[Service]
Type=oneshot
ExecStart=/usr/bin/env ${command.map(unitWord).join(' ')}
Nice=10
TimeoutStartSec=12h
`;

const timerUnit = (about: string, calendar: string): string =>
  `[Unit]
Description=Dealfeed: ${about}

[Timer]
OnCalendar=${calendar}
# Runs missed slots when the machine is on again.
Persistent=true

[Install]
WantedBy=timers.target
`;

/** Unit files by name. A service ends at once if its job is not due or is done. */
export function systemdUnits(place: Place): ReadonlyMap<string, string> {
  const units = new Map<string, string>();
  for (const { name, about, calendar, hour, minute } of JOBS) {
    units.set(`dealfeed-${name}.service`, serviceUnit(about, commandWords(place, 'job', name)));
    units.set(`dealfeed-${name}.timer`, timerUnit(about, `${calendar} ${pad(hour)}:${pad(minute)}:00`));
  }
  units.set(`dealfeed-${WATCH.name}.service`, serviceUnit(WATCH.about, commandWords(place, 'watch')));
  units.set(`dealfeed-${WATCH.name}.timer`, timerUnit(WATCH.about, `*-*-* *:${pad(WATCH.minute)}:00`));
  return units;
}
