/** Pages of a release for people: README.md, LICENSES.md and the data dictionary. */
import { cell, table } from '../../lib/markdown.ts';
import { parquetType } from '../../lib/stored_types.ts';
import { dictionarySections, USUAL_TYPES } from '../../models/dictionary.ts';
import type { Mart } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';
import { number } from '../format.ts';

export interface ReleasedTables {
  readonly manifest: Manifest;
  /** Tables of the release. */
  readonly models: readonly Mart[];
  /** Published tables that it leaves out, each with the reason. */
  readonly leftOut: readonly Mart[];
}

/** Tables whose changes since the previous release are listed: the others follow from them. */
export const COMPARED: readonly string[] = ['deals', 'signals', 'auctions', 'owners', 'filings'];

/** Sources with rows in the release. */
const sourcesOf = ({ sources }: Manifest): Manifest['sources'] =>
  sources.filter(({ staged_run }) => staged_run !== null);

/** Titles of sources whose owner must permit the release. */
export const permissionsNeeded = (manifest: Manifest): readonly string[] =>
  sourcesOf(manifest).flatMap(({ terms_basis, title }) => (terms_basis === 'permission' ? [title] : []));

/** @param previous the release before, whose changes the release has; null for the first */
export const readmePage = ({ manifest, models, leftOut }: ReleasedTables, previous: string | null): string =>
  [
    `# Dealfeed release ${manifest.run_id}`,
    'Listings of small multifamily buildings with their underwriting, distress records, sales and business filings, ' +
      `as of ${manifest.as_of}. For analysts: open the tables, look up a column, cite the release.`,
    `**${manifest.notice}**`,
    table(
      ['table', 'what it has', 'rows'],
      models.map(({ name, contract }) => [
        `[\`${name}\`](data-dictionary.md#${name})`,
        cell(contract.record.about),
        number(manifest.tables[name]?.rows ?? 0),
      ]),
    ),
    '## Open it',
    "```sql\n-- DuckDB, in this folder\nSELECT city, count(*) FROM 'deals.parquet' GROUP BY ALL;\n```",
    'Any tool that reads Parquet reads the tables. `sha256sum -c SHA256SUMS` checks that no file changed.',
    '[data-dictionary.md](data-dictionary.md) describes the columns, [LICENSES.md](LICENSES.md) the terms of every ' +
      'source. `manifest.json` states how the tables were made: sources read, versions, assumptions, audits.' +
      (previous === null
        ? ''
        : ` \`changes.ndjson\` has what changed in ${COMPARED.join(', ')} since release ${previous}.`),
    '## What is left out',
    [
      ...leftOut.map(({ name, contract }) => `- \`${name}\`: ${contract.publish.notReleased ?? ''}`),
      '- the ids of sold leads in the manifest, and the DuckDB file: they would disclose the same',
    ].join('\n'),
    '## Cite it',
    `The Dealfeed contributors (${manifest.as_of.slice(0, 4)}). Dealfeed release ${manifest.run_id} [data set]. ` +
      'Cite the public source too if you use its records: each row has its `source_url`.',
  ].join('\n\n');

export const licensesPage = ({ manifest }: ReleasedTables): string =>
  [
    `# Sources of release ${manifest.run_id} and their terms`,
    'The code of Dealfeed is under the Apache License 2.0. That license does not cover data: rows stay under the ' +
      'terms of their source. Dealfeed claims no rights in figures that it computes from them.',
    `**${manifest.notice}**`,
    'Rows of sources with the basis `permission` may be passed on only as their owner permits.',
    table(
      ['source', 'basis', 'terms', 'rows', 'read on'],
      sourcesOf(manifest).map((source) => [
        `[${cell(source.title)}](${source.home})<br>\`${source.source}\``,
        `\`${source.terms_basis}\``,
        cell(source.terms_note) + (source.terms_url === null ? '' : ` ([terms](${source.terms_url}))`),
        number(source.rows_out + source.rows_carried),
        source.last_good_at?.slice(0, 10) ?? '',
      ]),
    ),
  ].join('\n\n');

export const dictionaryPage = ({ manifest, models }: ReleasedTables): string =>
  [
    `# Data dictionary of release ${manifest.run_id}`,
    `${USUAL_TYPES} Every table passed its audits: among others unique key, no null without a declared reason, ` +
      'closed lists of values.',
    ...dictionarySections(models, parquetType, true),
  ].join('\n\n');
