/**
 * `make fuzz VARIANTS=10000`: damage each family's recorded pages this many times and count the outcomes.
 * Exit status 1 if a parser crashed or accepted a wrong value.
 */
import { z } from 'zod';
import { readSettings } from '../../lib/settings.ts';
import { fuzz, OUTCOMES, subjects, type Finding, type Outcome } from './fuzz.ts';

/** VARIANTS per family; FUZZ_SEED: another seed gives other variants; SHOW prints examples of an outcome. */
const settings = z.object({
  VARIANTS: z.coerce.number('a whole number').int('a whole number').min(1, 'at least 1').default(10_000),
  FUZZ_SEED: z.coerce.number('a whole number').int('a whole number').default(1),
  SHOW: z.enum(OUTCOMES, `one of ${OUTCOMES.join(', ')}`).optional(),
});
const { VARIANTS: variants, FUZZ_SEED: seed, SHOW: show } = readSettings(settings);
const line = (cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i === 0 ? String(cell).padEnd(34) : String(cell).padStart(13))).join('');
let faults = 0;
for (const [family, pages] of await subjects()) {
  const counts = new Map<string, Map<Outcome, number>>();
  const add = (name: string, outcome: Outcome): void => {
    const row = counts.get(name) ?? new Map<Outcome, number>();
    counts.set(name, row.set(outcome, (row.get(outcome) ?? 0) + 1));
  };
  const shown: Finding[] = [];
  const started = performance.now();
  await fuzz(family, pages, variants, seed, (finding) => {
    add(family, finding.outcome);
    add(`  ${finding.mutation}`, finding.outcome);
    if (finding.outcome === 'crash' || finding.outcome === 'wrong') faults += 1;
    if (finding.outcome === (show ?? 'wrong') || finding.outcome === 'crash') shown.push(finding);
  });
  process.stdout.write(`${line([`${pages.length} pages of ${family}`, ...OUTCOMES])}\n`);
  for (const [name, row] of counts) process.stdout.write(`${line([name, ...OUTCOMES.map((o) => row.get(o) ?? 0)])}\n`);
  process.stdout.write(`  ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  for (const f of shown.slice(0, 12))
    process.stdout.write(`  ${f.outcome} ${f.source} ${f.case} ${f.mutation} [${f.seed}]: ${f.detail.slice(0, 400)}\n`);
}
process.exitCode = faults > 0 ? 1 : 0;
