/**
 * The changes of a list as a response: events in order, each with the current record.
 *
 * A record has its fields only if the list has it now, for the same place and kind. The change of a lead that is sold
 * or being bought has its id alone.
 */
import { dataOf } from '../envelope.ts';
import { z } from 'zod';
import { notComparedOf } from '../../../models/marts/change_feeds.ts';
import { CHANGE_KINDS, GONE_REASONS } from '../../../models/marts/changes.ts';
import { instantOf } from '../../../lib/time.ts';
import { Problem } from '../../http/problem.ts';
import { Filters, type Condition, type Either } from '../../serving/filters.ts';
import { withField, type JsonText } from '../../serving/json_text.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { RouteRequest } from '../define.ts';
import { fieldsOf, filtersOf, listBody, pageSizeOf, queryOf, type List, type ListPage } from '../list/envelope.ts';
import type { Held } from '../leads/lead_holds.ts';
import type { Params } from '../params.ts';
import { changesIn, requireFeed, type FeedDefinition } from './feeds.ts';
import type { ListFilters } from '../list/filters.ts';

const LIST = '(SELECT value FROM json_each(?1))';
const CLAIMED = `SELECT leads.id, property_key FROM leads LEFT JOIN property_keys USING (record_id)
  WHERE leads.id IN ${LIST}
  UNION SELECT leads.id, property_key FROM property_keys JOIN leads USING (record_id) WHERE property_key IN ${LIST}`;

interface HeldLeads {
  /** Ids of all held leads, those that this snapshot lacks among them. */
  readonly ids: ReadonlySet<string>;
  /** Ids of the leads that are not sold yet: they are free again if their purchase fails. */
  readonly held: ReadonlySet<string>;
}

/** Held leads, and every other lead of their properties. */
function heldLeads(snapshot: Pick<Snapshot, 'rows'>, held: Held): HeldLeads {
  const ids = new Set(held.keys());
  if (ids.size === 0) return { ids, held: new Set() };
  const rows = snapshot.rows(CLAIMED, JSON.stringify([...ids]));
  const found = new Set<string>();
  const sold = new Set<string>();
  for (const { id, property_key: key } of rows) {
    found.add(String(id));
    if ([id, key].some((name) => held.get(String(name)) === 'sold')) sold.add(String(id));
  }
  return { ids: ids.union(found), held: found.difference(sold) };
}

/** A change of a record. */
export const ChangeEvent = z
  .strictObject({
    event: z.enum(CHANGE_KINDS),
    at: z.iso.datetime().meta({ description: 'Instant of the snapshot with the change.' }),
    fields: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Names of the fields with another value. Null when: event is not changed.' }),
    reason: z
      .enum(GONE_REASONS)
      .nullable()
      .meta({ description: 'Reason why the record is gone. Null when: event is not gone.' }),
  })
  .meta({
    description:
      'Only with updated_since. new and changed: the record has its current values; with its id alone, it is no ' +
      'longer in the list. gone: the record left the list. A sold lead has its id alone.',
  });

const SECOND_MS = 1000;
const ORDER = { column: 'changed_at', direction: 'ASC' } as const;
const NOTE =
  'Changes, oldest first. A record with its id alone is no longer in this list. The next updated_since is the ' +
  'smallest changes_through of all pages.';

interface ChangeRequest {
  readonly list: List;
  readonly feed: FeedDefinition;
  /** The filters of the list. */
  readonly narrow: ListFilters;
  readonly request: RouteRequest<Params>;
  readonly since: string;
  /** Records that the list has now, for the filters of the request. */
  matching(request: RouteRequest<Params>): Promise<Filters>;
  /** Name of an item, for "No ... changed". */
  readonly itemName: string;
  readonly sourcePrefix?: string | undefined;
}

/** Changes since then in the place and of the kind of the request, and those of records that may have left it. */
async function changesFor({ feed, narrow, request, since }: ChangeRequest, held: HeldLeads): Promise<Filters> {
  const { list, fields = {} } = feed;
  const ids = [...held.ids];
  const soldLeads: Either =
    list === 'leads'
      ? [
          { column: 'reason', is: '=', value: 'sold' },
          { column: 'record_id', is: 'one of', values: ids },
        ]
      : [];
  const movedBy = (column: string): Condition => ({
    column: 'changed_fields',
    is: 'containing',
    value: JSON.stringify(fields[column] ?? column),
  });
  const placed = await changesIn(feed, narrow, request);
  const all = new Filters('changes').and('list', '=', list).and('changed_at', '>', since);
  return placed.conditions.reduce(
    (found, either) => found.either(...either, ...either.map(({ column }) => movedBy(column)), ...soldLeads),
    ids.length === 0
      ? all
      : all.either({ column: 'change', is: '=', value: 'gone' }, { column: 'record_id', is: 'none of', values: ids }),
  );
}

interface Event {
  readonly id: string;
  readonly record: string;
  readonly change: z.infer<typeof ChangeEvent>;
}

