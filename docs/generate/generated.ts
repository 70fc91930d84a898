/** `make docs`: write the pages, tables and files that follow from declarations. A test compares them. */
import { readFile, writeFile } from 'node:fs/promises';
import { wrap } from '../../lib/markdown.ts';
import { storedType } from '../../lib/stored_types.ts';
import { annualConstant, monthlyFactor } from '../../models/assumptions/loan_factors.ts';
import { dictionarySections, USUAL_TYPES } from '../../models/dictionary.ts';
import { loadMarts } from '../../models/index.ts';
import { LOAN_RATES, LOAN_YEARS } from '../../models/references.ts';
import { shownRecord } from '../../pipelines/run/finish_database.ts';
import { VIEWS } from '../../models/views.ts';
import { findSources } from '../../sources/index.ts';
import { interfacePage } from './interface.ts';
import { settingsPage } from './settings.ts';
import { sourcesPage } from './sources.ts';

async function dataDictionaryPage(): Promise<string> {
  const published = (await loadMarts()).map((mart) => ({
    ...mart,
    contract: { ...mart.contract, record: shownRecord(mart) },
  }));
  return [
    '# Data dictionary',
    'For analysts and buyers: look up the meaning of each column of a published table. Written by `make docs`; ' +
      'do not edit.',
    `Types are those of the DuckDB file; each table is also a Parquet file, with a UUID as text. ${USUAL_TYPES} ` +
      '`absent` of a response, or a status column, gives the reason of a null; `/api/meta` and the comment of the ' +
      'column (`duckdb_columns()`) list the possible reasons.',
    ...dictionarySections(published, storedType, false),
    '## Views',
    VIEWS.map(({ name, about }) => `- \`${name}\`: ${about}`).join('\n'),
  ].join('\n\n');
}

/** Whole hundredths of a percent as a percentage: 753n is "7.53". */
const percentOf = (rate: bigint): string => `${rate / 100n}.${String(rate % 100n).padStart(2, '0')}`;

/** The table as CSV, by rate and years. */
export function loanFactorsCsv(): string {
  const rows = ['rate_pct,years,monthly_factor,annual_constant'];
  for (let rate = LOAN_RATES.least; rate <= LOAN_RATES.most; rate += 1n) {
    for (const years of LOAN_YEARS) {
      const term = BigInt(years);
      rows.push([percentOf(rate), years, monthlyFactor(rate, term), annualConstant(rate, term)].join(','));
    }
  }
  return rows.join('\n');
}

/** Each generated file by its path in the project. */
export async function generated(): Promise<Readonly<Record<string, string>>> {
  const pages: Readonly<Record<string, string>> = {
    'docs/data-dictionary.md': await dataDictionaryPage(),
    'docs/interface.md': interfacePage(),
    'docs/settings.md': settingsPage(),
    'docs/sources.md': sourcesPage(await findSources()),
  };
  const texts = {
    ...Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, wrap(page)])),
    'models/reference/loan_factors.csv': loanFactorsCsv(),
  };
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, `${text.trimEnd()}\n`]));
}

/** Write what has changed. */
async function main(): Promise<void> {
  for (const [path, content] of Object.entries(await generated())) {
    const file = new URL(`../../${path}`, import.meta.url);
    if ((await readFile(file, 'utf8').catch(() => '')) === content) continue;
    await writeFile(file, content);
    process.stdout.write(`wrote ${path}\n`);
  }
}
if (import.meta.main) await main();
