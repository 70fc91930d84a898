/** The page on the sources, from what each adapter declares and what its recorded pages show. */
import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { FoundSource } from '../../sources/index.ts';

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
  register: 'Business registers',
} as const;

const BASIS = {
  us_government_work: 'US government work',
  open_data: 'open data',
  public_record: 'public record',
  permission: 'permission',
  sandbox_only: 'sandbox only',
} as const;

const cell = (s: string): string => s.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Format of a body by how it begins, or by what its archive holds. */
function formatOf(start: string, entries: readonly string[]): string {
  if (entries.some((name) => name.startsWith('xl/'))) return 'XLSX';
  if (entries.length > 0) return 'zipped CSV';
  if (start.startsWith('PK')) return 'XLSX';
  if (/^\s*[{[]/u.test(start)) return 'JSON';
  if (/^\s*</u.test(start)) return 'HTML';
  return 'CSV';
}

/** Formats of the pages that hold rows, and the columns that they fill. */
async function shownBy({ folder }: FoundSource): Promise<{ formats: string; filled: ReadonlySet<string> }> {
  const recorded = new URL('recorded/', folder);
  const formats = new Set<string>();
  const filled = new Set<string>();
  const cases = Cases.parse(JSON.parse(await readFile(new URL('pages.json', recorded), 'utf8')));
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
  return { formats: [...formats].sort().join(', '), filled };
}

/** Counties on one platform have its domain in common, and what one of them is seen to publish all may. */
const platformOf = ({ spec }: FoundSource): string => spec.hosts[0]?.split('.').slice(1).join('.') ?? spec.name;

/** How the rows come in: from the web, from the drop folder, or from either. */
const wayIn = ({ spec }: FoundSource): string =>
  [spec.fetch ? spec.hosts.join(', ') : null, spec.drop?.length ? 'drop folder' : null]
    .filter((way) => way !== null)
    .join('; or ');

/** docs/sources.md. Deterministic: it depends on nothing but the adapters' folders. */
export async function sourcesPage(sources: readonly FoundSource[]): Promise<string> {
  const sections: string[] = [];
  for (const [family, title] of Object.entries(FAMILIES)) {
    const members = sources.filter(({ spec }) => spec.family === family);
    if (members.length === 0) continue;
    const rows: string[] = [];
    const shown = new Map(await Promise.all(members.map(async (found) => [found, await shownBy(found)] as const)));
    for (const found of members) {
      const { spec } = found;
      const filled = new Set(
        [...shown].filter(([other]) => platformOf(other) === platformOf(found)).flatMap(([, page]) => [...page.filled]),
      );
      const missing = spec.row.columns
        .filter((c) => c.absent !== undefined && !filled.has(c.name))
        .map((c) => `\`${c.name}\``)
        .join(', ');
      const where = spec.county ? `${spec.county.name}, ${spec.county.state}` : spec.title;
      rows.push(
        `| ${[
          `${/^https?:/u.test(spec.home) ? `[${cell(where)}](${spec.home})` : cell(where)}<br>\`${spec.name}\``,
          `${spec.everyDays} d`,
          shown.get(found)?.formats ?? '',
          cell(wayIn(found)),
          `${BASIS[spec.terms.basis]}: ${cell(spec.terms.note)}`,
          missing,
        ].join(' | ')} |`,
      );
    }
    sections.push(
      [
        `## ${title}`,
        '',
        '| county or site | read every | format | comes from | terms | never seen to be filled |',
        '|---|---|---|---|---|---|',
        ...rows,
      ].join('\n'),
    );
  }
  const covered = new Set(Object.keys(FAMILIES));
  const stray = sources.find(({ spec }) => !covered.has(spec.family));
  if (stray)
    throw new Error(
      `docs/generate/sources.ts has no heading for the family ${stray.spec.family} of ${stray.spec.name}`,
    );
  return [
    '# Sources',
    'Written by `make docs` from what each adapter declares and what its recorded pages show; do not edit. The last column names the columns of a row that no ' +
      'recorded page of the source, or of another county on its platform, fills: what the source is not known to publish. What may go wrong with a source is in [failures.md](failures.md).',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}
