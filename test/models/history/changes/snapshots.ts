/** Builds the change feed over snapshots whose lists a test states, each upon the one before. */
import assert from 'node:assert/strict';
import { build, type InputRow, type Inputs } from '../../build_models.ts';

/** The models of the feed. All that they read is stated. */
const FEED = [
  'int_change_feeds',
  'int_listed_records',
  'int_listed_before',
  'int_record_changes',
  'int_changed_fields',
  'int_sold_keys',
  'int_sold_lead_ids',
  'int_gone_reasons',
  'int_change_places',
  'changes',
  'change_feeds',
];
const LISTS = ['deals', 'signals', 'auctions', 'leads', 'filings', 'listing_history'] as const;
const READ = ['stg_registrations', 'int_filings_before', 'property_keys', 'int_property_groups'];
const NOTHING: Inputs = Object.fromEntries([...LISTS, ...READ, 'int_property_records'].map((table) => [table, []]));

export interface Snapshot {
  readonly changes: readonly Readonly<Record<string, unknown>>[];
  readonly feeds: readonly Readonly<Record<string, unknown>>[];
  /** What the next snapshot reads of this one. */
  readonly published: Inputs;
}

/** A change in one line: "leads new 1", "deals changed 1 list_price", "auctions gone 1 called_off". */
export const lineOf = (change: Readonly<Record<string, unknown>>): string =>
  [change['list'], change['change'], change['record_id'], change['changed_fields'], change['reason']]
    .filter((part) => part !== null)
    .map((part) => (Array.isArray(part) ? part.join(' ') : String(part)))
    .join(' ');

/**
 * Build the changes of one day.
 * @param tables rows of the lists, and of other inputs; every list that is not named has none
 * @param previous null: the first snapshot. Its clock is noon of `day`
 */
export async function snapshotOf(day: string, tables: Inputs, previous: Snapshot | null): Promise<Snapshot> {
  const inputs: Inputs = {
    ...NOTHING,
    run: [{ as_of: day, observed_at: `${day}T12:00:00Z`, assumption_set_id: 'uw-2026.2' }],
    ...previous?.published,
    ...tables,
  };
  const built = await build(inputs, ({ name }) => FEED.includes(name));
  try {
    assert.deepEqual(built.failed, []);
    const published: Record<string, readonly InputRow[]> = {};
    for (const table of [...LISTS, 'changes', 'change_feeds'])
      published[`followed_${table}`] = (await built.rows(table)).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([k, v]) => [k, typeof v === 'object' && v !== null ? JSON.stringify(v) : v]),
        ),
      );
    return { changes: await built.rows('changes'), feeds: await built.rows('change_feeds'), published };
  } finally {
    built.close();
  }
}
