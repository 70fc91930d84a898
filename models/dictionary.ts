/** The data dictionary of one published table, as Markdown: for the docs and for a release. */
import { noteOf } from '../lib/record.ts';
import type { storedType } from '../lib/stored_types.ts';
import { cell, table } from '../lib/markdown.ts';
import type { Model } from './index.ts';

type Audit = Model['contract']['audits'][number];

/** A table of audits: name, what is true if it passes, and whether it blocks publication. */
export const auditTable = (audits: readonly Audit[]): string =>
  table(
    ['audit', 'passes when', 'blocks publication'],
    audits.map((audit) => [`\`${audit.name}\``, cell(audit.about), audit.blocking ? 'yes' : 'no']),
  );

/**
 * Blocks of Markdown: heading, meaning of a row, key and file, columns, audits.
 * @param typeOf column type in the file that is described
 */
export const tableSection = (
  { name, contract: { record, audits, publish } }: Model,
  typeOf: typeof storedType,
): readonly string[] => [
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
    record.columns.map((column) => [`\`${column.name}\``, typeOf(column), cell(noteOf(column))]),
  ),
  auditTable(audits),
];
