/** Sources whose rows are older than their cadence, relative to today: if the pipeline stops, all become stale. */
import { z } from 'zod';
import { DAY_MS } from '../../lib/time.ts';
import { SourceRead } from '../../models/inputs.ts';
import { Source } from '../../models/marts/sources.ts';
import type { Snapshot } from './open.ts';

const { shape } = SourceRead.schema;

export type Family = z.infer<typeof shape.family>;

/** A source whose rows are older than its read interval, or outdated because their fiscal year is over. */
export const StaleSource = z.strictObject({
  source: shape.source,
  last_good_at: z.iso.datetime(),
  every_days: shape.every_days,
  /** As in stale_reason of the table sources. */
  reason: Source.schema.shape.stale_reason.unwrap(),
});
export type StaleSource = z.infer<typeof StaleSource>;

interface StaleSourceOfFamily extends StaleSource {
  readonly family: Family;
}

type Row = z.infer<typeof Source.schema>;

function findStale(snapshot: Snapshot, today: string): readonly StaleSourceOfFamily[] {
  return (snapshot.all('sources') as Row[]).flatMap((row) => {
    const { source, family, every_days, outdated_on, outdated_reason, last_good_at } = row;
    if (last_good_at === null) return [];
    const isOutdated = outdated_on !== null && outdated_on <= today;
    const days = (Date.parse(today) - Date.parse(last_good_at.slice(0, 10))) / DAY_MS;
    if (days <= every_days && !isOutdated) return [];
    const reason = (isOutdated ? outdated_reason : null) ?? 'older_than_read_interval';
    return [{ source, family, last_good_at, every_days, reason }];
  });
}

const cache = new WeakMap<Snapshot, { readonly today: string; readonly stale: ReturnType<typeof findStale> }>();

/** Stale sources on this day, of these families or of all. Found once per snapshot and day. */
export function staleSources(
  snapshot: Snapshot,
  today: string,
  families: readonly Family[] = shape.family.options,
): StaleSource[] {
  let cached = cache.get(snapshot);
  if (cached?.today !== today) cache.set(snapshot, (cached = { today, stale: findStale(snapshot, today) }));
  return cached.stale.flatMap(({ family: own, ...source }) => (families.includes(own) ? [source] : []));
}
