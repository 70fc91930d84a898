/**
 * `make bench`: every benchmark of measures/, a table on the terminal, and beside it in <DATA_DIR>/bench/ the figures
 * as JSON and the ratios as an SVG plot.
 *   QUICK=1        sizes that end in two minutes
 *   ONLY=a,b       benchmarks whose names begin so
 *   node bench/run.ts --child <name>    one benchmark in this process, its outcome as a line of JSON
 */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { print as say } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { loadBenches } from './all.ts';
import { outcomeOf, type Bench, type Measured, type Outcome, type Size } from './contract.ts';
import { plotOf, tableOf } from './report.ts';

const benchSettings = z.object({
  DATA_DIR: z.string().min(1, 'a folder').default('data'),
  QUICK: z.enum(['0', '1'], 'either 0 or 1').default('0'),
  ONLY: z.string().optional(),
});

/** Measure one benchmark here. */
async function measure(bench: Bench, size: Size): Promise<Outcome> {
  const running = await bench.open(size);
  try {
    const measured: Measured[] = [];
    for (let i = 0; i < bench.repetitions[size]; i += 1) measured.push(await running.measure());
    return outcomeOf(bench, measured);
  } finally {
    await running.close?.();
  }
}

/** Measure one benchmark in a process of its own. Null where it failed; why is on standard error. */
function measureApart(bench: Bench): Promise<Outcome | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', new URL(import.meta.url).pathname, '--child', bench.name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    child.on('error', reject).on('close', (code) => {
      resolve(code === 0 ? (JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Outcome) : null);
    });
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { child: { type: 'string' } } });
  const settings = readSettings(benchSettings);
  const size: Size = settings.QUICK === '1' ? 'quick' : 'full';
  const all = await loadBenches();
  if (values.child !== undefined) {
    const bench = all.find((b) => b.name === values.child);
    if (!bench)
      throw new SettingError(
        `--child is ${JSON.stringify(values.child)}, expected one of ${all.map((b) => b.name).join(', ')}`,
      );
    say(JSON.stringify(await measure(bench, size)));
    return 0;
  }
  const wanted = settings.ONLY?.split(',').map((w) => w.trim());
  const unknown = wanted?.find((w) => w === '' || !all.some((b) => b.name.startsWith(w)));
  if (unknown !== undefined)
    throw new SettingError(
      `ONLY is ${JSON.stringify(settings.ONLY)}, and ${JSON.stringify(unknown)} is expected to be the beginning of one of ${all.map((b) => b.name).join(', ')}`,
    );
  const chosen = all.filter((b) =>
    wanted ? wanted.some((w) => b.name.startsWith(w)) : size === 'full' || b.fullOnly !== true,
  );
  if (!wanted && chosen.length < all.length)
    say(
      `left out of a quick run, and measured in their smaller sizes by ONLY=name: ${all
        .filter((b) => !chosen.includes(b))
        .map((b) => b.name)
        .join(', ')}`,
    );
  const folder = join(settings.DATA_DIR, 'bench');
  await mkdir(folder, { recursive: true });
  const path = join(folder, new Date().toISOString().replaceAll(/[:.]/g, '-'));
  const machine = {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
  const outcomes: Outcome[] = [];
  const failed: string[] = [];
  for (const bench of chosen) {
    say(`measuring ${bench.name}`);
    const outcome = await measureApart(bench);
    if (outcome) outcomes.push(outcome);
    else failed.push(bench.name);
    // After each: who breaks off keeps what is measured.
    await writeFile(`${path}.json`, `${JSON.stringify({ size, machine, outcomes, failed }, null, 1)}\n`);
  }
  for (const line of tableOf(outcomes)) say(line);
  for (const name of failed) say(`FAILED to measure: ${name}`);
  await writeFile(`${path}.svg`, await plotOf(outcomes));
  say(`wrote ${path}.json and .svg`);
  return failed.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
