/**
 * `make docs`: write the pages and the tables that follow from declarations. With --check it writes nothing
 * and fails where one is out of date; a test runs it so.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { findSources } from '../../sources/index.ts';
import { calibrationPage } from './calibration.ts';
import { capacityPage } from './capacity.ts';
import { commandsPage } from './commands.ts';
import { dataDictionaryPage } from './data_dictionary.ts';
import { interfacePage } from './interface.ts';
import { loanFactorsCsv } from './loan_factors.ts';
import { wrap } from '../../lib/markdown.ts';
import { metroMapJson } from './metro_map.ts';
import { parcelNumbersPage } from './parcel_numbers.ts';
import { queriesPage } from './queries.ts';
import { settingsPage } from './settings.ts';
import { sourcesPage } from './sources.ts';
import { underwritingPage } from './underwriting.ts';

const checking = process.argv.includes('--check');
const pages: Readonly<Record<string, string>> = {
  'docs/calibration.md': calibrationPage(),
  'docs/capacity.md': capacityPage(),
  'docs/commands.md': commandsPage(),
  'docs/data-dictionary.md': await dataDictionaryPage(),
  'docs/interface.md': interfacePage(),
  'docs/parcel-numbers.md': parcelNumbersPage(),
  'docs/queries.md': queriesPage(),
  'docs/settings.md': settingsPage(),
  'docs/sources.md': await sourcesPage(await findSources()),
  'docs/underwriting.md': underwritingPage(),
};
const texts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, wrap(page)])),
  'api/site/map/metros.json': metroMapJson(),
  'models/reference/loan_factors.csv': loanFactorsCsv(),
};
for (const [path, text] of Object.entries(texts)) {
  const file = new URL(`../../${path}`, import.meta.url);
  const content = `${text.trimEnd()}\n`;
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found === content) continue;
  if (checking) {
    process.stderr.write(`${path} is out of date; run: make docs\n`);
    process.exitCode = 1;
  } else {
    await writeFile(file, content);
    process.stdout.write(`wrote ${path}\n`);
  }
}
