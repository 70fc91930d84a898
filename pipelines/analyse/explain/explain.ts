/** Traces one row of a snapshot to its formulas, inputs, assumptions, pages and archived bytes, for `make explain`. */
import { rowsOf } from '../../../lib/duck.ts';
import type { Column } from '../../../lib/record.ts';
import { SettingError } from '../../../lib/settings.ts';
import { identifier } from '../../../lib/sql.ts';
import { loadModels } from '../../../models/index.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import type { Archive } from '../../../sources/fetch/archive.ts';
import type { OpenSnapshot } from '../open_snapshot.ts';
import { EXPLAINABLE, type Explainable } from '../settings.ts';
import { dealParts, leadParts, recordParts, type Parts } from './parts.ts';
import { findPage, type PageFound } from './pages.ts';
import { fieldsOf, type Fields } from './steps.ts';

export interface Assumption {
  readonly value: string;
  readonly unit: string;
  readonly kind: string;
  readonly basis: string;
  readonly set: string;
}

export interface Explanation extends Omit<Parts, 'pages'> {
  readonly table: Explainable;
  readonly id: string;
  readonly snapshot: string;
  readonly asOf: string;
  readonly row: Fields;
  readonly columns: readonly Column[];
  readonly assumptions: ReadonlyMap<string, Assumption>;
  readonly pages: readonly PageFound[];
}

/**
 * Find a row by its id, or by a unique prefix of it. The lead of a tax delinquency has the id of its signal: the lead
 * wins, unless `wanted` names a table.
 * @throws SettingError if no row or several rows match
 */
async function findRow(
  { duck, manifest, removed }: OpenSnapshot,
  id: string,
  wanted: Explainable | undefined,
): Promise<{ table: Explainable; row: Fields }> {
  if (!/^[0-9a-f-]{6,36}$/u.test(id))
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected the id of a deal, lead, signal, auction or filing, or at least its ` +
        'first six characters',
    );
  const found: { table: Explainable; row: Fields }[] = [];
  const searched = EXPLAINABLE.filter((name) => wanted === undefined || name === wanted);
  for (const table of searched.filter((name) => !removed.has(name))) {
    const sql = `SELECT * FROM ${identifier(table)} WHERE starts_with(CAST(id AS VARCHAR), $1) LIMIT 2`;
    for (const row of await rowsOf(duck.connection, sql, [id])) found.push({ table, row: fieldsOf(row) });
  }
  const [first] = found;
  if (!first)
    throw new SettingError(
      `ID is ${JSON.stringify(id)}, expected an id of ${wanted ?? EXPLAINABLE.join(', ')}: snapshot ` +
        `${manifest.run_id} has no such row` +
        searched
          .filter((name) => removed.has(name))
          .map((name) => `. make prune removed its ${name} (${removed.get(name) ?? ''}): choose a later SNAPSHOT`)
          .join(''),
    );
  if (found.some((match) => match.row['id'] !== first.row['id'])) {
    const rows = found.map((match) => `${match.table} ${match.row['id'] ?? ''}`).join(', ');
    throw new SettingError(`ID is ${JSON.stringify(id)}, expected the id of one row; these match: ${rows}`);
  }
  return first;
}

async function readAssumptions({ duck }: OpenSnapshot): Promise<ReadonlyMap<string, Assumption>> {
  const rows = await rowsOf(duck.connection, 'SELECT * FROM assumptions');
  return new Map(
    rows.map((row) => [
      String(row['key']),
      {
        value: String(row['value']),
        unit: String(row['unit']),
        kind: String(row['kind']),
        basis: String(row['basis']),
        set: String(row['assumption_set_id']),
      },
    ]),
  );
}

/** The data that an explanation reads. */
export interface ExplainInputs {
  readonly snapshot: OpenSnapshot;
  readonly archive: Archive;
  readonly sources: readonly SourceSpec[];
}

/**
 * Trace a row.
 * @param wanted table of the row, if two tables have the id
 * @throws SettingError if no single row has the id
 */
export async function explain(
  { snapshot, archive, sources }: ExplainInputs,
  id: string,
  wanted?: Explainable,
): Promise<Explanation> {
  const { manifest } = snapshot;
  const { table, row } = await findRow(snapshot, id, wanted);
  const assumptions = await readAssumptions(snapshot);
  const valueOf = (key: string): string => assumptions.get(key)?.value ?? '';
  const parts =
    table === 'deals'
      ? await dealParts(snapshot, row)
      : table === 'leads'
        ? await leadParts(snapshot, row, valueOf)
        : recordParts(row, valueOf);
  const pages: PageFound[] = [];
  for (const query of parts.pages) pages.push(await findPage(archive, sources, query, manifest.as_of));
  const columns = (await loadModels()).find((model) => model.name === table)?.contract.record.columns ?? [];
  return {
    table,
    id: row['id'] ?? '',
    snapshot: manifest.run_id,
    asOf: manifest.as_of,
    row,
    columns,
    assumptions,
    ...parts,
    pages,
  };
}
