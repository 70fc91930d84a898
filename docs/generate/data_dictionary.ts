/** docs/data-dictionary.md: every column of every published table. */
import { storedType } from '../../lib/stored_types.ts';
import { dictionarySections } from '../../models/dictionary.ts';
import { loadModels } from '../../models/index.ts';
import { VIEWS } from '../../models/views.ts';

export async function dataDictionaryPage(): Promise<string> {
  const published = (await loadModels()).filter(({ contract }) => contract.publish);
  return [
    '# Data dictionary',
    'For analysts and buyers: look up the meaning of each column of a published table. Written by `make docs` from ' +
      'the record definitions; do not edit.',
    'Types are those of the DuckDB file, VARCHAR where none is given; in Parquet a UUID is text, as in JSON columns ' +
      'and responses. Instants are UTC. A column is null only as "Null:" says, or the end of its table. Audits are ' +
      'in the contract of a table, beside its SQL in `models/marts/`. Each table is also a Parquet file.',
    ...dictionarySections(published, storedType),
    '## Views',
    VIEWS.map(({ name, about }) => `- \`${name}\`: ${about}`).join('\n'),
  ].join('\n\n');
}
