/** Updates the states of the sources after the build, which finds out whether their rows join others. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../lib/duck.ts';
import type { SourceState } from '../ingest/source_state.ts';

/** The same states, with the status and the reason of sources that the model `sources` reports as degraded. */
export async function judgeSources(
  connection: DuckDBConnection,
  sources: readonly SourceState[],
): Promise<readonly SourceState[]> {
  const degraded = await rowsOf(connection, "SELECT source, reason, detail FROM sources WHERE status = 'degraded'");
  const found = new Map(degraded.map((row) => [row['source'], row]));
  return sources.map((state) => {
    const judged = found.get(state.row.source);
    if (!judged) return state;
    const { reason, detail } = judged;
    return { ...state, row: { ...state.row, status: 'degraded', reason: String(reason), detail: String(detail) } };
  });
}
