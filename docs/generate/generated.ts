/** The pages, tables and files that follow from declarations. */
import { findSources } from '../../sources/index.ts';
import { dataDictionaryPage } from './data_dictionary.ts';
import { interfacePage } from './interface.ts';
import { loanFactorsCsv } from './loan_factors.ts';
import { wrap } from '../../lib/markdown.ts';
import { metroMapJson } from './metro_map.ts';
import { settingsPage } from './settings.ts';
import { sourcesPage } from './sources.ts';
import { underwritingPage } from './underwriting.ts';

/** Each generated file by its path in the project. */
export async function generated(): Promise<Readonly<Record<string, string>>> {
  const pages: Readonly<Record<string, string>> = {
    'docs/data-dictionary.md': await dataDictionaryPage(),
    'docs/interface.md': interfacePage(),
    'docs/settings.md': settingsPage(),
    'docs/sources.md': await sourcesPage(await findSources()),
    'docs/underwriting.md': underwritingPage(),
  };
  const texts = {
    ...Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, wrap(page)])),
    'api/site/map/metros.json': metroMapJson(),
    'models/reference/loan_factors.csv': loanFactorsCsv(),
  };
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, `${text.trimEnd()}\n`]));
}
