/** docs/data-dictionary.md: every column and audit of every published table. */
import { noteOf } from '../../lib/record.ts';
import { loadModels, type Model } from '../../models/index.ts';
import { VIEWS } from '../../models/views.ts';
import { cell, table } from './markdown.ts';

type Audit = Model['contract']['audits'][number];

const auditTable = (audits: readonly Audit[]): string =>
  table(
    ['audit', 'passes when', 'blocks publication'],
    audits.map((a) => [`\`${a.name}\``, cell(a.about), a.blocking ? 'yes' : 'no']),
  );

const sectionOf = ({ name, contract: { record, audits, publish } }: Model): readonly string[] => [
  `## ${name}`,
  record.about,
  [
    `Key: ${record.key.map((column) => `\`${column}\``).join(', ')}.`,
    ...Object.entries(publish?.references ?? {}).map(([column, target]) => `\`${column}\` references \`${target}\`.`),
    ...(publish?.isLarge ? ['The DuckDB file does not declare it, because the table is large.'] : []),
    `File: \`${name}.parquet\`.`,
  ].join(' '),
  table(
    ['column', 'type', 'meaning'],
    record.columns.map((column) => [`\`${column.name}\``, column.sql, cell(noteOf(column))]),
  ),
  auditTable(audits),
];

export async function dataDictionaryPage(): Promise<string> {
  const models = await loadModels();
  return [
    '# Data dictionary',
    'For analysts and buyers: look up what a column of a published table means, and which audits it passed. Written ' +
      'by `make docs` from the record definitions; do not edit.',
    'Every table also passes the audits that follow from its record: unique key, no null without a declared reason, ' +
      'closed lists of values.',
    ...models.filter(({ contract }) => contract.publish).flatMap(sectionOf),
    '## Views',
    'The DuckDB file has these views of the tables, for the questions that analysts ask first. In them instants have ' +
      'a time zone; in the tables they are UTC without one.',
    table(
      ['view', 'meaning'],
      VIEWS.map(({ name, about }) => [`\`${name}\``, cell(about)]),
    ),
    '## Intermediate models',
    'These models are not published. Their audits run on every build.',
    auditTable(models.filter(({ contract }) => !contract.publish).flatMap(({ contract }) => contract.audits)),
  ].join('\n\n');
}
