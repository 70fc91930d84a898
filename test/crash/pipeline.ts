/**
 * `make crash-pipeline KILLS=200 CRASH_SEED=1`: kill the pipeline at random instants, and compare the files and the
 * next published snapshot with those of an undisturbed run. Exit status 1 on any difference. A seed gives the same
 * planned instants; the phase that a kill meets also depends on the machine.
 */
import { z } from 'zod';
import { readSettings } from '../../lib/settings.ts';
import { smallWorld } from '../pipelines/runs.ts';
import { killRuns } from './pipeline_kills.ts';

const settings = z.object({
  KILLS: z.coerce.number('a whole number').int('a whole number').min(1, 'at least 1').default(200),
  CRASH_SEED: z.coerce.number('a whole number').int('a whole number').default(1),
});
const { KILLS: kills, CRASH_SEED: seed } = readSettings(settings);
const started = performance.now();
const report = await killRuns({
  world: smallWorld(),
  kills,
  seed,
  days: ['2026-11-20', '2026-11-21', '2026-11-22'],
  print: (line) => {
    process.stdout.write(`${line}\n`);
  },
});
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
const phases = [...report.phases].map(([phase, count]) => `${phase} ${count}`).join(', ');
process.stdout.write(
  `\n${report.kills} kills (CRASH_SEED=${seed}) in ${minutes} minutes: ${phases}\n` +
    `${report.completed} complete runs, after up to ${report.worst} kills in a row\n` +
    `${report.wrong.length} differences\n`,
);
for (const line of report.wrong) process.stdout.write(`  ${line}\n`);
process.exitCode = report.wrong.length > 0 ? 1 : 0;
