/** docs/data-dictionary.md: every column and audit of every published table. */
import { noteOf } from '../../lib/record.ts';
import { loadModels, type Model } from '../../models/index.ts';
import { cell, table } from './markdown.ts';

type Audit = Model['contract']['audits'][number];

const auditTable = (audits: readonly Audit[]): string =>
  table(
    ['audit', 'passes when', 'blocks publication'],
    audits.map((a) => [`\`${a.name}\``, cell(a.about), a.blocking ? 'yes' : 'no']),
  );

const sectionOf = ({ name, contract: { record, audits } }: Model): readonly string[] => [
  `## ${name}`,
  record.about,
  `Key: ${record.key.map((column) => `\`${column}\``).join(', ')}. File: \`${name}.parquet\`.`,
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
    '## Intermediate models',
    'These models are not published. Their audits run on every build.',
    auditTable(models.filter(({ contract }) => !contract.publish).flatMap(({ contract }) => contract.audits)),
  ].join('\n\n');
}
