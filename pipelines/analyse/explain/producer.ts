/** The model that computes a published column, found in the SQL of the models, so that new columns need no entry. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { tablesRead } from '../../../models/graph.ts';
import { loadModels, type Model } from '../../../models/index.ts';

const hasColumn = ({ contract }: Model, column: string): boolean =>
  contract.record.columns.some(({ name }) => name === column);

/**
 * Follow a column from a published table to the first model that has it. A staging model only reads it from a page.
 * @returns null if the table is no model or has no such column
 */
export async function findProducer(connection: DuckDBConnection, table: string, column: string): Promise<Model | null> {
  const models = new Map((await loadModels()).map((model) => [model.name, model]));
  const visited = new Set<string>();
  let found = models.get(table);
  if (!found || !hasColumn(found, column)) return null;
  for (;;) {
    visited.add(found.name);
    const read: readonly string[] = await tablesRead(connection, found.sql);
    const earlier = read
      .filter((name) => !visited.has(name))
      .flatMap((name) => models.get(name) ?? [])
      .find((model) => hasColumn(model, column));
    if (!earlier) return found;
    found = earlier;
  }
}

/** Where the column comes from, in words: the model that computes it, or the one that reads it. */
export const producerText = ({ layer, path }: Model): string =>
  `${layer === 'staging' ? 'read' : 'computed'} by ${path}`;
