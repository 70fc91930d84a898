/** docs/sources.md: the declarations of each adapter, and the columns that its recorded pages fill. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { FoundSource } from '../../sources/index.ts';
import { cell, table } from '../../lib/markdown.ts';

/** Of pages.json: the text that says where the pages come from is not a case. */
const Recorded = z.looseObject({ from: z.string() });
const Cases = z.record(
  z.string(),
  z.looseObject({
    kind: z.string(),
    file: z.string().optional(),
    text: z.string().optional(),
    zip: z.record(z.string(), z.string()).optional(),
    quarantine: z.string().optional(),
  }),
);
const Expected = z.array(z.looseObject({ values: z.record(z.string(), z.unknown()).optional() }));

const FAMILIES = {
  listings: 'Listings',
  fmr: 'Rents',
  tax: 'Tax delinquency',
  parcels: 'Parcels',
  sheriff: 'Sheriff sales',
  auctions: 'Sales outside Ohio',
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

/** Format of a page by its first bytes, or by the files in its archive. */
function formatOf(start: string, entries: readonly string[]): string {
  if (entries.some((name) => name.startsWith('xl/'))) return 'XLSX';
  if (entries.length > 0) return 'zipped CSV';
  if (start.startsWith('PK')) return 'XLSX';
  if (/^\s*[{[]/u.test(start)) return 'JSON';
  if (/^\s*<(?:\?xml\b|SEC-DOCUMENT>)/u.test(start)) return 'XML';
  if (/^\s*</u.test(start)) return 'HTML';
  return 'CSV';
}

/** Formats of the recorded pages with rows, and the columns that those rows fill. A row of a table may have no page. */
async function recordedBy({
  folder,
  isTableRow,
}: FoundSource): Promise<{ formats: readonly string[]; filled: ReadonlySet<string> }> {
  const recorded = new URL('recorded/', folder);
  const formats = new Set<string>();
  const filled = new Set<string>();
  if (isTableRow && !existsSync(recorded)) return { formats: [], filled };
  const { from: _, ...rest } = Recorded.parse(JSON.parse(await readFile(new URL('pages.json', recorded), 'utf8')));
  const cases = Cases.parse(rest);
  const files = await readdir(recorded);
  for (const [name, each] of Object.entries(cases)) {
    if (each.quarantine !== undefined || !files.includes(`${name}.expected.json`)) continue;
    const rows = Expected.parse(JSON.parse(await readFile(new URL(`${name}.expected.json`, recorded), 'utf8'))).flatMap(
      (row) => (row.values ? [row.values] : []),
    );
    if (rows.length === 0) continue;
    const start =
      each.text ??
      (each.file === undefined ? '' : (await readFile(new URL(each.file, recorded), 'latin1')).slice(0, 200));
    formats.add(formatOf(start, Object.keys(each.zip ?? {})));
    for (const row of rows) for (const [column, value] of Object.entries(row)) if (value !== null) filled.add(column);
  }
  return { formats: [...formats], filled };
}

/** Sources with the same parent domain share a platform: a column that one of them fills, the others may fill too. */
const platformOf = ({ spec }: FoundSource): string => spec.hosts[0]?.split('.').slice(1).join('.') ?? spec.name;

const originOf = ({ spec }: FoundSource): string =>
  [spec.fetch ? spec.hosts.join(', ') : null, spec.drop?.length ? 'drop folder' : null]
    .filter((origin) => origin !== null)
    .join('; or ');

function titleCell({ spec }: FoundSource): string {
  const title = cell(spec.county ? `${spec.county.name}, ${spec.county.state}` : spec.title);
  const linked = /^https?:/u.test(spec.home) ? `[${title}](${spec.home})` : title;
  return `${linked}<br>\`${spec.name}\``;
}

/** Terms that this many sources of a family have are stated once, above its table. */
const TERMS_TOGETHER = 3;

function termsOf({ spec: { terms } }: FoundSource): string {
  const shown = terms.showPages === undefined ? '' : ` Archived pages are shown: ${cell(terms.showPages)}`;
  const read = terms.quote === undefined ? 'unread' : `"${cell(terms.quote)}"`;
  const api = terms.api === undefined ? '' : ` Its interface: "${cell(terms.api.quote)}"`;
  return `${BASIS[terms.basis]}, ${read}, resale ${terms.resale ?? 'unknown'}: ${cell(terms.note)}${api}${shown}`;
}

/** Table of one family, behind the terms that several of its sources have. */
async function familyTable(members: readonly FoundSource[]): Promise<string> {
  const recorded = await Promise.all(
    members.map(async (source) => ({ source, platform: platformOf(source), ...(await recordedBy(source)) })),
  );
  const together = [...Map.groupBy(members, termsOf)]
    .filter(([, same]) => same.length >= TERMS_TOGETHER)
    .map(([terms]) => terms);
  const rows = recorded.map(({ source, platform }) => {
    const peers = recorded.filter((other) => other.platform === platform);
    const filled = new Set(peers.flatMap((other) => [...other.filled]));
    const formats = [...new Set(peers.flatMap((other) => other.formats))].sort().join(', ');
    const { everyDays, row } = source.spec;
    const terms = termsOf(source);
    return [
      titleCell(source),
      `${everyDays} d`,
      formats,
      cell(originOf(source)),
      together.includes(terms) ? `terms ${together.indexOf(terms) + 1}` : terms,
      row.columns
        .filter((column) => column.absent !== undefined && !filled.has(column.name))
        .map((column) => `\`${column.name}\``)
        .join(', '),
    ];
  });
  return [
    ...together.map((terms, index) => `Terms ${index + 1}, ${terms}`),
    table(['county or site', 'read every', 'format', 'origin', 'terms', 'columns never filled'], rows),
  ].join('\n\n');
}

/** The page depends on the adapters' folders and nothing else. @throws Error where a family has no title here */
export async function sourcesPage(sources: readonly FoundSource[]): Promise<string> {
  const stray = sources.find(({ spec }) => !(spec.family in FAMILIES));
  if (stray) throw new Error(`docs/generate/sources.ts has no title for the family ${stray.spec.family}`);
  const sections: string[] = [];
  for (const [family, title] of Object.entries(FAMILIES)) {
    const members = sources.filter(({ spec }) => spec.family === family);
    if (members.length > 0) sections.push(`## ${title}`, await familyTable(members));
  }
  return [
    '# Sources',
    'For operators and analysts: look up the origin, the cadence, the terms and the missing columns of each source. ' +
      'Written by `make docs` from the adapters; do not edit.',
    'The last column names the columns that no recorded page of the source, or of another source on the same ' +
      'platform, fills. [Site faults](runbook.md#site-faults) lists the state of a source after each fault, ' +
      '[saving pages](adding-listings.md#saving-pages-by-hand) explains how to save pages for the drop folder by hand.',
    'Terms are quoted or `unread`. With `LIVE=1` a source with unread terms, or whose terms ask for a ' +
      'permission, is off until [`PERMITTED`](going-live.md#4-sources-that-need-a-permission-or-a-file) names it; ' +
      'with real money no snapshot is served with rows of a source whose resale is neither allowed nor so confirmed. ' +
      'robots.txt is obeyed, but for an interface that the publisher documents for programs on the page of the data ' +
      'set, which is then quoted here; where a portal has a dump of the table, that is read first.',
    'The site shows an archived page to readers only if the free example report cites it, no other property has a ' +
      'record from it, and the source declares ' +
      'that its terms allow this (`terms.showPages`).',
    ...sections,
  ].join('\n\n');
}
