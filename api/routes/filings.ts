/**
 * New business registrations: the lists, and a week as a CSV file. They exist at the root, for both registers with a
 * filter by state, and under a prefix for each register.
 */
import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { WEEK_HEADERS } from '../../lib/list_headers.ts';
import { PRICES } from '../../lib/prices.ts';
import { ENTITY_STATUSES, ENTITY_TYPES, Filing } from '../../models/marts/filings.ts';
import { TABLES } from '../../models/serving/tables.ts';
import { Problem } from '../http/problem.ts';
import { Filters } from '../serving/filters.ts';
import { cachePerDay } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { defineRoute, type Attachment, type Route, type RouteRequest } from './define.ts';
import { dataOf } from './envelope.ts';
import { csvOptions, FORMULA_RULE } from './list/csv.ts';
import { FIELD_GROUPS } from './list/field_groups.ts';
import { by, paramsOf } from './list/filters.ts';
import { cityFilter } from './list/place.ts';
import { listRoute, type ListRoute } from './list/route.ts';
import { choiceParam, dayParam, textParam, weekParam } from './params.ts';
import { dayBefore, parseWeek, weekOf, type Week } from './weeks.ts';

/** Records per page by default: well below 100 kB. */
const PAGE = 40;
/** Days that count as recent. */
const RECENT_DAYS = 7;

/** Registries by state. A name begins the names and paths of its routes; cadence is how often new filings are read. */
export const REGISTERS = [
  {
    state: 'OH',
    stateName: 'Ohio',
    name: 'ohio',
    cadence: 'On the second Saturday of each month, when the state publishes new filings.',
  },
  { state: 'CO', stateName: 'Colorado', name: 'colorado', cadence: 'Daily.' },
] as const;
export type Register = (typeof REGISTERS)[number];

/** Start of the paths of a register's routes. */
export const prefixOf = (register?: Register): string => (register ? `/${register.name}` : '');

/** Name of a route: "filings" for both registers, "ohio_filings" for one. */
export const nameIn = (register: Register | undefined, name: string): string =>
  register ? `${register.name}_${name}` : name;

const stateFilters = { state: by('source_state', '=', choiceParam(['OH', 'CO'], 'State of the registry.')) };
/** The filter by state; the feed of one register has none. */
const stateFilter = (register?: Register): typeof stateFilters =>
  register ? ({} as typeof stateFilters) : stateFilters;
/** Start of the names of a register's sources; both registers if no state is given. */
const sourcesOf = (state: string | undefined): { sourcePrefix?: string } => {
  const register = REGISTERS.find((one) => one.state === state);
  return register ? { sourcePrefix: `${register.name}_sos` } : {};
};
const entityType = by('entity_type', '=', choiceParam(ENTITY_TYPES, 'Normalized entity type.'));

/** Statuses of businesses that are not in good standing. Ohio publishes no status. */
const NOT_STANDING = ENTITY_STATUSES.filter((status) => status !== 'Good Standing' && status !== 'Exists');

/** Latest filing date of each register up to today. A filing may take effect later. */
const latestFilings = cachePerDay(async ({ snapshot, today }) => {
  const [sources, days] = [snapshot.column('filings', 'source'), snapshot.column('filings', 'filing_date')];
  const rank = { column: 'filing_date', direction: 'DESC' } as const;
  const known = new Filters('filings').and('filing_date', '<=', today);
  const latest = new Map<string, string>();
  // The newest are first: of each source the first one counts, and is left out of the next search.
  for (let others = known; ;) {
    const [row] = (await snapshot.find({ filters: others, rank }, undefined, 1)).rows;
    if (row === undefined) return latest;
    const source = String(sources.at(row));
    latest.set(source, String(days.at(row)));
    others = others.and('source', '<>', source);
  }
});

type DayRequest = RouteRequest<Record<never, never>>;

/** Filings dated within the last days up to the latest that their register has published. */
export async function filingsOfLastDays(request: DayRequest): Promise<Filters> {
  const latest = await latestFilings(request);
  const recent = new Filters('filings').and('filing_date', '<=', request.today);
  return [...latest].reduce(
    (filters: Filters, [source, day]) =>
      filters.either(
        { column: 'source', is: '<>', value: source },
        { column: 'filing_date', is: '>=', value: dayBefore(day, RECENT_DAYS - 1) },
      ),
    recent,
  );
}

