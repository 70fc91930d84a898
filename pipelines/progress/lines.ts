/** Progress as lines for a log or a pipe: one for each family, and one a minute while a run waits. */
import { plural } from '../format.ts';
import type { Progress, Step } from './progress.ts';
import { Tally } from './tally.ts';
import { duration, familyParts, largeRead } from './words.ts';

const MINUTE = 60_000;

/** @param print one line */
export function lineProgress(print: (line: string) => void, now: () => number = Date.now): Progress {
  const tally = new Tally(now);
  const startedMs = now();
  const shown = new Set<string>();
  let step: Step | undefined;
  let part = '';

  const stillBusy = (): void => {
    const reading = tally.reading();
    const large = reading.map((r) => largeRead(r, now())).filter((text) => text !== null);
    const sources = reading.map((r) => `${r.source} (${plural(r.requests, 'request')})`);
    const doing = step ? `${step.about}${part === '' ? '' : `: ${part}`}` : [...large, ...sources].join(', ');
    print(`  after ${duration(now() - startedMs)}: ${doing}`);
  };
  const timer = setInterval(stillBusy, MINUTE);
  timer.unref();

  return {
    reading(sources, others) {
      tally.ask(sources);
      const kept = others === 0 ? '' : `; ${plural(others, 'other')} keep their rows`;
      print(`reading ${plural(sources.length, 'source')}${kept}`);
    },
    started: (spec) => tally.start(spec),
    received: (received) => tally.receive(received),
    accepted: (source, rows) => tally.accept(source, rows),
    ended(end) {
      tally.end(end);
      for (const counts of tally.families().filter((f) => f.ended === f.asked && !shown.has(f.family))) {
        shown.add(counts.family);
        print(`  ${counts.family.padEnd(11)}${familyParts(counts).join('  ')}`);
      }
    },
    workers: () => {},
    step(next) {
      step = next;
      part = '';
      print(next.about);
    },
    part: (name) => {
      part = name;
    },
    line: print,
    done: () => clearInterval(timer),
  };
}
