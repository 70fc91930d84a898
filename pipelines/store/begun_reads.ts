/**
 * Reads that workers of an earlier run of the day have begun. Their request records are in the store even if that run
 * ended before it fetched them and its host is gone.
 */
import { readCatalog } from '../../lib/store/catalog.ts';
import type { Store } from '../../lib/store/store.ts';
import { parseRunId } from '../layout.ts';

/** Run ids by source. */
async function list(store: Store, asOf: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { runs = [] } = (await readCatalog(store))?.catalog ?? {};
  const published = new Set(runs.filter((run) => run.manifest !== null).map((run) => run.run_id));
  const claimed = (await store.list('runs/')).map((name) => name.slice('runs/'.length));
  const ended = claimed.filter((id) => parseRunId(id)?.asOf === asOf && !published.has(id));
  const begun = new Map<string, string[]>();
  for (const id of ended) {
    const names = await store.list(`requests/${id}/`);
    for (const source of new Set(names.map((name) => name.split('/')[2] ?? '')))
      begun.set(source, [...(begun.get(source) ?? []), id]);
  }
  return begun;
}

/** A function that returns the unpublished runs of a day whose workers have begun to read a source. */
export function begunReads(store: Store): (source: string, asOf: string) => Promise<readonly string[]> {
  const days = new Map<string, ReturnType<typeof list>>();
  return async (source, asOf) => {
    const listed = days.get(asOf) ?? list(store, asOf);
    days.set(asOf, listed);
    return (await listed).get(source) ?? [];
  };
}
