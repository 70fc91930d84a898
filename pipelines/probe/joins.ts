/** Whether the parcel numbers of a sample join the rows that the data folder already has. */
import { openSmall, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { macrosSql } from '../../models/index.ts';
import type { SourceSpec } from '../../sources/contract.ts';
import { standingRead, trustedRows } from '../ingest/reads.ts';
import type { Values } from '../ingest/stage/check_rows.ts';
import type { Layout } from '../layout.ts';

/** A list of debts and the layer that has its addresses. */
const JOINED: readonly SourceSpec['family'][] = ['tax', 'parcels'];

export interface Join {
  /** The source whose rows were compared. */
  readonly other: string;
  readonly sampled: number;
  /** Numbers of the sample that the other source has. */
  readonly found: number;
  /** A number of each, as published. */
  readonly example: string;
  readonly otherExample: string;
}

/** The data folder as of a day, and every source. */
interface JoinContext {
  readonly layout: Layout;
  readonly all: readonly SourceSpec[];
  readonly asOf: string;
}

/**
 * Compare the sample with the other sources of its county. A number joins another if one is the start of the other,
 * because a layer may have the number of a lot only.
 * @returns one comparison for each source that has rows
 */
export async function compareJoins(
  spec: SourceSpec,
  rows: readonly Values[],
  { layout, all, asOf }: JoinContext,
): Promise<Join[]> {
  const numbers = rows.map((row) => row['parcel_raw']).filter((number) => typeof number === 'string');
  if (!JOINED.includes(spec.family) || numbers.length === 0) return [];
  const others = all.filter(
    ({ county, family }) => county?.fips === spec.county?.fips && family !== spec.family && JOINED.includes(family),
  );
  const joins: Join[] = [];
  for (const other of others) {
    const read = await standingRead(layout, other.name, asOf);
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
