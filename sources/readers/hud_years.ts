/**
 * HUD's own list of fiscal years, read if the rents are of an older year than the day's. It shows whether HUD has
 * published a newer year that could not be read. The list's layout is not confirmed by recorded bytes, so only the
 * names of rent files in it are read.
 */
import { type FetchContext, type Page, Quarantine, SourceUnavailable } from '../contract.ts';
import { fiscalYearOn } from '../fiscal_year.ts';
import { releaseIn } from './hud_releases.ts';

/** Kind of the page with the list. It has no rows. */
export const YEARS = 'years';

/** The pages of rents, then the list of years if their newest year is older than the day's. */
export async function* withListOfYears(
  ctx: FetchContext,
  pages: AsyncIterable<Page>,
  listUrl: string,
): AsyncGenerator<Page> {
  const years: number[] = [];
  for await (const page of pages) {
    years.push(...yearOf(page));
    yield page;
  }
  if (years.length === 0 || Math.max(...years) >= fiscalYearOn(ctx.asOf)) return;
  const list = await listOfYears(ctx, listUrl);
  if (list) yield list;
}

/** For a kind of rent file: the newest year that a page lists, or null if it is no list or names no such file. */
export const listedYearOf =
  (kind: 'FMRs' | 'SAFMRs') =>
  (page: Page): number | null => {
    if (page.kind !== YEARS) return null;
    const names = page.text('windows-1252').match(new RegExp(`\\bFY(?:20)?\\d\\d_${kind}[\\w-]*(?=\\.)`, 'giu')) ?? [];
    const years = names.flatMap((name) => releaseIn(name)?.fiscalYear ?? []);
    return years.length === 0 ? null : Math.max(...years);
  };

/** The year that the workbook's address states, if it states one. */
const yearOf = ({ url }: Page): readonly number[] => [releaseIn(url)?.fiscalYear ?? []].flat();

/** The list; null if it cannot be read, which is no reason to refuse the rents. */
async function listOfYears(ctx: FetchContext, url: string): Promise<Page | null> {
  try {
    return await ctx.getIfExists(url, { kind: YEARS });
  } catch (error) {
    if (error instanceof SourceUnavailable || error instanceof Quarantine) return null;
    throw error;
  }
}
