/** docs/sources.md: the declarations of each adapter. */
import type { FoundSource } from '../../sources/index.ts';
import { cell, table } from '../../lib/markdown.ts';

const FAMILIES = {
  listings: 'Listings',
  fmr: 'Rents',
  tax: 'Tax delinquency',
  parcels: 'Parcels',
  auctions: 'Auctions',
  distress: 'Filings, liens, code cases and vacant buildings',
  register: 'Business registers',
  benchmarks: 'Underwriting benchmarks',
  corrections: 'Corrections and suppressions',
} as const;

const BASIS = {
  us_government_work: 'US government work',
  open_data: 'open data',
  public_record: 'public record',
  permission: 'permission',
  sandbox_only: 'sandbox only',
} as const;

/** Hosts that the link of the source does not name, and the drop folder if it takes files. */
function originOf({ spec }: FoundSource): string {
  const linked = URL.parse(spec.home)?.host;
  const hosts = spec.fetch ? spec.hosts.map((host) => (host === linked ? 'site' : host)) : [];
  return [...hosts, ...(spec.drop?.length ? ['drop'] : [])].join(', ');
}

function titleCell({ spec }: FoundSource): string {
  const title = cell(spec.county ? `${spec.county.name}, ${spec.county.state}` : spec.title);
  const linked = /^https?:/u.test(spec.home) ? `[${title}](${spec.home})` : title;
  return `${linked}<br>\`${spec.name}\``;
}

/** Texts that several sources have, which are stated once above the tables. */
const statedOnce = (texts: readonly string[]): readonly string[] =>
  [...Map.groupBy(texts, (text) => text)].flatMap(([text, same]) => (text !== '' && same.length > 1 ? [text] : []));

function termsOf({ spec: { terms } }: FoundSource): string {
  const shown = terms.showPages === undefined ? '' : ` Archived pages are shown: ${cell(terms.showPages)}`;
  const read = terms.quote === undefined ? 'unread' : `"${cell(terms.quote)}"`;
  const api = terms.api === undefined ? '' : ` Its interface: "${cell(terms.api.quote)}"`;
  const resale = terms.resale === undefined ? '' : `, resale ${terms.resale}`;
  return `${BASIS[terms.basis]}, ${read}${resale}: ${cell(terms.note)}${api}${shown}`;
}

/** Table of one family. @param terms those that the page states once */
const familyTable = (members: readonly FoundSource[], terms: readonly string[]): string =>
  table(
    ['county or site', 'days', 'from', 'terms'],
    members.map((source) => {
      const own = termsOf(source);
      const known = terms.includes(own) ? `terms ${terms.indexOf(own) + 1}` : own;
      return [titleCell(source), String(source.spec.everyDays), cell(originOf(source)), known];
    }),
  );

/** The page depends on the adapters' folders and nothing else. @throws Error where a family has no title here */
export function sourcesPage(sources: readonly FoundSource[]): string {
  const stray = sources.find(({ spec }) => !(spec.family in FAMILIES));
  if (stray) throw new Error(`docs/generate/sources.ts has no title for the family ${stray.spec.family}`);
  const terms = statedOnce(sources.map(termsOf));
  const sections = ['## Terms', terms.map((text, index) => `- terms ${index + 1}: ${text}`).join('\n')];
  for (const [family, title] of Object.entries(FAMILIES)) {
    const members = sources.filter(({ spec }) => spec.family === family);
    if (members.length > 0) sections.push(`## ${title}`, familyTable(members, terms));
  }
  return [
    '# Sources',
    'For operators and analysts: look up the origin, the cadence and the terms of each source. Written by ' +
      '`make docs` from the adapters; do not edit.',
    'A source is read every so many days, from its site (the host of its link) and other hosts, or from files in ' +
      'its drop folder ([saving pages](adding-listings.md#saving-pages-by-hand)).',
    'Terms are quoted or `unread`, and resale is unknown unless stated. With `LIVE=1` a source with unread ' +
      'terms, or whose terms ask for a permission, is off until ' +
      '[`PERMITTED`](going-live.md#4-sources-that-need-a-permission-or-a-file) names it; with real money no ' +
      'snapshot is served with rows of a source whose resale is neither allowed nor so confirmed. robots.txt is ' +
      'obeyed, but for an interface that the publisher documents for programs, which is then quoted here; where a ' +
      'portal has a dump of the table, that is read first. The site shows an archived page only if the free ' +
      'example report cites it, no other property has a record from it, and the terms allow this ' +
      '(`terms.showPages`).',
    ...sections,
    '## Places without a source',
    'A kind of record that is not covered is never counted as absent: `distress_status` of a deal and the table ' +
      '`coverage` show it; its column `why` has the reason by metro. An operator who knows the terms can ' +
      '[declare a layer](adding-a-county.md) in 15 to 60 lines. Do not add a list that is no longer updated or has ' +
      'no date: an old debt on a deal looks like a new one.',
    'Layers to start from: Phoenix `gis.mcassessor.maricopa.gov/arcgis/rest/services/Parcels/MapServer/0`; ' +
      'Birmingham `jccgis.jccal.org/server/rest/services/Basemap/Parcels/MapServer/0`; Fulton County ' +
      '`gismaps.fultoncountyga.gov/arcgispub2/rest/services/PropertyMapViewer/PropertyMapViewer/MapServer/11`; ' +
      'DeKalb County `dcgis.dekalbcountyga.gov/hosted/rest/services/Parcels/MapServer/0`. Kentucky, too, lets an ' +
      'agency require a statement of commercial purpose and a price (KRS 61.874).',
  ].join('\n\n');
}
