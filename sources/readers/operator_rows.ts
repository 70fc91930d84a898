/** A CSV file that the operator keeps by hand. A bad row is refused with its line, and the others are read. */
import type { RecordDefinition } from '../../lib/record.ts';
import { defineSource, type DropFormat, type SourceSpec } from '../contract.ts';
import { checkColumns, readCsv } from '../csv/csv.ts';
import { candidate, optional, refuse } from '../values.ts';

interface OperatorFile extends Pick<SourceSpec, 'name' | 'title'>, Pick<DropFormat, 'seal'> {
  /** Its columns are those of the file, each under its own name. */
  readonly row: RecordDefinition;
}

export function operatorRows({ name, title, row, seal }: OperatorFile): SourceSpec {
  const columns = row.columns.map((column) => column.name);
  const needed = row.columns.filter(({ absent }) => absent === undefined).map((column) => column.name);
  const file = `${name}.csv`;
  return defineSource({
    name,
    family: 'corrections',
    title,
    home: `file:///drop/${name}/`,
    terms: {
      basis: 'permission',
      note: "The file is the operator's own.",
      quote: "The file is the operator's own.",
      resale: 'allowed',
    },
    everyDays: 3650,
    readEveryDays: 1,
    hosts: [],
    row,
    expect: { minRows: 0, maxRejectShare: 1, maxDropShare: 1 },
    drop: [
      {
        pattern: /\.csv$/u,
        file,
        kind: 'csv',
        about: `a text with the columns ${columns.join(', ')}`,
        ...(seal && { seal }),
      },
    ],
    parse(page) {
      const { header, rows } = readCsv(page.text('windows-1252'), page.url);
      checkColumns(header, columns, page.url);
      return rows.map(({ cells, line }) =>
        // A refused row is published: without the name of a person.
        candidate(`line ${line}`, () => {
          if (cells.length !== header.length)
            refuse('wrong_field_count', `line ${line} has ${cells.length} fields, expected ${header.length}`);
          const values = Object.fromEntries(header.map((column, at) => [column, optional(cells[at])]));
          const blank = needed.find((column) => values[column] === null);
          if (blank !== undefined) refuse('blank_field', `line ${line}: ${blank} is blank, expected a value`);
          return { values };
        }),
      );
    },
  });
}