/** The lists of one register, or of both: the recent filings, and all. */
export function filingLists(register?: Register): [recent: ListRoute, all: ListRoute] {
  const prefix = prefixOf(register);
  const subject = register ? `${register.stateName} business registrations` : 'Business registrations';
  return [
    listRoute({
      name: nameIn(register, 'recent_filings'),
      path: `${prefix}/api/filings/recent`,
      price: PRICES['/api/filings/recent'],
      about:
        `${subject} of the last ${RECENT_DAYS} days by filing date. The last is the latest that the register has ` +
        'published. Businesses in good standing first, then the newest filing date.',
      filters: { ...stateFilter(register), entity_type: entityType },
      record: Filing.schema,
      fields: FIELD_GROUPS.filings,
      page: PAGE,
      list: async (request) => ({
        itemName: 'recent filing',
        rank: {
          column: 'filing_date',
          direction: 'DESC',
          behind: { column: 'entity_status', values: NOT_STANDING },
        },
        filters: (await filingsOfLastDays(request)).and('source_state', '=', register?.state),
        ...sourcesOf(register?.state ?? request.params.state),
      }),
    }),
    listRoute({
      name: nameIn(register, 'filings'),
      path: `${prefix}/api/filings`,
      price: PRICES['/api/filings'],
      about: `${subject} by ${register ? '' : 'state, '}type, name and filing date, newest filing date first.`,
      filters: {
        ...stateFilter(register),
        entity_type: entityType,
        name: by('business_name', 'containing', textParam('Part of the business name, ignoring case.')),
        agent: by(
          'registered_agent_name',
          'containing',
          textParam("Part of the registered agent's name, ignoring case."),
        ),
        city: cityFilter('business_city', 'City of the business, full name, ignoring case and spelling.'),
        from_date: by('filing_date', '>=', dayParam('First filing date.')),
        to_date: by('filing_date', '<=', dayParam('Last filing date.')),
      },
      record: Filing.schema,
      fields: FIELD_GROUPS.filings,
      page: PAGE,
      feed: {
        list: 'filings',
        filters: [...Object.keys(stateFilter(register)), 'city'],
        columns: { business_city: 'city', source_state: 'state' },
        fields: { city: 'business_city' },
        ...(register ? { state: register.state } : {}),
      },
      list: ({ params }) => ({
        itemName: 'filing',
        rank: { column: 'filing_date', direction: 'DESC' },
        filters: new Filters('filings').and('source_state', '=', register?.state),
        ...sourcesOf(register?.state ?? params.state),
      }),
    }),
  ];
}

/** The lists of both registers. */
export const [recentFilings, filings] = filingLists();

/** Rows read and written at a time: other requests are answered between them. */
const PAGE_ROWS = 100;
/** Weeks listed in a 404. */
const MAX_WEEKS_LISTED = 20;

/** Filings of a week, of one register or of both. */
const filingsOf = ({ from, to }: Pick<Week, 'from' | 'to'>, state: string | undefined): Filters =>
  new Filters('filings').and('week_day', '>=', from).and('week_day', '<=', to).and('source_state', '=', state);

/** The register and the week of a request, if it names them. */
interface WeekChoice {
  readonly state?: string | undefined;
  readonly week?: string | undefined;
}

/** Rows as CSV, ordered by id. */
async function csvOf(snapshot: Snapshot, rows: readonly number[]): Promise<Buffer> {
  const byId: { readonly id: string; readonly row: number }[] = [];
  for (let from = 0; from < rows.length; from += PAGE_ROWS) {
    const some = rows.slice(from, from + PAGE_ROWS);
    for (const [i, id] of snapshot.ids('filings', some).entries()) byId.push({ id, row: some[i] ?? 0 });
    await setImmediate();
  }
  byId.sort((a, b) => (a.id < b.id ? -1 : 1));
  const options = csvOptions(TABLES.filings.columns.map((column) => column.name));
  const pages: string[] = [];
  for (let from = 0; from < byId.length; from += PAGE_ROWS) {
    const page = byId.slice(from, from + PAGE_ROWS).map(({ row }) => row);
    pages.push(stringify(snapshot.records('filings', page), { ...options, header: from === 0 }));
    await setImmediate();
  }
  return Buffer.from(pages.join(''));
}

