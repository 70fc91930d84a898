/**
 * Pages a second of each family that reads HTML: our parse (checks, refusals, typed values, the row as published)
 * against the least that any parser does, cheerio.load and the text of the same cells. The recorded pages are small,
 * which is the hard case: on a page of a real site's size, loading it is most of the work of both.
 */
import { load, type CheerioAPI } from 'cheerio';
import type { Candidate, Page } from '../../sources/contract.ts';
import { expandTokens } from '../../sources/families/realauction/tokens.ts';
import { findSources } from '../../sources/index.ts';
import { bodyOf, pageOf } from '../../test/sources/recorded.ts';
import { readCases } from '../../test/sources/fleet_checks.ts';
import { defineBench, summaryOf, type Bench, type Measured, type Size } from '../contract.ts';

const texts = ($: CheerioAPI, selector: string): string[] =>
  $(selector)
    .toArray()
    .map((element) => $(element).text());
const html =
  (selector: string) =>
  (page: Page): string[] =>
    texts(load(page.text()), selector);

/** What is parsed: a recorded case, and how the text of its cells is had with cheerio alone. */
const FAMILIES: readonly {
  readonly family: string;
  readonly source: string;
  readonly recorded: string;
  readonly bare: (page: Page) => readonly string[];
}[] = [
  {
    family: 'json_ld_page',
    source: 'heartland_multifamily',
    recorded: 'full',
    bare: html('script[type="application/ld+json"]'),
  },
  {
    family: 'json_ld_list',
    source: 'lakes_sunbelt_exchange',
    recorded: 'results',
    bare: html('script[type="application/ld+json"]'),
  },
  {
    family: 'html_cards',
    source: 'buckeye_income_property',
    recorded: 'cards',
    bare: html('h2 a, .property__place, .property__price, .units, .cap, .noi, .built, time, .property__status'),
  },
  {
    family: 'realauction',
    source: 'oh_cuyahoga_sheriff',
    recorded: 'waiting',
    bare: (page) =>
      texts(
        load(expandTokens((JSON.parse(page.text()) as { retHTML: string }).retHTML), null, false),
        '.ASTAT_MSGA, .ASTAT_MSGB, .ASTAT_MSGD, .AD_LBL, .AD_DTA',
      ),
  },
  { family: 'webforms_grid', source: 'oh_stark_sheriff_page', recorded: 'delinquent_tax_sales', bare: html('th, td') },
  { family: 'newspaper_notice', source: 'oh_summit_tax', recorded: 'section', bare: html('body') },
];

/** Seconds that each of the two is repeated for in a repetition, by the size of the run. */
const SECONDS: Readonly<Record<Size, number>> = { full: 1.5, quick: 0.3 };

/** Ours and the baseline take turns this long, so that both meet the same machine and the same neighbours. */
const TURN_MS = 20;

/** Pages a second of this process's own time in one turn, garbage collection included: what else the machine does is not counted. */
function turn(parse: () => unknown): number {
  const until = performance.now() + TURN_MS;
  const before = process.cpuUsage();
  let pages = 0;
  for (; pages === 0 || performance.now() < until; pages += 1) parse();
  const { user, system } = process.cpuUsage(before);
  return pages / ((user + system) / 1e6);
}

/** Pages a second of both, each the median of its turns: one that was interrupted says nothing. */
function rates(
  { ours, baseline }: { readonly ours: () => unknown; readonly baseline: () => unknown },
  seconds: number,
): Measured {
  const turns: { readonly ours: number; readonly baseline: number }[] = [];
  for (const until = performance.now() + 2000 * seconds; turns.length === 0 || performance.now() < until;)
    turns.push({ ours: turn(ours), baseline: turn(baseline) });
  return { ours: summaryOf(turns.map((t) => t.ours)).median, baseline: summaryOf(turns.map((t) => t.baseline)).median };
}

export default FAMILIES.map(({ family, source, recorded, bare }): Bench =>
  defineBench({
    name: `parsing_${family}`,
    what: `pages parsed by ${source}`,
    baseline: 'cheerio.load and the text of the same cells',
    unit: 'pages/CPU s',
    target: { atLeast: 0.7 },
    repetitions: { full: 7, quick: 3 },
    async open(size) {
      const found = (await findSources()).find(({ spec }) => spec.name === source);
      if (!found) throw new Error(`there is no source ${source}`);
      const folder = new URL('recorded/', found.folder);
      const described = (await readCases(folder))[recorded];
      if (!described) throw new Error(`${source} has no recorded case ${recorded}`);
      const page = pageOf((await bodyOf(described, folder)).bytes, described);
      // These sources parse a page to a list.
      const both = { ours: () => found.spec.parse(page) as readonly Candidate[], baseline: () => bare(page) };
      if (both.ours().length === 0 || both.baseline().length === 0)
        throw new Error(`${source} finds nothing on ${recorded}`);
      // Both are compiled before the first is timed.
      rates(both, SECONDS[size] / 2);
      return { measure: async () => rates(both, SECONDS[size]) };
    },
  }),
);