const EVENT_FIELDS = ['id', 'record_id', 'change', 'changed_fields', 'reason', 'changed_at'];

/** Events of these rows. A held lead has the reason `sold`, as in the next snapshot. */
function eventsOf(snapshot: Snapshot, rows: readonly number[], held: HeldLeads): Event[] {
  return snapshot.records('changes', rows, EVENT_FIELDS).map((row) => {
    const record = String(row['record_id']);
    const change = ChangeEvent.parse({
      event: row['change'],
      at: row['changed_at'],
      fields: row['changed_fields'],
      reason: held.ids.has(record) ? 'sold' : row['reason'],
    });
    return { id: String(row['id']), record, change };
  });
}

/** Texts of the records that the list has now, by id. */
async function recordsOf(
  snapshot: Snapshot,
  listed: Filters,
  { ids, columns }: { readonly ids: readonly string[]; readonly columns: readonly string[] },
): Promise<ReadonlyMap<string, Buffer>> {
  const { table } = listed;
  const rows = await snapshot.select(listed.either({ column: 'id', is: 'one of', values: ids }));
  const texts = snapshot.texts(table, rows, columns);
  return new Map(snapshot.ids(table, rows).flatMap((id, i) => (texts[i] === undefined ? [] : [[id, texts[i]]])));
}

/**
 * The instant up to which a client has every change. It ends before the first change that is withheld because its lead
 * is being bought: if that purchase fails, the lead is in the list again, without another change. The filters of the
 * request are ignored, so that they do not disclose the place of such a lead.
 */
async function changesThroughOf(
  snapshot: Snapshot,
  changesThrough: string,
  since: string,
  held: ReadonlySet<string>,
): Promise<string> {
  if (held.size === 0) return changesThrough;
  const withheld = new Filters('changes')
    .and('list', '=', 'leads')
    .and('changed_at', '>', since)
    .and('change', '<>', 'gone')
    .either({ column: 'record_id', is: 'one of', values: [...held] });
  // They are in the order of their instants.
  const [first] = await snapshot.select(withheld);
  if (first === undefined) return changesThrough;
  const at = Date.parse(String(snapshot.column('changes', 'changed_at').at(first)));
  return instantOf(at - SECOND_MS);
}

/**
 * One page of the changes of a list.
 * @throws Problem no_matches if nothing changed, so that it is not billed; those of requireFeed
 */
export async function changesResponse(options: ChangeRequest): Promise<JsonText> {
  const { list, feed, since, itemName } = options;
  const { snapshot, manifest, cursors } = options.request;
  const params: Readonly<Record<string, unknown>> = options.request.params;
  const filters = filtersOf(params);
  const query = queryOf(list.path, filters);
  const after = typeof params['cursor'] === 'string' ? cursors.read(params['cursor'], query) : undefined;
  const state = requireFeed(snapshot, feed.list, { since, after: after?.value ?? undefined });
  // Read once: a lead is withheld and left out by the same holds.
  const holds: Held = feed.list === 'leads' ? await options.request.holds() : new Map();
  const request = { ...options.request, holds: async () => holds };
  const held = heldLeads(snapshot, holds);
  const { limit } = pageSizeOf(list, params);
  const changes = await changesFor({ ...options, request }, held);
  const { total, rows } = await snapshot.find({ filters: changes, rank: ORDER }, after, limit + 1);
  const { changesThrough: latest, completeSince } = state;
  const changesThrough = await changesThroughOf(snapshot, latest, since, held.held);
  if (rows.length === 0) {
    throw new Problem(
      'no_matches',
      total === 0
        ? `No ${itemName} changed after ${since}. Nothing was charged.`
        : 'There are no changes after this cursor. Nothing was charged.',
      {
        filters,
        total_matches: total,
        changes_through: changesThrough,
        complete_since: completeSince,
        ...dataOf(manifest),
      },
    );
  }
  const events = eventsOf(snapshot, rows.slice(0, limit), held);
  const { names, columns } = fieldsOf(list, params);
  const ids = events.filter(({ change }) => change.event !== 'gone').map(({ record }) => record);
  const texts = await recordsOf(snapshot, await options.matching(request), { ids, columns });
  const last = events.at(-1);
  const page: ListPage = {
    table: feed.list,
    records: events.map(({ record, change }) =>
      withField(
        (change.event === 'gone' ? undefined : texts.get(record)) ?? Buffer.from(JSON.stringify({ id: record })),
        'change',
        change,
      ),
    ),
    total,
    fields: names,
    nextCursor:
      last && rows.length > limit
        ? cursors.write({ value: last.change.at, id: last.id, isBehind: false }, query)
        : null,
    changesThrough,
    completeSince,
    notCompared: notComparedOf(feed.list),
    note: NOTE,
    sourcePrefix: options.sourcePrefix,
  };
  return listBody(request, list, page);
}
