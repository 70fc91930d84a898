/** Sources whose rows are older than their cadence, relative to today: if the pipeline stops, all become stale. */
import { z } from 'zod';
import { SourceRead } from '../../models/inputs.ts';
import { Source } from '../../models/marts/sources.ts';
import type { Snapshot } from './load.ts';

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

const isOutdated = (from: unknown, today: string): boolean => typeof from === 'string' && from <= today;

const Row = StaleSource.omit({ reason: true }).extend({
  family: shape.family,
  outdated_on: shape.outdated_on,
  outdated_reason: shape.outdated_reason,
});

async function findStale(snapshot: Snapshot, today: string): Promise<readonly StaleSourceOfFamily[]> {
  const rows = await snapshot.recordFields(
    'sources',
    Object.keys(Row.shape),
    `WHERE last_good_at IS NOT NULL AND (
        date_diff('day', CAST(last_good_at AS DATE), CAST($1 AS DATE)) > every_days OR outdated_on <= CAST($1 AS DATE))
      ORDER BY source`,
    [today],
  );
  return z
    .array(Row)
    .parse(rows)
    .map(({ outdated_on, outdated_reason, ...stale }) => ({
      ...stale,
      reason: (isOutdated(outdated_on, today) ? outdated_reason : null) ?? 'older_than_read_interval',
    }));
}

const cache = new WeakMap<Snapshot, { today: string; stale: ReturnType<typeof findStale> }>();

/** Stale sources on this day, of these families or of all. Queried once per snapshot and day. */
export async function staleSources(
  snapshot: Snapshot,
  today: string,
  families: readonly Family[] = shape.family.options,
): Promise<StaleSource[]> {
  let cached = cache.get(snapshot);
  if (cached?.today !== today) {
    cached = { today, stale: findStale(snapshot, today) };
    cache.set(snapshot, cached);
    cached.stale.catch(() => cache.delete(snapshot));
  }
  return (await cached.stale).flatMap(({ family: own, ...source }) => (families.includes(own) ? [source] : []));
}
