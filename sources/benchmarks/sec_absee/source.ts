/**
 * Statements of apartment buildings whose loans are securitized: exhibit EX-102 of form ABS-EE, which each trust
 * files every month with the SEC. It reads the newest filing of each declared trust, by the list of its filings, and
 * the exhibit in the complete text of that filing, since its directory may omit the exhibit; or files that the
 * operator drops. Two recorded exhibits and rows of the form index confirm the exhibit's elements and the addresses
 * of filings. Not confirmed by recorded bytes: the list of a trust's filings, and the frame of a filing's complete
 * text.
 */
import { z } from 'zod';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  SourceUnavailable,
} from '../../contract.ts';
import { parseJson } from '../../json.ts';
import { LoanStatement } from '../../rows/loan_statement.ts';
import { NOT_COUNTED, statementsIn } from './assets.ts';

const FORM = 'ABS-EE';
const LIST = 'https://data.sec.gov/submissions';
const ARCHIVE = 'https://www.sec.gov/Archives/edgar/data';

interface Trust {
  readonly cik: string;
  readonly name: string;
}

/** Trusts with loans on apartment buildings, each named as in the list of its filings. Add one by its CIK. */
const TRUSTS: readonly Trust[] = [
  { cik: '0001706060', name: 'UBS Commercial Mortgage Trust 2017-C1' },
  { cik: '0002098810', name: 'BANK5 2025-5YR19' },
  { cik: '0002110410', name: 'Benchmark 2026-B42 Mortgage Trust' },
];

const Filings = z.looseObject({
  name: z.string().min(1),
  filings: z.looseObject({
    recent: z.looseObject({
      form: z.array(z.string()),
      filingDate: z.array(z.string()),
      accessionNumber: z.array(z.string()),
    }),
  }),
});

interface Filing {
  /** Name of the trust as the list gives it. */
  readonly trust: string;
  readonly accession: string;
  readonly filedOn: string;
}

/** The newest filing of the form up to a day; null if the list has none. */
function newestFiling(list: Page, day: string): Filing | null {
  const read = Filings.safeParse(parseJson(list.text(), 'the list of filings', list.url));
  if (!read.success)
    throw new Quarantine('template_changed', 'the list of filings has no filings.recent as expected', list.url);
  const { name: trust } = read.data;
  const { form, filingDate, accessionNumber } = read.data.filings.recent;
  const filed = form.flatMap((name, at): Filing[] => {
    const [filedOn = '', accession = ''] = [filingDate[at], accessionNumber[at]];
    return name === FORM && filedOn <= day && /^\d{10}-\d\d-\d{6}$/u.test(accession)
      ? [{ trust, accession, filedOn }]
      : [];
  });
  return filed.sort((a, b) => (a.filedOn < b.filedOn ? 1 : -1))[0] ?? null;
}

/** The page of the newest filing; null if the trust has none. */
async function fetchFiling(ctx: FetchContext, { cik }: Trust): Promise<Page | null> {
  const list = await ctx.get(`${LIST}/CIK${cik}.json`, { kind: 'list', accept: 'application/json' });
  const filing = newestFiling(list, ctx.asOf);
  if (filing === null) return null;
  return ctx.get(`${ARCHIVE}/${Number(cik)}/${filing.accession}.txt`, {
    kind: 'filing',
    context: { trust: filing.trust, filed_on: filing.filedOn },
  });
}

/** The newest filing of each trust. A trust that cannot be read keeps its rows. */
async function* filings(ctx: FetchContext): AsyncGenerator<Page> {
  const trusts = ctx.sampleRows === null ? TRUSTS : TRUSTS.slice(0, 1);
  const failures: unknown[] = [];
  for (const trust of trusts) {
    try {
      const page = await fetchFiling(ctx, trust);
      if (page) yield page;
    } catch (error) {
      if (!(error instanceof SourceUnavailable) && !(error instanceof Quarantine)) throw error;
      failures.push(error);
      ctx.unreadable({ trust: trust.name }, error);
    }
  }
  if (failures.length === trusts.length) throw failures[0];
}

interface Exhibits {
  readonly trust: string;
  readonly documents: readonly string[];
}

/** @throws Quarantine if the filing is truncated or has no exhibit EX-102 */
function extractExhibits(page: Page): Exhibits {
  const text = page.text('windows-1252');
  if (text.trim() === '') throw new Quarantine('empty_body', 'the filing is empty', page.url);
  // A dropped file is named for its trust.
  const trust = page.context['trust'] ?? (page.context['file'] ?? '').replace(/\.[a-z]+$/iu, '');
  if (/^\s*<\?xml\b|^\s*<assetData\b/u.test(text)) return { trust, documents: [text] };
  const exhibits = [...text.matchAll(/<TYPE>EX-102\b[^<]*<[\s\S]*?<TEXT>([\s\S]*?)(?:<\/TEXT>|$(?![\s\S]))/gu)];
  if (exhibits.length === 0)
    throw new Quarantine('template_changed', `the filing of ${trust} has no exhibit EX-102`, page.url);
  return { trust, documents: exhibits.map(([, body = '']) => body.replace(/^\s*<XML>\s*|\s*<\/XML>\s*$/gu, '')) };
}

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
