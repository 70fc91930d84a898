/** Dropped files of several suppliers, such as brokers: a bad file loses its own rows only. */
import { type Page, Quarantine, type SourceSpec } from '../../../sources/contract.ts';
import { droppedName } from '../../../sources/dropped_files.ts';
import { checkedRows, checkRejects, rejectOf, WHOLE_FILE, type Checked, type Values } from './check_rows.ts';
import type { ReadPage } from '../reads.ts';

/** The rows of a readable file. */
interface FileRows {
  readonly page: ReadPage;
  readonly rows: readonly Checked[];
}

/**
 * Every candidate of the readable files, and one reject for each unreadable file. Its key is its folder.
 * @throws Quarantine the first one, if no file is readable
 */
export async function checkedFiles(spec: SourceSpec, pages: readonly ReadPage[]): Promise<readonly Checked[]> {
  const files: FileRows[] = [];
  const refused: { readonly page: ReadPage; readonly error: Quarantine }[] = [];
  for (const page of pages) {
    try {
      files.push({ page, rows: await rowsOfFile(spec, await page.open()) });
    } catch (error) {
      if (!(error instanceof Quarantine)) throw error;
      refused.push({ page, error });
    }
  }
  const [first] = refused;
  if (first && files.length === 0)
    throw new Quarantine(first.error.reason, `${fileOf(first.page)}: ${first.error.message}`, first.page.url);
  const lost = refused.map(({ page, error }) => ({
    reject: rejectOf(spec, page, {
      page_row: 0,
      reason: error.reason,
      detail: `${fileOf(page)}: ${error.message}`,
      raw: WHOLE_FILE,
    }),
    key: { folder: page.context['folder'] ?? '' },
  }));
  return [...withoutSharedKeys(spec, files), ...lost];
}

/** @throws Quarantine too_many_rejects if too large a share of the file's rows is refused */
async function rowsOfFile(spec: SourceSpec, page: Page): Promise<readonly Checked[]> {
  const rows = (await Array.fromAsync(checkedRows(spec, [page]))).flat();
  const rejects = rows.flatMap((row) => ('reject' in row ? [row.reject] : []));
  checkRejects(spec, { rejects, rowsIn: rows.length, unreadablePages: 0 });
  return rows;
}

/** All rows; those of one key that are different things in different files are rejected. */
function* withoutSharedKeys(spec: SourceSpec, files: readonly FileRows[]): Generator<Checked> {
  const keyOf = (values: Values): string => JSON.stringify(spec.row.key.map((name) => values[name]));
  /** By key, the last file of each thing. */
  const things = new Map<string, Map<string, ReadPage>>();
  for (const { page, rows } of files)
    for (const row of rows) {
      const thing = 'values' in row ? spec.dropFolders?.thingOf?.(row.values) : undefined;
      if (!('values' in row) || thing === undefined || thing === null) continue;
      const key = keyOf(row.values);
      things.set(key, (things.get(key) ?? new Map<string, ReadPage>()).set(thing, page));
    }
  for (const { page, rows } of files)
    for (const row of rows) {
      const found = 'values' in row ? [...(things.get(keyOf(row.values)) ?? [])] : [];
      const isShared = new Set(found.map(([, file]) => file)).size > 1;
      const where = found.map(([thing, file]) => `${thing} in ${fileOf(file)}`);
      yield 'values' in row && isShared ? sharedKey(spec, page, row.values, where) : row;
    }
}

function sharedKey(spec: SourceSpec, page: ReadPage, values: Values, places: readonly string[]): Checked {
  const key = Object.fromEntries(spec.row.key.map((name) => [name, String(values[name])]));
  const reject = rejectOf(spec, page, {
    page_row: Number(values['page_row']),
    reason: 'contradictory_rows',
    detail: `${Object.values(key).join(' ')} is ${places.join(' and ')}: give each supplier a folder of its own`,
    raw: JSON.stringify(values),
  });
  return { reject, key };
}

const fileOf = ({ context, url }: ReadPage): string => droppedName(context) ?? url;
