/** The models of a few published tables, for tests that read no other: they build in a quarter of the time. */
import { openDuck } from '../../lib/duck.ts';
import { identifier } from '../../lib/sql.ts';
import { tablesRead } from '../../models/graph.ts';
import { loadModels, type Model } from '../../models/index.ts';

/** A published model without rows: the same columns, no dependencies and no audits of its own. */
function emptied(model: Model): Model {
  const columns = model.contract.record.columns.map(({ name, sql }) => `CAST(NULL AS ${sql}) AS ${identifier(name)}`);
  return {
    ...model,
    sql: `SELECT ${columns.join(', ')} WHERE false`,
    contract: { ...model.contract, audits: [] },
  };
}

const MODELS = await loadModels();

/** Names of the models that each model reads, itself first. */
async function readsOfModels(): Promise<ReadonlyMap<string, readonly string[]>> {
  const duck = await openDuck();
  try {
    const reads = new Map<string, readonly string[]>();
    for (const { name, sql } of MODELS) reads.set(name, await tablesRead(duck.connection, sql));
    return reads;
  } finally {
    duck.close();
  }
}

let reads: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

/**
 * The models that fill these published tables. The other published tables are there and empty, because each run counts
 * their changes.
 */
export async function modelsOf(tables: readonly string[]): Promise<Model[]> {
  const readsByName = await (reads ??= readsOfModels());
  const needed = new Set<string>();
  const add = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const read of readsByName.get(name) ?? []) add(read);
  };
  for (const table of tables) add(table);
  return MODELS.flatMap((model) => {
    if (needed.has(model.name)) return [model];
    return model.contract.publish ? [emptied(model)] : [];
  });
}
