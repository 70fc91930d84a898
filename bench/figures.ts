/**
 * `make bench-figures`: the newest full-size outcome of each benchmark among those in <DATA_DIR>/bench/, as the table
 * and the plot of docs/performance/, and the table of limits of docs/scaling.md.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readSettings, SettingError } from '../lib/settings.ts';
import type { Outcome } from './contract.ts';
import { writeLimits } from './limits.ts';
import { markdownOf, plotOf } from './report.ts';

const settings = z.object({ DATA_DIR: z.string().min(1, 'a folder').default('data') });

const Result = z.object({
  size: z.enum(['full', 'quick']),
  machine: z.object({ cores: z.int(), processor: z.string(), memory_gib: z.number(), node: z.string() }),
  outcomes: z.array(z.custom<Outcome>((o) => typeof o === 'object' && o !== null && 'name' in o && 'ratio' in o)),
});

const folder = join(readSettings(settings).DATA_DIR, 'bench');
const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
const newest = new Map<string, { readonly outcome: Outcome; readonly day: string }>();
const machines = new Set<string>();
for (const file of files) {
  const { size, machine, outcomes } = Result.parse(JSON.parse(await readFile(join(folder, file), 'utf8')));
  if (size !== 'full') continue;
  for (const outcome of outcomes) newest.set(outcome.name, { outcome, day: file.slice(0, 10) });
  machines.add(`${machine.cores} cores (${machine.processor}), ${machine.memory_gib} GiB, Node.js ${machine.node}`);
}
if (newest.size === 0) throw new SettingError(`${folder} has no full-size result; run make bench first`);
const outcomes = [...newest.values()].map((n) => n.outcome).sort((a, b) => (a.name < b.name ? -1 : 1));
const days = [...new Set([...newest.values()].map((n) => n.day))].sort();
const docs = new URL('../docs/performance/', import.meta.url);
await writeFile(new URL('figures.md', docs), `# Figures

Made by \`make bench\` on ${days.join(', ')} and written here by \`make bench-figures\`. Machine: ${[...machines].join('; ')}. Medians, with the least and the most of the repetitions in brackets. Seconds and rates belong to that machine; ratios travel.

${markdownOf(outcomes).join('\n')}

![Each ratio as a multiple of its target](figures.svg)
`);
await writeFile(new URL('figures.svg', docs), await plotOf(outcomes));
await writeLimits(outcomes, `Measured by \`make bench\` on ${days.join(', ')}, written here by \`make bench-figures\`. Machine: ${[...machines].join('; ')}.`);
process.stdout.write(`wrote docs/performance/figures.md, figures.svg and the table of docs/scaling.md from ${outcomes.length} benchmarks\n`);
