/** GET /api/batch/weekly.csv: one week of new registrations as CSV. */
import { z } from 'zod';
import { FORMULA_RULE, csvOptions } from '../list/csv.ts';
import { weekParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import { Problem } from '../../http/problem.ts';
import { dataOf } from '../envelope.ts';
import { defineRoute, type RouteRequest, type Route } from '../define.ts';
import type { Snapshot } from '../../snapshot/load.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { weekOf, parseWeek, type Week } from '../weeks.ts';
import { Where } from '../../snapshot/filters.ts';
import { cachePerSnapshot } from '../../snapshot/memo.ts';
import { literal } from '../../../lib/sql.ts';
import { nameIn, stateFilter, type Register } from './filings.ts';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
const PAGE_ROWS = 2_000;
/** Weeks listed in a 404. */
const MAX_WEEKS_LISTED = 20;

/** Hours that the first load of a register may take. */
const FIRST_LOAD_HOURS = 12;

/**
 * The day whose week a filing belongs to, as SQL: the day it was first seen, or for a register's first load, which sees
 * the whole register on one day, its filing date if that is earlier.
 */
const weekDaySql = cachePerSnapshot(async (snapshot): Promise<string> => {
  const loads = await snapshot.rows(
    `SELECT source, CAST(min(first_seen) + INTERVAL ${FIRST_LOAD_HOURS} HOUR AS VARCHAR) AS loaded
    FROM filings GROUP BY source ORDER BY source`,
  );
  const firstLoads = loads.map(
    ({ source, loaded }) =>
      `WHEN source = ${literal(String(source))} AND first_seen < TIMESTAMP ${literal(String(loaded))}
        THEN least(filing_date, CAST(first_seen AS DATE))`,
  );
  return `CASE ${firstLoads.join(' ')} WHEN true THEN CAST(first_seen AS DATE) END`;
});

/** Filings of one week, of one register or of both. */
const filingsOf = (weekDay: string, { from, to }: Week, state: string | undefined): Where =>
  new Where().add(`${weekDay} BETWEEN CAST(? AS DATE) AND CAST(? AS DATE)`, from, to).when('source_state = ?', state);

/** Matching rows in pages, ordered by id. */
async function* pagesOf(snapshot: Snapshot, where: Where): AsyncGenerator<Record<string, unknown>[]> {
  let last = '';
  for (;;) {
    const next = where.copy().add('id > ?', last);
    const page = await snapshot.records('filings', `${next} ORDER BY id LIMIT ${PAGE_ROWS}`, next.values);
    if (page.length > 0) yield page;
    if (page.length < PAGE_ROWS) return;
    last = String(page.at(-1)?.['id']);
  }
}

/** Complete weeks that have filings, the latest first. */
async function completeWeeks(
  { snapshot, today }: Pick<RouteRequest<never>, 'snapshot' | 'today'>,
  state: string | undefined,
): Promise<{ week: Week; rows: number }[]> {
  const weekDay = await weekDaySql(snapshot);
  const where = new Where().add(`${weekDay} < CAST(? AS DATE)`, weekOf(today).from).when('source_state = ?', state);
  const found = await snapshot.rows(
    `SELECT CAST(date_trunc('week', ${weekDay}) AS DATE) AS monday, count(*) AS n
    FROM filings${where} GROUP BY ALL ORDER BY monday DESC LIMIT ${MAX_WEEKS_LISTED}`,
    where.values,
  );
  return found.map((row) => ({ week: weekOf(String(row['monday'])), rows: Number(row['n']) }));
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
      const where = filingsOf(await weekDaySql(snapshot), week, state);
      if (Number((await snapshot.rows(`SELECT count(*) AS n FROM filings${where}`, where.values))[0]?.['n']) === 0)
        throw none();
      const file = await spoolCsv(spoolDir, TABLES.filings, pagesOf(snapshot, where));
      const feed = register?.stateName ?? state ?? 'registrations';
      return { file, name: `dealfeed-${feed.toLowerCase()}-${week.name}.csv` };
    },
  });
}
