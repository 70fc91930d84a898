/**
 * `make bench-figures`: the newest full-size outcome of each benchmark, of those in <DATA_DIR>/bench/ and those that
 * docs/performance/figures.json holds already, as the table and the plot of docs/performance/, and the table of limits of
 * docs/scaling.md. So one benchmark can be measured again without losing the figures of the others.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { DamagedFile, readJson } from '../lib/files.ts';
import { print as say } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { loadBenches } from './all.ts';
import type { Outcome } from './contract.ts';
import { writeLimits } from './limits.ts';
import { markdownOf, plotOf } from './report.ts';

const settings = z.object({ DATA_DIR: z.string().min(1, 'a folder').default('data') });

const outcome = z.custom<Outcome>((o) => typeof o === 'object' && o !== null && 'name' in o && 'ratio' in o);
const Result = z.object({
  size: z.enum(['full', 'quick']),
  machine: z.object({ cores: z.int(), processor: z.string(), memory_gib: z.number(), node: z.string() }),
  outcomes: z.array(outcome),
});
/** An outcome, where it was measured, and when: the time in its file's name, by which the newest is found. */
const Figure = z.object({ measured: z.string(), machine: z.string(), outcome });
type Figure = z.infer<typeof Figure>;

const docs = new URL('../docs/performance/', import.meta.url);
const KEPT = fileURLToPath(new URL('figures.json', docs));

/** @throws DamagedFile naming the file */
async function read<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  const found = schema.safeParse(await readJson(path));
  if (!found.success)
    throw new DamagedFile(
      `${path} is no file of make bench: ${found.error.issues[0]?.path.join('.') ?? ''} ${found.error.issues[0]?.message ?? ''}`,
    );
  return found.data;
}

/** Full-size outcomes of the files in a folder. */
async function measuredIn(folder: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const file of (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))) {
    const { size, machine: m, outcomes } = await read(Result, join(folder, file));
    const machine = `${m.cores} cores (${m.processor}), ${m.memory_gib} GiB, Node.js ${m.node}`;
    if (size === 'full')
      figures.push(...outcomes.map((o) => ({ measured: file.replace(/\.json$/u, ''), machine, outcome: o })));
  }
  return figures;
}

async function main(): Promise<void> {
  const folder = join(readSettings(settings).DATA_DIR, 'bench');
  const measured = await measuredIn(folder);
  if (measured.length === 0) throw new SettingError(`${folder} has no full-size result; run make bench first`);
  const known = new Set((await loadBenches()).map(({ name }) => name));
  const newest = new Map<string, Figure>();
  for (const figure of [...(await read(z.array(Figure), KEPT)), ...measured]) {
    const { name } = figure.outcome;
    if (known.has(name) && figure.measured >= (newest.get(name)?.measured ?? '')) newest.set(name, figure);
  }
  const figures = [...newest.values()].sort((a, b) => (a.outcome.name < b.outcome.name ? -1 : 1));
  const machines = [...new Set(figures.map(({ machine }) => machine))].map((machine, i) => ({
    machine,
    letter: String.fromCodePoint(65 + i),
  }));
  const outcomes = figures.map((f) => f.outcome);
  const on = figures.map(
    (f) => `${f.measured.slice(0, 10)}, ${machines.find(({ machine }) => machine === f.machine)?.letter ?? ''}`,
  );
  const machinesSaid = machines.map(({ machine, letter }) => `${letter}: ${machine}`).join('; ');
  await writeFile(KEPT, `${JSON.stringify(figures, null, 1)}\n`);
  await writeFile(
    new URL('figures.md', docs),
    `# Figures

Made by \`make bench\` and written here by \`make bench-figures\`. Machines: ${machinesSaid}. Medians, with the least and the most of the repetitions in brackets. Seconds and rates belong to their machine; ratios travel. A ratio is the median of the repetitions' own, each against the baseline beside it: of a machine that is now faster and now slower it is not the ratio of the medians.

${markdownOf(outcomes, on).join('\n')}

![Each ratio as a multiple of its target](figures.svg)
`,
  );
  await writeFile(new URL('figures.svg', docs), await plotOf(outcomes));
  await writeLimits(
    outcomes,
    `Measured by \`make bench\`, written here by \`make bench-figures\`. Machines: ${machinesSaid} ([which measured what](performance/figures.md)).`,
  );
  say(
    `wrote docs/performance/figures.md, .svg and .json and the table of docs/scaling.md: ${outcomes.length} benchmarks, the newest of ${measured.length} results here and those that were written before`,
  );
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SettingError) && !(error instanceof DamagedFile)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
