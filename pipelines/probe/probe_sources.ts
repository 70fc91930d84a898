/** Probes several sites, compares their parcel numbers with the rows of the data folder, and prints a line for each. */
import { z } from 'zod';
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { macrosSql } from '../../models/index.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Fetcher } from '../../sources/fetch/fetcher.ts';
import type { Clock } from '../clock.ts';
import { bytesShort } from '../format.ts';
import { standingRead, trustedRows } from '../ingest/reads.ts';
import type { Values } from '../ingest/stage/check_rows.ts';
import type { Layout } from '../layout.ts';
import { whatIsMissing } from '../permission.ts';
import { hostsSay, probe, SAMPLE_ROWS, type Probe } from './probe.ts';

/** Settings of `make probe`. docs/settings.md is generated from here. */
export const probeSettings = z.object({
  SOURCE: z
    .string('the name of a source, or all')
    .min(1, 'the name of a source, or all')
    .describe('`make probe`: source to probe, several separated by commas, or all.'),
});

export interface ProbeOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly layout: Layout;
  /** Every source, because a sample is compared with the others of its county. */
  readonly all: readonly SourceSpec[];
  /** Sources to probe. */
  readonly wanted: readonly SourceSpec[];
  /** Whether a source may be read from the web. */
  readonly mayFetch: (spec: SourceSpec) => boolean;
  readonly print: (line: string) => void;
}

/** Sites probed in parallel: most of a probe is waiting. */
const AT_ONCE = 6;

const WORDS = {
  as_expected: 'as expected',
  differs: 'DIFFERS',
  unavailable: 'NO ANSWER',
  not_probed: 'not probed',
} as const;

/** @returns whether every probed site is as expected */
export async function probeSources(options: ProbeOptions): Promise<boolean> {
  const { wanted, print } = options;
  const width = Math.max(...wanted.map(({ name }) => name.length));
  const line = (name: string, word: keyof typeof WORDS, text: string): void =>
    print(`  ${name.padEnd(width)}  ${WORDS[word].padEnd(WORDS.as_expected.length)}  ${text}`);
  const waiting = [...wanted];
  let isWell = true;
  const worker = async (): Promise<void> => {
    for (let spec = waiting.shift(); spec; spec = waiting.shift()) {
      const why = whyNotProbed(spec, options.mayFetch);
      const found =
        why === null ? await withJoins(options, spec, await probe(options.fetcher, spec, options.clock)) : null;
      isWell &&= found === null || found.verdict === 'as_expected';
      const hosts = spec.fetch ? await hostsSay(options.fetcher, spec, options.clock) : [];
      const text = [found === null ? why : textOf(found), ...hosts].join('; ');
      line(spec.name, found === null ? 'not_probed' : found.verdict, text);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return isWell;
}

/** What the operator must provide before the site can be probed; null if nothing. */
function whyNotProbed(spec: SourceSpec, mayFetch: (spec: SourceSpec) => boolean): string | null {
  if (!spec.fetch) return `it has no site to probe; put a file into the drop folder: ${spec.drop?.[0]?.about ?? ''}`;
  if (!mayFetch(spec)) return whatIsMissing(spec);
  return null;
}

/** If no parcel number of the sample joins, the site has changed its key. */
async function withJoins(options: ProbeOptions, spec: SourceSpec, found: Probe): Promise<Probe> {
  const joins = await compareJoins(spec, found.rows, options);
  const findings = joins.map(({ other, sampled, found: n, example, otherExample }) =>
    n === 0
      ? `none of ${sampled} parcel numbers, such as ${example}, joins the rows of ${other}, such as ${otherExample}`
      : `${n} of ${sampled} parcel numbers join the rows of ${other}`,
  );
  const known = (await standingRead(options.layout, spec.name, options.clock.asOf))?.columns ?? null;
  const news = known === null ? [] : (found.columns ?? []).filter((name) => !known.includes(name));
  if (news.length > 0) findings.push(`columns that the last read had not: ${news.join(', ')}`);
  const isBroken = joins.some(({ found: n, sampled }) => n === 0 && sampled >= SAMPLE_ROWS);
  return { ...found, verdict: isBroken ? 'differs' : found.verdict, findings: [...found.findings, ...findings] };
}

function textOf({ findings, requests, bytes, verdict, pageUrl }: Probe): string {
  const page = verdict === 'as_expected' || pageUrl === null ? '' : ` [${pageUrl}]`;
  return `${findings.join('; ')}${page} (${requests} requests, ${bytesShort(bytes)})`;
}

/** A list of debts and the layer that has its addresses. */
const JOINED: readonly SourceSpec['family'][] = ['tax', 'parcels'];

interface Join {
  /** The source whose rows were compared. */
  readonly other: string;
  readonly sampled: number;
  /** Numbers of the sample that the other source has. */
  readonly found: number;
  /** A number of each, as published. */
  readonly example: string;
  readonly otherExample: string;
}

/**
 * Compare the sample with the other sources of its county. A number joins another if one is the start of the other,
 * because a layer may have the number of a lot only.
 * @returns one comparison for each source that has rows
 */
async function compareJoins(
  spec: SourceSpec,
  rows: readonly Values[],
  { layout, all, clock }: ProbeOptions,
): Promise<Join[]> {
  const numbers = rows.map((row) => row['parcel_raw']).filter((number) => typeof number === 'string');
  if (!JOINED.includes(spec.family) || numbers.length === 0) return [];
  const others = all.filter(
    ({ county, family }) => county?.fips === spec.county?.fips && family !== spec.family && JOINED.includes(family),
  );
  const joins: Join[] = [];
  for (const other of others) {
    const read = await standingRead(layout, other.name, clock.asOf);
    const file = read && (await trustedRows(layout, read));
    if (file === undefined) continue;
    joins.push({ other: other.name, ...(await compare(numbers, file)) });
  }
  return joins;
}

async function compare(numbers: readonly string[], file: string): Promise<Omit<Join, 'other'>> {
  const duck = await openSmall();
  try {
    await duck.connection.run(macrosSql());
    const [row] = await rowsOf(
      duck.connection,
      `WITH sample AS (SELECT unnest([${numbers.map(literal).join(', ')}]) AS parcel_raw),
        listed AS (SELECT parcel_raw, letters_and_digits(parcel_raw) AS number FROM read_parquet(${literal(file)}))
      SELECT count(*) AS sampled, min(parcel_raw) AS example, (SELECT min(parcel_raw) FROM listed) AS other_example,
        count_if(EXISTS (
          FROM listed
          WHERE starts_with(listed.number, letters_and_digits(sample.parcel_raw))
            OR starts_with(letters_and_digits(sample.parcel_raw), listed.number)
        )) AS found
      FROM sample`,
    );
    return {
      sampled: Number(row?.['sampled']),
      found: Number(row?.['found']),
      example: String(row?.['example']),
      otherExample: String(row?.['other_example']),
    };
  } finally {
    await duck.close();
  }
}
