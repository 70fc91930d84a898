/** The three best deals of a snapshot, for the end of a run. */
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';

const SHOWN = 3;

export interface BestDeal {
  readonly score: number;
  readonly status: string;
  /** Address and city, as published. */
  readonly place: string;
  readonly units: number | null;
  /** Asking price in whole dollars, such as `$228,000`. */
  readonly price: string;
  /** The deal's own sentence on why it is interesting. */
  readonly why: string;
}

/**
 * The active deals with the highest scores, in the order of the free index.
 * @param file deals.parquet of the snapshot
 */
export async function bestDeals(file: string): Promise<BestDeal[]> {
  const { connection, close } = await openSmall();
  try {
    const rows = await rowsOf(
      connection,
      `SELECT deal_score, rental_status, address || ', ' || city || ', ' || state AS place, units,
         format('${'{:t,}'}', list_price::BIGINT) AS price, why_this_is_interesting AS why
       FROM read_parquet(${literal(file)})
       WHERE listing_status = 'active' AND deal_score IS NOT NULL
       ORDER BY deal_score DESC, id LIMIT ${SHOWN}`,
    );
    return rows.map((row) => ({
      score: Number(row['deal_score']),
      status: String(row['rental_status'] ?? ''),
      place: String(row['place']),
      units: row['units'] === null ? null : Number(row['units']),
      price: `$${String(row['price'])}`,
      why: String(row['why'] ?? ''),
    }));
  } finally {
    await close();
  }
}
