/** Progress on a terminal: one line for each family and step, redrawn in place. */
import { styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import { fitting, plural, wrapped } from '../format.ts';
import type { Progress, Step } from './progress.ts';
import { Tally, type FamilyCounts } from './tally.ts';
import {
  bar,
  duration,
  familyParts,
  largeRead,
  partShare,
  startPart,
  startStep,
  stepCounts,
  type StepState,
} from './words.ts';

const REDRAW_MS = 120;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const LABEL = 11;
/** Columns of the counts of a step. */
const COUNTS = 14;
/**
 * Columns of a step's bar, and the least width of a terminal that shows one: the name of the part is more important.
 */
const [BAR, BAR_FROM] = [10, 80];

export class LiveProgress implements Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #now: () => number;
  readonly #tally: Tally;
  readonly #draw: ReturnType<typeof createLogUpdate>;
  readonly #timer: NodeJS.Timeout;
  /** Finished lines, which are not redrawn. */
  readonly #doneLines: string[] = [];
  #step: StepState | undefined;
  #workers = '';
  #frame = 0;
  #isDone = false;

  /** @param stream a terminal */
  constructor(stream: NodeJS.WriteStream, now: () => number = Date.now) {
    this.#stream = stream;
    this.#now = now;
    this.#tally = new Tally(now);
    this.#draw = createLogUpdate(stream);
    this.#timer = setInterval(() => this.#redraw(), REDRAW_MS);
    this.#timer.unref();
  }

  reading(sources: Parameters<Progress['reading']>[0], others: number): void {
    this.#tally.ask(sources);
    if (others > 0) this.line(this.#dim(`${plural(others, 'other source')} not read: their rows stay`));
  }

  started(spec: Parameters<Progress['started']>[0]): void {
    this.#tally.start(spec);
  }

  received(received: Parameters<Progress['received']>[0]): void {
    this.#tally.receive(received);
  }

  accepted(source: string, rows: number, areAllChecked: boolean): void {
    this.#tally.accept(source, rows, areAllChecked);
  }

  ended(end: Parameters<Progress['ended']>[0]): void {
    this.#tally.end(end);
  }

  workers({ waiting, beingRead, read, shards, workers }: Parameters<Progress['workers']>[0]): void {
    const staging = shards === 0 ? '' : `, ${plural(shards, 'part')} to stage`;
    const counts = `${read} sources read, ${beingRead} in progress, ${waiting} waiting${staging}`;
    this.#workers = `${plural(workers, 'worker')}: ${counts}`;
  }

  step(step: Step): void {
    this.#finishStep();
    this.#workers = '';
    this.#step = startStep(step, this.#now());
  }

  part(name: string): void {
    if (this.#step) this.#step = startPart(this.#step, name);
  }

  line(text: string): void {
    this.#draw.clear();
    for (const line of wrapped(text, this.#columns())) this.#stream.write(`${line}\n`);
    this.#redraw();
  }

  done(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearInterval(this.#timer);
    this.#finishStep();
    this.#redraw();
    this.#draw.done();
  }

  #finishStep(): void {
    const step = this.#step;
    this.#step = undefined;
    if (!step) return;
    const parts = [(stepCounts(step) || 'done').padEnd(COUNTS), duration(this.#now() - step.startedMs)];
    this.#doneLines.push(this.#row(this.#mark('done'), step.name, parts));
  }

  #redraw(): void {
    this.#frame = (this.#frame + 1) % SPINNER.length;
    const { rows = 24 } = this.#stream;
    const large = this.#tally.reading().flatMap((reading) => largeRead(reading, this.#now()) ?? []);
    const lines = [
      ...this.#tally.families().map((counts) => this.#familyRow(counts)),
      ...[...large, this.#workers].filter((text) => text !== '').flatMap((text) => this.#below(text)),
      ...this.#doneLines,
      ...(this.#step ? [this.#stepRow(this.#step)] : []),
    ];
    // More lines than the screen has could not be redrawn in place.
    this.#draw(lines.slice(-(rows - 1)).join('\n'));
  }

  #familyRow(counts: FamilyCounts): string {
    const { family, asked, ended, failed } = counts;
    const state = ended < asked ? (counts.ms > 0 ? 'busy' : 'waiting') : failed > 0 ? 'failed' : 'done';
    return this.#row(this.#mark(state), family, familyParts(counts));
  }

  /** A text below the families. */
  #below(text: string): string[] {
    return wrapped(text, this.#columns(), 4).map((line) => this.#dim(line));
  }

  #columns(): number {
    return this.#stream.columns ?? 80;
  }

  #stepRow(step: StepState): string {
    const { name, parts, part, begun, startedMs } = step;
    const texts = [
      stepCounts(step).padEnd(COUNTS),
      duration(this.#now() - startedMs).padStart(5),
      ...(parts === undefined || this.#columns() < BAR_FROM ? [] : [bar((begun - 1) / parts, BAR)]),
      `${part} ${partShare(step)}`.trim(),
    ];
    return this.#row(this.#mark('busy'), name, texts);
  }

  #row(mark: string, name: string, parts: readonly string[]): string {
    return `  ${mark} ${name.padEnd(LABEL)}${fitting(parts, this.#columns() - LABEL - 5)}`;
  }

  #mark(state: 'waiting' | 'busy' | 'done' | 'failed'): string {
    if (state === 'waiting') return this.#dim('·');
    if (state === 'busy') return this.#color('cyan', SPINNER[this.#frame] ?? '');
    return state === 'done' ? this.#color('green', '✓') : this.#color('yellow', '!');
  }

  #color(color: 'cyan' | 'green' | 'yellow' | 'dim', text: string): string {
    return this.#stream.hasColors() ? styleText(color, text, { validateStream: false }) : text;
  }

  #dim(text: string): string {
    return this.#color('dim', text);
  }
}
