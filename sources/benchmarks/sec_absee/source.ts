/**
 * Statements of apartment buildings whose loans are securitized: exhibit EX-102 of form ABS-EE, which each trust files
 * every month with the SEC. It reads the newest filing of each trust in filings.ts, or files that the operator drops.
 * Two recorded exhibits and rows of the form index confirm the exhibit's elements and the addresses of filings. Not
 * confirmed by recorded bytes: the list of a trust's filings, and the frame of a filing's complete text.
 */
import { defineSource, type Candidate, type Page } from '../../contract.ts';
import { LoanStatement } from '../../rows/loan_statement.ts';
import { NOT_COUNTED, statementsIn } from './assets.ts';
import { extractExhibits, filings, FORM } from './filings.ts';

const HOME = 'https://www.sec.gov/search-filings';

function parse(page: Page): readonly Candidate[] {
  const { trust, documents } = extractExhibits(page);
  return documents.flatMap((xml) => statementsIn(xml, page, trust));
}

export default defineSource({
  name: 'sec_absee',
  family: 'benchmarks',
  title: `Loan statements of apartment buildings in form ${FORM}, exhibit EX-102`,
  home: HOME,
  terms: {
    basis: 'us_government_work',
    note:
      'Filings with the SEC are public. Its policy for programs asks for a user agent with a contact and at most 10 ' +
      'requests a second; this source sends one a second.',
    url: 'https://www.sec.gov/search-filings/edgar-search-assistance/accessing-edgar-data',
  },
  everyDays: 31,
  hosts: ['data.sec.gov', 'www.sec.gov'],
  politeness: { minIntervalMs: 1000, concurrency: 1 },
  row: LoanStatement,
  contradictions: 'refused',
  expect: { minRows: 1, maxRejectShare: 0.05, uncountedRejects: NOT_COUNTED, maxDropShare: 0.5 },
  drop: [
    {
      pattern: /\.xml$/u,
      file: 'BANK5 2025-5YR19.xml',
      kind: 'exhibit',
      about: 'An exhibit EX-102, named for its trust, such as BANK5 2025-5YR19.xml.',
    },
    {
      pattern: /\.txt$/u,
      file: 'BANK5 2025-5YR19.txt',
      kind: 'filing',
      about: 'The complete text of a filing of form ABS-EE, named for its trust, such as BANK5 2025-5YR19.txt.',
    },
  ],
  fetch: filings,
  parse,
});
