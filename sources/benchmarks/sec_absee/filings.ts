/**
 * The filings to read: of each declared trust the newest form ABS-EE, by the list of its filings, and the exhibit
 * EX-102 in the complete text of that filing. The directory of a filing is not used: it may omit the exhibit.
 */
import { z } from 'zod';
import { Quarantine, SourceUnavailable, type FetchContext, type Page } from '../../contract.ts';
import { parseJson } from '../../json.ts';

export const FORM = 'ABS-EE';
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
export async function* filings(ctx: FetchContext): AsyncGenerator<Page> {
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

export interface Exhibits {
  readonly trust: string;
  readonly documents: readonly string[];
}

/** @throws Quarantine if the filing is truncated or has no exhibit EX-102 */
export function extractExhibits(page: Page): Exhibits {
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
