/** GET /api/batch/weekly.csv: one week of new registrations as CSV. */
import { z } from 'zod';
import { FORMULA_RULE, csvOptions } from '../list/csv.ts';
import { weekParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import { Problem } from '../../http/problem.ts';
import { dataOf } from '../envelope.ts';
import { defineRoute, type RouteRequest, type Route } from '../define.ts';
import type { Snapshot } from '../../serving/open.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { weekOf, parseWeek, type Week } from '../weeks.ts';
import { Filters } from '../../serving/filters.ts';
import { nameIn, stateFilter, type Register } from './filings.ts';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify';
import type { RecordDefinition } from '../../../lib/record.ts';
import { SpooledFile } from '../../payments/spooled_answer.ts';

type Row = Readonly<Record<string, unknown>>;

/** Write pages of records to a file in `folder`. The file is complete when this resolves; a failure leaves no file. */
async function spoolCsv(
  folder: string,
  record: RecordDefinition,
  pages: AsyncIterable<readonly Row[]>,
): Promise<SpooledFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${randomUUID()}.csv`);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await pipeline(
      Readable.from(
        (async function* rows() {
          for await (const page of pages) yield* page;
        })(),
      ),
      stringify(csvOptions(record.columns.map((column) => column.name))),
      async function* counted(chunks: AsyncIterable<Buffer | string>) {
        for await (const chunk of chunks) {
          const content = Buffer.from(chunk as string);
          hash.update(content);
          bytes += content.length;
          yield content;
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
    return await SpooledFile.take(path, bytes, hash.digest('hex'));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Rows read and written at a time, which bounds the memory of a large week. */
const PAGE_ROWS = 100;
/** Weeks listed in a 404. */
const MAX_WEEKS_LISTED = 20;

/** Filings of a week, of one register or of both. */
const filingsOf = ({ from, to }: Week, state: string | undefined): Filters =>
  new Filters('filings').and('week_day', '>=', from).and('week_day', '<=', to).and('source_state', '=', state);

/** Rows in pages, ordered by id. */
async function* pagesOf(snapshot: Snapshot, rows: readonly number[]): AsyncGenerator<Record<string, unknown>[]> {
  const byId: { readonly id: string; readonly row: number }[] = [];
  for (let from = 0; from < rows.length; from += PAGE_ROWS) {
    const some = rows.slice(from, from + PAGE_ROWS);
    for (const [i, id] of snapshot.ids('filings', some).entries()) byId.push({ id, row: some[i] ?? 0 });
    await setImmediate();
  }
  byId.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let from = 0; from < byId.length; from += PAGE_ROWS) {
    yield snapshot.records(
      'filings',
      byId.slice(from, from + PAGE_ROWS).map(({ row }) => row),
    );
    await setImmediate();
  }
}

/** Complete weeks that have filings, the latest first. */
async function completeWeeks(
  { snapshot, today }: Pick<RouteRequest<never>, 'snapshot' | 'today'>,
  state: string | undefined,
): Promise<{ week: Week; rows: number }[]> {
  const filters = new Filters('filings').and('week_day', '<', weekOf(today).from).and('source_state', '=', state);
  const days = snapshot.column('filings', 'week_day').counts(await snapshot.select(filters));
  const weeks = new Map<string, { week: Week; rows: number }>();
  for (const [day, rows] of days) {
    const week = weekOf(String(day));
    weeks.set(week.name, { week, rows: rows + (weeks.get(week.name)?.rows ?? 0) });
  }
  return [...weeks.values()].reverse().slice(0, MAX_WEEKS_LISTED);
}

/**
 * The weekly file of one register, or of both.
 * @param spoolDir folder in which files are completed before they are sold
 */
export function weeklyCsv(spoolDir: string, register?: Register): Route {
  return defineRoute({
    name: nameIn(register, 'weekly_filings'),
    path: `${register?.prefix ?? ''}/api/batch/weekly.csv`,
    price: PRICES['/api/batch/weekly.csv'],
    about:
      `One ISO week (Monday to Sunday, UTC) of ${register ? `${register.stateName} ` : ''}registrations by the day ` +
      "they were first seen, or for those of a register's first load by filing date, as CSV: the record's fields in " +
      `order, UTF-8, sorted by id. ${FORMULA_RULE}`,
    params: {
      ...stateFilter(register),
      week: weekParam(
        'The week; default: the latest complete week that has rows. A week that has not ended is refused.',
      ),
    },
    media: 'text/csv',
    isSlow: true,
    response: z.string(),
    check({ params, today }) {
      const week = params.week === undefined ? null : parseWeek(params.week);
      if (params.week !== undefined && (week === null || week.to >= today)) {
        throw new Problem(
          'invalid_parameter',
          week === null
            ? `There is no week ${params.week}.`
            : `Week ${week.name} has not ended; its last day is ${week.to}.`,
          { field: 'week', value: params.week, accepted: ['a complete ISO week such as 2026-W46'] },
        );
      }
    },
    async handle({ params, snapshot, manifest, today }) {
      const state = register?.state ?? params.state;
      const weeks = await completeWeeks({ snapshot, today }, state);
      const week = params.week === undefined ? (weeks[0]?.week ?? null) : parseWeek(params.week);
      const none = (): Problem =>
        new Problem(
          'no_matches',
          week === null
            ? `No complete week has registrations; the current week ends on ${weekOf(today).to}. Nothing was charged.`
            : `${week.name} has no registrations. Nothing was charged.`,
          {
            filters: { ...params },
            weeks: weeks.map(({ week: { name }, rows }) => ({ week: name, rows })),
            ...dataOf(manifest),
          },
        );
      if (week === null) throw none();
      const rows = await snapshot.select(filingsOf(week, state));
      if (rows.length === 0) throw none();
      const file = await spoolCsv(spoolDir, TABLES.filings, pagesOf(snapshot, rows));
      const feed = register?.stateName ?? state ?? 'registrations';
      return { file, name: `dealfeed-${feed.toLowerCase()}-${week.name}.csv` };
    },
  });
}
