/** `make bench`: speed and memory as one table, each measure with a baseline of the same run. */
import { readFile, writeFile } from 'node:fs/promises';
import { SettingError } from '../lib/settings.ts';
import { print } from '../lib/output.ts';
import { cellsOf, HEAD, tableLine, type Measure } from './figures.ts';
import type { Settings } from './settings.ts';

const PAGE = new URL('../docs/performance.md', import.meta.url);

/** The measures that the settings ask for, in the order of the table. */
async function chosen({ ONLY, QUICK, WRITE_DOCS }: Settings): Promise<readonly Measure[]> {
  const { colorado, dailyRun, memory, staging } = await import('./measures/pipeline.ts');
  const { large, paidCall, queries, queriesLarge, realSize } = await import('./measures/serving.ts');
  const all = [colorado, large, dailyRun, memory, staging, queries, queriesLarge, paidCall, realSize];
  const wanted = ONLY.split(',');
  if (!wanted.every((name) => all.some((m) => m.name.startsWith(name))))
    throw new SettingError(`ONLY is ${JSON.stringify(ONLY)}, expected of ${all.map((m) => m.name).join(', ')}`);
  if (WRITE_DOCS && QUICK) throw new SettingError('WRITE_DOCS is 1, expected 0 with QUICK=1: its sizes are too small');
  return all.filter((m) => wanted.some((name) => m.name.startsWith(name)));
}

/** Replace lines of the table in the page, found by their first cells. */
async function writeLines(lines: ReadonlyMap<string, string>): Promise<void> {
  let page = await readFile(PAGE, 'utf8');
  for (const [cells, line] of lines) {
    if (!page.includes(cells)) throw new Error(`docs/performance.md has no line that begins ${cells}`);
    page = page.replace(new RegExp(`^${RegExp.escape(cells)}.*$`, 'm'), () => line);
  }
  await writeFile(PAGE, page);
}

async function main(): Promise<void> {
  // A wrong setting fails here.
  const { settings } = await import('./settings.ts');
  const table = new Map<string, string>();
  for (const { name, lines, repetitions, open } of await chosen(settings)) {
    print(`measuring ${name}`);
    const repeat = await open();
    const figures = [];
    for (let i = 0; i < (settings.QUICK ? 1 : repetitions); i += 1) figures.push(await repeat());
    for (const [key, line] of Object.entries(lines)) {
      const measured = figures.flatMap((figure) => (figure[key] ? [figure[key]] : []));
      table.set(cellsOf(name, line), tableLine(name, line, measured));
    }
    if (settings.WRITE_DOCS) await writeLines(table);
  }
  for (const line of [HEAD, HEAD.replaceAll(/[^|]+/g, '---'), ...table.values()]) print(line);
}

await main().catch((error: unknown) => {
  process.exitCode = 1;
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
});
// Ends the programs that were started.
process.exit();
