/** What one machine does, in the units that an operator plans by: the table of docs/scaling.md. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Outcome } from './contract.ts';

const DAY_SECONDS = 86_400;
const [OPEN, CLOSE] = ['<!-- limits -->', '<!-- /limits -->'];

/** To two digits that count: more would claim more than a median of five says. */
const about = (n: number): string => Number(n.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 2 });

type Row = readonly [what: string, one: string, measuredBy: string];

/** A row of the table for each measure that there is a figure of. */
export function limitsOf(outcomes: readonly Outcome[]): Row[] {
  const named = (beginning: string): readonly Outcome[] => outcomes.filter(({ name }) => name.startsWith(beginning));
  const also = (o: Outcome, name: string): number => o.also[name]?.median ?? Number.NaN;
  const least = (found: readonly Outcome[]): number => Math.min(...found.map(({ ours }) => ours.median));
  return [
    ...named('colorado_first_load').map((o): Row => [
      'a register of 3,000,000 rows, from its file to the published snapshot',
      `${about(o.ours.median)} s, ${about(also(o, 'peak_mib'))} MiB of memory`,
      o.name,
    ]),
    ...named('colorado_increment').map((o): Row => [
      'a day of 2,000 changed rows upon it',
      `${about(o.ours.median)} s, ${about(also(o, 'peak_mib'))} MiB`,
      o.name,
    ]),
    ...named('models_').map((o): Row => [
      'all models and audits over 100 times the default world, with its history',
      `${about(also(o, 'rows'))} rows in ${about(also(o, 'seconds_ours'))} s, ${about(also(o, 'peak_mib'))} MiB`,
      o.name,
    ]),
    ...named('crawl_').map((o): Row => [
      'pages read of sites that answer in 120 ms, four sites at a time, by the run itself; by two workers',
      `${about(also(o, 'without_a_queue') * DAY_SECONDS)} a day; ${about(o.ours.median * DAY_SECONDS)} a day`,
      o.name,
    ]),
    ...[named('parsing_')]
      .filter((found) => found.length > 0)
      .map((found): Row => [
        'pages parsed by one core, slowest family',
        `${about(least(found) * DAY_SECONDS)} a day`,
        'parsing_*',
      ]),
    ...[named('queries_')]
      .filter((found) => found.length > 0)
      .map((found): Row => [
        'paid calls of distinct queries, one server process, slower kind, where a facilitator elsewhere verifies and settles',
        `${about(least(found))} a second`,
        'queries_*',
      ]),
    ...named('payments_chain_sixteen').map((o): Row => [
      'paid calls that one server process verifies and settles itself, on a chain on the same machine',
      `${about(also(o, 'ours_paid_per_s'))} a second`,
      o.name,
    ]),
    ...named('serving_free').map((o): Row => [
      'free answers, one server process',
      `${about(o.ours.median)} a second`,
      o.name,
    ]),
    ...named('serving_repeated').map((o): Row => [
      'bought answers that are collected again, one server process',
      `${about(o.ours.median)} a second`,
      o.name,
    ]),
    ...named('serving_start').map((o): Row => [
      'start of a server on 100 times the default world',
      `${about(o.ours.median)} s, ${about(also(o, 'resident_mib'))} MiB`,
      o.name,
    ]),
    ...named('serving_soak').map((o): Row => [
      'memory of a server on the default world, over a million requests',
      `${about(o.ours.median)} MiB`,
      o.name,
    ]),
  ];
}

/** Write the table between its marks. `machine` is a sentence on where it was measured. */
export async function writeLimits(outcomes: readonly Outcome[], machine: string): Promise<void> {
  const page = new URL('../docs/scaling.md', import.meta.url);
  const text = await readFile(page, 'utf8');
  const [start, end] = [text.indexOf(OPEN), text.indexOf(CLOSE)];
  if (start < 0 || end < start) throw new Error(`docs/scaling.md has no section ${OPEN} … ${CLOSE}`);
  const rows = limitsOf(outcomes).map((cells) => `| ${cells[0]} | ${cells[1]} | \`${cells[2]}\` |`);
  await writeFile(
    page,
    `${text.slice(0, start + OPEN.length)}\n${machine}\n\n| what | one machine | measured by |\n|---|---|---|\n${rows.join('\n')}\n${text.slice(end)}`,
  );
}