/** The file of a week, as its 402, the discovery documents and its headers state it. */
export const WeeklyFile = z.strictObject({
  week: z.string().meta({ description: 'ISO week, Monday to Sunday, UTC.' }),
  from: z.iso.date(),
  to: z.iso.date(),
  rows: z.record(z.string(), z.int()).meta({ description: 'Rows of the file by state of the registry.' }),
  newest_filing_date: z.iso.date().nullable().meta({ description: 'Null when: the file has no row.' }),
});
/** Rows of each complete week that has filings, by state of the registry, the latest week first. */
const completeWeeks = cachePerDay(async ({ snapshot, today }) => {
  const weeks = new Map<string, Record<string, number>>();
  for (const { state } of REGISTERS) {
    const filed = new Filters('filings').and('week_day', '<', weekOf(today).from).and('source_state', '=', state);
    for (const [day, n] of await snapshot.counts(filed, 'week_day')) {
      const { name } = weekOf(String(day));
      const rows = weeks.get(name) ?? {};
      weeks.set(name, { ...rows, [state]: n + (rows[state] ?? 0) });
    }
  }
  return [...weeks].map(([week, rows]) => ({ week, rows })).sort((a, b) => (a.week < b.week ? 1 : -1));
});

/** The file that a request would buy, undefined if no complete week has rows, and the weeks with rows, latest first. */
export async function weeklyFile(request: DayRequest, choice: WeekChoice = {}) {
  const states = REGISTERS.map(({ state }) => state).filter((one) => (choice.state ?? one) === one);
  const rowsIn = (rows: Record<string, number> = {}) => Object.fromEntries(states.map((one) => [one, rows[one] ?? 0]));
  const weeks = (await completeWeeks(request))
    .filter(({ rows }) => states.some((one) => one in rows))
    .map(({ week, rows }) => ({ week, rows: rowsIn(rows) }));
  const found = parseWeek(choice.week ?? weeks[0]?.week ?? '');
  if (!found) return { weeks, file: undefined };
  const { name: week, from, to } = found;
  const days = await request.snapshot.counts(filingsOf(found, choice.state), 'filing_date');
  const newest_filing_date = [...days.keys()].map(String).at(-1) ?? null;
  const rows = weeks.find((one) => one.week === week)?.rows ?? rowsIn();
  return { weeks, file: { week, from, to, rows, newest_filing_date } };
}

/** The weekly file of one register, or of both. */
export function weeklyCsv(register?: Register): Route {
  return defineRoute({
    name: nameIn(register, 'weekly_filings'),
    path: `${prefixOf(register)}/api/batch/weekly.csv`,
    price: PRICES['/api/batch/weekly.csv'],
    about:
      `One ISO week (Monday to Sunday, UTC) of ${register ? `${register.stateName} ` : ''}registrations as CSV. ` +
      'A registration is in the week in which it was first seen, or if its register was first loaded then, of its ' +
      `filing date. It has the record's fields in order, UTF-8, sorted by id. ${FORMULA_RULE}`,
    params: {
      ...paramsOf(stateFilter(register)),
      week: weekParam(
        'The week; default: the latest complete week that has rows. A week that has not ended is refused.',
      ),
    },
    media: 'text/csv',
    isSlow: true,
    response: z.string(),
    async offer(request) {
      const { state, week } = request.params;
      const { file = null } = await weeklyFile(request, { state: register?.state ?? state, week });
      return { file };
    },
    check({ params: { week: value }, today }) {
      if (value === undefined) return;
      const week = parseWeek(value);
      if (week !== null && week.to < today) return;
      throw new Problem(
        'invalid_parameter',
        week === null ? `There is no week ${value}.` : `Week ${week.name} has not ended; its last day is ${week.to}.`,
        { field: 'week', value, accepted: ['a complete ISO week such as 2026-W46'] },
      );
    },
    async handle(request) {
      const { params, snapshot, manifest, today } = request;
      const choice = { state: register?.state ?? params.state, week: params.week };
      const { weeks, file } = await weeklyFile(request, choice);
      if (!file || !weeks.some(({ week }) => week === file.week))
        throw new Problem(
          'no_matches',
          file
            ? `${file.week} has no registrations. Nothing was charged.`
            : `No complete week has registrations; the current week ends on ${weekOf(today).to}. Nothing was charged.`,
          {
            filters: { ...params },
            weeks: weeks.slice(0, MAX_WEEKS_LISTED),
            ...dataOf(manifest),
          },
        );
      const rows = await snapshot.select(filingsOf(file, choice.state));
      const feed = register?.stateName ?? choice.state ?? 'registrations';
      // "OH=12, CO=0"
      const counts = Object.entries(file.rows).map((pair) => pair.join('='));
      const headers = Object.entries({ ...file, rows: counts.join(', ') }).map(([name, value]) => [
        WEEK_HEADERS[name as keyof typeof WEEK_HEADERS],
        String(value),
      ]);
      return {
        content: await csvOf(snapshot, rows),
        name: `dealfeed-${feed.toLowerCase()}-${file.week}.csv`,
        headers: Object.fromEntries(headers) as Attachment['headers'],
      } satisfies Attachment;
    },
  });
}
