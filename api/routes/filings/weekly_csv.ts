/** GET /api/batch/weekly.csv: one week of new registrations as CSV. */
import { z } from 'zod';
import { FORMULA_RULE, csvOptions } from '../list/csv.ts';
import { weekParam } from '../params.ts';
import { PRICES } from '../../../lib/prices.ts';
import { Problem } from '../../http/problem.ts';
import { dataOf } from '../envelope.ts';
import { defineRoute, type Attachment, type RouteRequest, type Route } from '../define.ts';
import { WEEK_HEADERS } from '../../../lib/list_headers.ts';
import { cachePerDay } from '../../serving/memo.ts';
import type { Snapshot } from '../../serving/open.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { weekOf, parseWeek, type Week } from '../weeks.ts';
import { Filters } from '../../serving/filters.ts';
import { nameIn, REGISTERS, stateFilter, type Register } from './filings.ts';
import { paramsOf } from '../list/filters.ts';
import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';

/** Rows read and written at a time: other requests are answered between them. */
const PAGE_ROWS = 100;
/** Weeks listed in a 404. */
const MAX_WEEKS_LISTED = 20;

/** Filings of a week, of one register or of both. */
const filingsOf = ({ from, to }: Pick<Week, 'from' | 'to'>, state: string | undefined): Filters =>
  new Filters('filings').and('week_day', '>=', from).and('week_day', '<=', to).and('source_state', '=', state);

type DayRequest = RouteRequest<Record<never, never>>;

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
type WeeklyFile = z.infer<typeof WeeklyFile>;

/** Complete weeks that have filings with the rows of each state, the latest first. */
const completeWeeks = cachePerDay(async ({ snapshot, today }) => {
  const weeks = new Map<string, Map<string, number>>();
  for (const { state } of REGISTERS) {
    const filed = new Filters('filings').and('week_day', '<', weekOf(today).from).and('source_state', '=', state);
    for (const [day, rows] of await snapshot.counts(filed, 'week_day')) {
      const { name } = weekOf(String(day));
      const known = weeks.get(name) ?? new Map<string, number>();
      weeks.set(name, known.set(state, rows + (known.get(state) ?? 0)));
    }
  }
  return [...weeks].sort(([a], [b]) => (a < b ? 1 : -1));
});

/** Names of the weeks with rows of the registers of a request, the latest first, and their rows by state. */
async function weeksOf(request: DayRequest, state: string | undefined) {
  const states = REGISTERS.map((register) => register.state).filter((one) => state === undefined || one === state);
  const weeks = (await completeWeeks(request)).filter(([, rows]) => states.some((one) => rows.has(one)));
  const all = new Map(weeks);
  const rowsOf = (name: string): Record<string, number> =>
    Object.fromEntries(states.map((one) => [one, all.get(name)?.get(one) ?? 0]));
  return { names: weeks.map(([name]) => name), rowsOf };
}

/** The file that a request would buy; undefined if no complete week has rows. */
export async function weeklyFile(request: DayRequest, choice: WeekChoice = {}): Promise<WeeklyFile | undefined> {
  const { names, rowsOf } = await weeksOf(request, choice.state);
  const found = parseWeek(choice.week ?? names[0] ?? '');
  if (!found) return undefined;
  const { name: week, from, to } = found;
  const days = await request.snapshot.counts(filingsOf(found, choice.state), 'filing_date');
  return { week, from, to, rows: rowsOf(week), newest_filing_date: [...days.keys()].map(String).at(-1) ?? null };
}

/** The weekly file of one register, or of both. */
export function weeklyCsv(register?: Register): Route {
  return defineRoute({
    name: nameIn(register, 'weekly_filings'),
    path: `${register?.prefix ?? ''}/api/batch/weekly.csv`,
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
      return { file: (await weeklyFile(request, { state: register?.state ?? state, week })) ?? null };
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
      const { names, rowsOf } = await weeksOf(request, choice.state);
      const file = await weeklyFile(request, choice);
      if (!file || !names.includes(file.week))
        throw new Problem(
          'no_matches',
          file
            ? `${file.week} has no registrations. Nothing was charged.`
            : `No complete week has registrations; the current week ends on ${weekOf(today).to}. Nothing was charged.`,
          {
            filters: { ...params },
            weeks: names.slice(0, MAX_WEEKS_LISTED).map((week) => ({ week, rows: rowsOf(week) })),
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
