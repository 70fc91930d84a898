/** Progress as lines for a log or a pipe: one for each family and step, and one every half minute during a step. */
import { plural } from '../format.ts';
import type { Progress } from './progress.ts';
import { Tally } from './tally.ts';
import {
  duration,
  familyParts,
  largeRead,
  partShare,
  startPart,
  startStep,
  stepCounts,
  type StepState,
} from './words.ts';

const EVERY_MS = 30_000;

/** @param print one line */
export function lineProgress(print: (line: string) => void, now: () => number = Date.now): Progress {
  const tally = new Tally(now);
  const startedMs = now();
  const shown = new Set<string>();
  let step: StepState | undefined;

  const stepText = (current: StepState): string =>
    [`${current.about}:`, stepCounts(current), current.part, partShare(current)]
      .filter((text) => text !== '')
      .join(' ');

  /** While no source is being read, because workers have not taken one yet, or all are done. */
  const readText = (): string => {
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
    const families = tally.families();
    const ended = sum(families.map((family) => family.ended));
    const asked = sum(families.map((family) => family.asked));
    return `${ended} of ${plural(asked, 'source')} read`;
  };

  const stillBusy = (): void => {
    const reading = tally.reading();
    const large = reading.map((row) => largeRead(row, now())).filter((text) => text !== null);
    const sources = reading.map((read) => `${read.source} (${plural(read.requests, 'request')})`);
    const doing = step ? stepText(step) : [...large, ...sources].join(', ') || readText();
    print(`  after ${duration(now() - startedMs)}: ${doing}`);
  };
  const timer = setInterval(stillBusy, EVERY_MS);
  timer.unref();

  return {
    reading(sources, others) {
      tally.ask(sources);
      const kept = others === 0 ? '' : `; ${plural(others, 'other')} keep their rows`;
      print(`reading ${sources.length === 0 ? 'no source' : plural(sources.length, 'source')}${kept}`);
    },
    started: (spec) => tally.start(spec),
    received: (received) => tally.receive(received),
    accepted: (source, rows, areAllChecked) => tally.accept(source, rows, areAllChecked),
    ended(end) {
      tally.end(end);
      for (const counts of tally
        .families()
        .filter((family) => family.ended === family.asked && !shown.has(family.family))) {
        shown.add(counts.family);
        print(`  ${counts.family.padEnd(11)}${familyParts(counts).join('  ')}`);
      }
    },
    workers: () => {},
    step(next) {
      step = startStep(next, now());
      print(next.about);
    },
    part: (name) => {
      if (step) step = startPart(step, name);
    },
    line: print,
    done: () => clearInterval(timer),
  };
}
