/** A CSV file with a header that an office posts at an address, as rows of one record. */
import { type Candidate, defineSource, type FetchContext, type Page, type SourceSpec } from '../contract.ts';
import { checkColumns, readCsv } from '../csv/csv.ts';
import { candidate, refuse } from '../values.ts';

/** Cells of a row by column. */
export type Cells = Readonly<Record<string, string>>;

export interface PostedCsv extends Omit<SourceSpec, 'fetch' | 'parse' | 'drop' | 'home'> {
  readonly home: string;
  /** Address of the file; a function where the site gives it anew for each visit. */
  readonly file: string | ((ctx: FetchContext) => Promise<string>);
  /** Columns that the file must have, and those that it may have. */
  readonly needed: readonly string[];
  readonly known?: readonly string[];
  /** Values of a row in the record's columns. Refuses a row that is none. */
  readonly values: (cells: Cells, page: Page) => Readonly<Record<string, unknown>>;
}

function parseRows(
  { needed, known = [], values }: Pick<PostedCsv, 'needed' | 'known' | 'values'>,
  page: Page,
): Candidate[] {
  const { header, rows } = readCsv(page.text('windows-1252'), page.url, { looseQuotes: true });
  checkColumns(header, needed, page.url, known);
  return rows.map(({ cells, raw, line }) =>
    candidate(raw, () => {
      if (cells.length !== header.length)
        refuse('wrong_field_count', `line ${line} has ${cells.length} fields, expected ${header.length}`);
      return { values: values(Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])), page) };
    }),
  );
}

/** A source of one posted file. An operator may drop the file instead. */
export function postedCsv(declared: PostedCsv): SourceSpec {
  const { file, needed, known, values, ...spec } = declared;
  const columns = known === undefined ? { needed, values } : { needed, known, values };
  return defineSource({
    ...spec,
    drop: [
      { pattern: /\.csv$/iu, file: 'list.csv', kind: 'csv', about: `the file, with the columns ${needed.join(', ')}` },
    ],
    fetch: async function* (ctx): AsyncGenerator<Page> {
      const url = typeof file === 'string' ? file : await file(ctx);
      yield await ctx.get(url, { kind: 'csv', accept: 'text/csv', observed: 'content' });
    },
    parse: (page) => parseRows(columns, page),
  });
}
