/** Change feeds (`updated_since`): the state of a list's feed in a snapshot, and the checks before a payment. */
import { Problem } from '../../http/problem.ts';
import { Filters } from '../../serving/filters.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { CHANGE_LISTS } from '../../../models/marts/change_feeds.ts';
import type { RouteRequest } from '../define.ts';
import { filtersOf } from '../list/envelope.ts';
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
