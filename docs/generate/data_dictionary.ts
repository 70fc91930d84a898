/** docs/data-dictionary.md: every column and audit of every published table. */
import { storedType } from '../../lib/stored_types.ts';
import { cell, table } from '../../lib/markdown.ts';
import { auditTable, tableSection } from '../../models/dictionary.ts';
import { loadModels } from '../../models/index.ts';
import { VIEWS } from '../../models/views.ts';

export async function dataDictionaryPage(): Promise<string> {
  const models = await loadModels();
  return [
    '# Data dictionary',
    'For analysts and buyers: look up the meaning of each column of a published table, and its audits. Written by ' +
      '`make docs` from the record definitions; do not edit.',
    'Types are those of the DuckDB file. In Parquet a UUID is text, as in JSON columns and responses.',
    'Every table also passes the audits that follow from its record: unique key, no null without a declared reason, ' +
      'closed lists of values.',
    ...models.filter(({ contract }) => contract.publish).flatMap((model) => tableSection(model, storedType)),
    '## Views',
    'The DuckDB file has these views of the tables, for the most common questions.',
    table(
      ['view', 'meaning'],
      VIEWS.map(({ name, about }) => [`\`${name}\``, cell(about)]),
    ),
    '## Intermediate models',
    'These models are not published. Their audits run on every build.',
    auditTable(models.filter(({ contract }) => !contract.publish).flatMap(({ contract }) => contract.audits)),
  ].join('\n\n');
}
