/**
 * Change feeds (`updated_since`): the state of a list's feed in a snapshot, the checks before a payment, and the
 * changes as a response: events in order, each with the current record.
 *
 * A record has its fields only if the list has it now, for the same place and kind. The change of a lead that is sold
 * or being bought has its id alone.
 */
import { dataOf } from '../envelope.ts';
import { z } from 'zod';
import { notComparedOf, type CHANGE_LISTS } from '../../../models/marts/change_feeds.ts';
import { CHANGE_KINDS, GONE_REASONS } from '../../../models/marts/changes.ts';
import { instantOf } from '../../../lib/time.ts';
import { Problem } from '../../http/problem.ts';
import { Filters, type Condition, type Either } from '../../serving/filters.ts';
import { withField, type JsonText } from '../../serving/records.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { RouteRequest } from '../define.ts';
import { fieldsOf, filtersOf, listBody, pageSizeOf, queryOf, type List, type ListPage } from '../list/envelope.ts';
import type { Held } from '../leads/lead_holds.ts';
import { narrowed, type FilterRequest, type ListFilters } from '../list/filters.ts';
import { instantParam, type Params } from '../params.ts';

export type ChangeList = (typeof CHANGE_LISTS)[number];

/** The change feed of a list. */
export interface FeedDefinition {
  readonly list: ChangeList;
  /** Filters by place and kind. A record that stops matching any other filter could not be reported. */
  readonly filters: readonly string[];
  /** Column of `changes` for a column of the list with another name. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Field whose change may have moved a record, for a column of `changes` with another name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The only state of the list. */
  readonly state?: string;
}

/** Changes in the place and of the kind of a request. @param filters of the list */
export const changesIn = async (
  { filters: names, columns = {}, state }: FeedDefinition,
  filters: ListFilters,
  request: FilterRequest,
): Promise<Filters> => {
  const others = Object.keys(filters).filter((name) => !names.includes(name));
  const placed = await narrowed(new Filters('changes').and('state', '=', state), filters, request, others);
  return placed.on('changes', columns);
};

const UPDATED_SINCE = 'updated_since';

export const changeParams = {
  [UPDATED_SINCE]: instantParam(
    'Return only changes after this instant, oldest first: changes_through of an earlier response. Combines only ' +
      'with filters by place and kind.',
  ),
};

/** The parameter updated_since of a request. */
export function updatedSinceOf(params: Readonly<Record<string, unknown>>): string | undefined {
  const given = params[UPDATED_SINCE];
  return typeof given === 'string' ? given : undefined;
}

/** Instants of a list's feed. All changes after `completeSince` are in `changes`, the latest at `changesThrough`. */
export interface FeedState {
  readonly changesThrough: string;
  readonly completeSince: string;
}

/** @throws Error if the snapshot has no row of the list */
export function feedState(snapshot: Snapshot, list: ChangeList): FeedState {
  const row = snapshot.all('change_feeds').find((one) => one['list'] === list);
  if (!row) throw new Error(`change_feeds has no row of ${list}`);
  return { changesThrough: String(row['changes_through']), completeSince: String(row['complete_since']) };
}

export interface ChangesSince {
  readonly since: string;
  /** Instant of the last change of the previous page. */
  readonly after: string | undefined;
}

/**
 * The feed that answers a request.
 * @throws Problem invalid_parameter if the changes are not complete since then, or if the instant is in the future
 */
export function requireFeed(snapshot: Snapshot, list: ChangeList, { since, after }: ChangesSince): FeedState {
  const state = feedState(snapshot, list);
  const { changesThrough, completeSince } = state;
  // A later snapshot may have dropped the first pages of changes that a client is reading.
  const isTooEarly = (after ?? since) < completeSince;
  if (since <= changesThrough && !isTooEarly) return state;
  const why = isTooEarly
    ? `but changes are complete only since ${completeSince}.`
    : `after the latest changes of this snapshot, ${changesThrough}. Use changes_through of an earlier response.`;
  throw new Problem(
    'invalid_parameter',
    `updated_since is ${since}, ${why} Take the whole list, without updated_since, and continue from its ` +
      'changes_through.',
    {
      field: UPDATED_SINCE,
      value: since,
      accepted: [`${completeSince} to ${changesThrough}`],
      changes_through: changesThrough,
      complete_since: completeSince,
    },
  );
}

/** Check a request for changes before a payment is required. @throws Problem */
export function checkChanges(
  { list, filters }: FeedDefinition,
  { snapshot, params }: Pick<RouteRequest<Params>, 'snapshot' | 'params'>,
  asked: ChangesSince,
): void {
  const accepted = [...filters, UPDATED_SINCE];
  const refused = Object.keys(filtersOf(params)).find((name) => !accepted.includes(name));
  if (refused !== undefined)
    throw new Problem(
      'invalid_parameter',
      `${refused} cannot be combined with updated_since: a record that stops matching it could not be reported. ` +
        `Filter the records that you have. Combine updated_since with: ${filters.join(', ')}.`,
      { field: refused, accepted: filters },
    );
  requireFeed(snapshot, list, asked);
}

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

const EVENT_FIELDS = ['id', 'record_id', 'change', 'changed_fields', 'reason', 'changed_at'];

/** Events of these rows. A held lead has the reason `sold`, as in the next snapshot. */
function eventsOf(snapshot: Snapshot, rows: readonly number[], held: HeldLeads) {
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

/** Texts of the records that the list has now, each without its last brace, by id. */
async function recordsOf(
  snapshot: Snapshot,
  listed: Filters,
  { ids, columns }: { readonly ids: readonly string[]; readonly columns: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { table } = listed;
  const rows = await snapshot.select(listed.either({ column: 'id', is: 'one of', values: ids }));
  const texts = snapshot.openTexts(table, rows, columns);
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
        (change.event === 'gone' ? undefined : texts.get(record)) ?? `{"id":${JSON.stringify(record)}`,
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
