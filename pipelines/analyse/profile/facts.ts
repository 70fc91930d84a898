/** Figures of the profile report, queried from a snapshot. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../../lib/duck.ts';

export type Row = Readonly<Record<string, unknown>>;

const QUERIES = {
  gap_by_metro: `
    SELECT
      regexp_replace(rent_area_name, ',? ?(HUD Metro FMR Area|MSA|HMFA).*$', '') AS metro,
      count(*)::INT AS deals,
      round(quantile_cont(cap_gap_pct, 0.25), 2)::DOUBLE AS low,
      round(median(cap_gap_pct), 2)::DOUBLE AS middle,
      round(quantile_cont(cap_gap_pct, 0.75), 2)::DOUBLE AS high
    FROM deals
    WHERE listing_status = 'active' AND underwrite_reliability = 'ok' AND cap_gap_pct IS NOT NULL
    GROUP BY ALL
    HAVING count(*) >= 3
    ORDER BY middle DESC, metro`,
  dscr_against_price: `
    SELECT list_price::DOUBLE AS price, dscr_underwritten::DOUBLE AS dscr, rental_status AS rental, units
    FROM deals
    WHERE listing_status = 'active'
      AND underwrite_reliability = 'ok'
      AND dscr_underwritten IS NOT NULL
      AND list_price > 0
    ORDER BY hash(id)
    LIMIT 4000`,
  score_parts: `
    WITH bands AS (
      SELECT *, least(deal_score // 10 * 10, 90) AS band
      FROM deals
      WHERE listing_status = 'active'
    )
    SELECT
      band::INT AS band,
      count(*)::INT AS deals,
      avg(deal_score_yield)::DOUBLE AS yield,
      avg(deal_score_coverage)::DOUBLE AS coverage,
      avg(deal_score_motivation)::DOUBLE AS motivation,
      avg(deal_score_distress)::DOUBLE AS distress
    FROM bands
    GROUP BY band
    ORDER BY band`,
  confidence: `
    SELECT floor(confidence_score * 20) / 20 AS band, count(*)::INT AS deals
    FROM deals
    WHERE listing_status = 'active'
    GROUP BY ALL
    ORDER BY band`,
  coverage_by_county: `
    SELECT
      regexp_replace(county, ' County, ', ', ') AS county,
      family,
      sum(rows_out + rows_carried)::INT AS rows,
      max(age_days)::INT AS age,
      CASE
        WHEN bool_and(last_good_at IS NULL) THEN 'never read'
        WHEN bool_or(age_days > every_days) THEN 'late'
        WHEN bool_or(status IN ('quarantined', 'unavailable')) THEN 'earlier rows'
        ELSE 'fresh'
      END AS state
    FROM sources
    WHERE county IS NOT NULL
    GROUP BY county, family
    ORDER BY county, family`,
  auctions_by_week: `
    SELECT
      CAST(date_trunc('week', sale_date) AS DATE)::VARCHAR AS week,
      sale_kind AS kind,
      count(*)::INT AS sales
    FROM auctions
    WHERE sale_status = 'scheduled'
    GROUP BY ALL
    ORDER BY week, kind`,
  lead_scores: `
    SELECT (lead_score // 5 * 5)::INT AS band, lead_type AS kind, count(*)::INT AS leads
    FROM leads
    GROUP BY ALL
    ORDER BY band, kind`,
} as const;

export type FactName = keyof typeof QUERIES;
export type Facts = Readonly<Record<FactName, readonly Row[]>>;

/** Run all queries. */
export async function factsOf(connection: DuckDBConnection): Promise<Facts> {
  const facts: Partial<Record<FactName, readonly Row[]>> = {};
  for (const [name, sql] of Object.entries(QUERIES)) facts[name as FactName] = await rowsOf(connection, sql);
  return facts as Facts;
}
