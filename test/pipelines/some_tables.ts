/** The models of a few published tables, for tests that read no other: they build in a quarter of the time. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from '../../lib/closing.ts';
import { openSmall } from '../../lib/duck.ts';
import { identifier } from '../../lib/sql.ts';
import { auditsOfReferences } from '../../models/contract.ts';
import { columnsOfModels, type SqlColumn } from '../../models/columns.ts';
import { tablesOfEach } from '../../models/graph.ts';
import { isMart, loadModels, type Mart, type Model } from '../../models/index.ts';
import { VIEWS } from '../../models/views.ts';
import { sharedFolder } from '../shared_folder.ts';

const MODELS = await loadModels();

/** Columns that commands and views read: the summary of changes, sources degraded by their joins, `make explain`. */
const ALWAYS_READ = [
  'list new_records changed_records gone_records',
  ...VIEWS.map(({ sql }) => sql),
  'status, reason, detail',
  'recompute',
].join('\n');

const COLUMNS = 'columns.json';
const columnsFolder = sharedFolder('columns_of_models', async (folder) => {
  await writeFile(join(folder, COLUMNS), JSON.stringify([...(await columnsOfModels())]));
});
let columnsRead: Promise<ReadonlyMap<string, readonly SqlColumn[]>> | undefined;
/** columnsOfModels, whose build of all models one process does for all. */
export const sharedColumns = (): Promise<ReadonlyMap<string, readonly SqlColumn[]>> =>
  (columnsRead ??= columnsFolder()
    .then((folder) => readFile(join(folder, COLUMNS), 'utf8'))
    .then((text) => new Map(JSON.parse(text) as readonly [string, readonly SqlColumn[]][])));

/** A model without rows, dependencies and audits of its own. */
function withoutRows(model: Model, columns: readonly SqlColumn[]): Model {
  const values = columns.map(({ name, sql }) => `CAST(NULL AS ${sql}) AS ${identifier(name)}`);
  return {
    ...model,
    sql: `SELECT ${values.join(', ')} WHERE false`,
    audits: [],
  };
}

/**
 * A published model without rows. It has the columns that a run reads, today's or the next: each other column would
 * cost a comment.
 */
function emptied(model: Mart): Mart {
  const { record, publish } = model.contract;
  const later = MODELS.map(({ sql }) => sql).filter((sql) =>
    new RegExp(`(?:previous|followed)_${model.name}\\b`, 'u').test(sql),
  );
  const read = [ALWAYS_READ, ...later, ...record.key, ...publish.orderBy].join('\n');
  const columns = record.columns.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'u').test(read));
  const { parts: _, ...whole } = publish;
  return {
    ...withoutRows(model, columns),
    contract: { ...model.contract, publish: whole, record: { ...record, columns } },
  };
}

/** Names of the tables that each model reads. */
async function readsOfModels(): Promise<ReadonlyMap<string, readonly string[]>> {
  await using duck = closing(await openSmall());
  const { connection } = duck;
  const tables = await tablesOfEach(
    connection,
    MODELS.map(({ sql }) => sql),
  );
  return new Map(
    MODELS.map(({ name }, i) => {
      const read = tables[i] ?? [];
      if (read instanceof Error) throw read;
      return [name, read];
    }),
  );
}

/** The model without references to tables that stay empty. */
function referringTo(model: Model, filled: ReadonlySet<string>): Model {
  if (!isMart(model)) return model;
  const { publish } = model.contract;
  const references = Object.fromEntries(
    Object.entries(publish.references ?? {}).filter(([, target]) => filled.has(target)),
  );
  const lost = auditsOfReferences(model.name, publish).filter(({ name }) => !filled.has(name.split('_in_')[1] ?? ''));
  const audits = model.audits.filter(({ name }) => !lost.some((audit) => audit.name === name));
  return { ...model, audits, contract: { ...model.contract, publish: { ...publish, references } } };
}

let reads: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

/** Left empty by tests that do not check whether joins degrade a source: a third of such a build. */
export const JOIN_RATES = 'int_join_rates';

/** Left empty by tests that read no list of distress and no layer or roll of parcels. */
export const DISTRESS_AND_PARCELS = ['stg_distress_records', 'stg_parcel_rows'];

/** Left empty by tests of leads that read no listing: a quarter of such a build. */
export const LISTINGS = ['int_properties', 'int_distress_matches'];

/** Left empty by tests of deals that read no record of a county: a third of such a build. */
export const COUNTY_RECORDS = ['int_distress_matches', 'int_distress_records', 'int_condominiums', 'stg_parcels'];

/**
 * The models that fill these published tables. The other published tables are there and empty, because each run counts
 * their changes.
 * @param empty models without rows, so that all that only they read is not built
 */
export async function modelsOf(tables: readonly string[], empty: readonly string[] = []): Promise<Model[]> {
  const readsByName = await (reads ??= readsOfModels());
  const needed = new Set<string>();
  const add = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    if (!empty.includes(name)) for (const read of readsByName.get(name) ?? []) add(read);
  };
  for (const table of tables) add(table);
  const columns = empty.length === 0 ? new Map<string, readonly SqlColumn[]>() : await sharedColumns();
  return MODELS.flatMap((model) => {
    if (empty.includes(model.name)) return [withoutRows(model, columns.get(model.name) ?? [])];
    if (needed.has(model.name)) return [referringTo(model, needed)];
    return isMart(model) ? [emptied(model)] : [];
  });
}
