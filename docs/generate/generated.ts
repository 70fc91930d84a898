/** The pages, tables and files that follow from declarations. */
import { wrap } from '../../lib/markdown.ts';
import { storedType } from '../../lib/stored_types.ts';
import { annualConstant, monthlyFactor } from '../../models/assumptions/loan_factors.ts';
import { dictionarySections } from '../../models/dictionary.ts';
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
    'For analysts and buyers: look up the meaning of each column of a published table. Written by `make docs` from ' +
      'the record definitions; do not edit.',
    'Types are those of the DuckDB file. A column without one is DECIMAL(14,2) in USD or percent, INTEGER in another ' +
      'unit, DATE if its name ends in `_on`, TIMESTAMPTZ (UTC) in `_at`, else VARCHAR. In Parquet a UUID is text. ' +
      'Each null has a declared reason: `absent` of a response names it, or a status column; the comment of the ' +
      'column in the DuckDB file (`duckdb_columns()`), like `/api/meta`, lists the possible ones. Each table is also ' +
      'a Parquet file.',
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
