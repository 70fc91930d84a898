/**
 * Tables that are read in pages while their publisher edits them. A row has an id; the ids of the table at the end
 * decide: a row that no page had refuses the read, one that is gone is left out, as is a copy in a later page.
 */
import type { JsonObject } from '../../lib/json.ts';
import { type FetchContext, type Page, Quarantine } from '../contract.ts';

export class PagedRead {
  readonly #pages: { readonly page: Page; readonly ids: readonly unknown[]; readonly leftOut: readonly unknown[] }[] =
    [];
  /** Ids of the rows read so far. */
  readonly seen = new Set<unknown>();

  get pages(): number {
    return this.#pages.length;
  }

  /**
   * Take a page. Ids that an earlier page had are left out of it.
   * @param later ids that a later page has again, with the rest of their record
   * @returns whether it has a row that no page had
   */
  take(page: Page, ids: readonly unknown[], later: readonly unknown[] = []): boolean {
    const leftOut = [...ids.filter((id) => this.seen.has(id)), ...later];
    const own = ids.filter((id) => !leftOut.includes(id));
    for (const id of own) this.seen.add(id);
    if (own.length > 0 || this.#pages.length === 0) this.#pages.push({ page, ids: own, leftOut });
    return own.length > 0;
  }

  /**
   * The pages without the rows that are gone.
   * @param name of the column with the ids
   * @param present ids of the table after the read; null if they are not known, and no row is believed gone
   */
  async *rest(ctx: FetchContext, name: string, present: ReadonlySet<unknown> | null): AsyncGenerator<Page> {
    for (const { page, ids, leftOut } of this.#pages) {
      const without = [...leftOut, ...ids.filter((id) => present?.has(id) === false)];
      yield without.length === 0 ? page : await ctx.withContext(page, { id: name, without: JSON.stringify(without) });
    }
  }
}

/** @param expected ids that the read must have @throws Quarantine count_mismatch unless it has them all */
export function checkWhole(expected: readonly unknown[], { seen }: PagedRead, url: string): void {
  const lost = expected.filter((id) => !seen.has(id));
  if (lost.length > 0)
    throw new Quarantine(
      'count_mismatch',
      `${seen.size} rows were read, and ${lost.length} others are in the table, such as ${String(lost[0])}`,
      url,
    );
}

/** The rows of a page that are not left out. */
export function rowsToParse<Row extends JsonObject>({ context }: Page, rows: readonly Row[]): readonly Row[] {
  const { id, without } = context;
  if (id === undefined || without === undefined) return rows;
  const left = new Set<unknown>(JSON.parse(without) as unknown[]);
  return rows.filter((row) => !left.has(row[id]));
}
