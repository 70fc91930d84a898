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
      every.band::INT AS band,
      count(bands.id)::INT AS deals,
      coalesce(avg(deal_score_yield), 0)::DOUBLE AS yield,
      coalesce(avg(deal_score_coverage), 0)::DOUBLE AS coverage,
      coalesce(avg(deal_score_motivation), 0)::DOUBLE AS motivation,
      coalesce(avg(deal_score_distress), 0)::DOUBLE AS distress
    FROM (SELECT unnest(range(0, 100, 10)) AS band) AS every
    LEFT JOIN bands USING (band)
    GROUP BY every.band
    ORDER BY every.band`,
  confidence: `
    WITH bands AS (
      SELECT floor(confidence_score * 20)::INT AS band, count(*)::INT AS deals
      FROM deals
      WHERE listing_status = 'active'
      GROUP BY ALL
    )
    SELECT every.band / 20 AS band, coalesce(deals, 0)::INT AS deals
    FROM (SELECT unnest(range(min(band), max(band) + 1)) AS band FROM bands) AS every
    LEFT JOIN bands USING (band)
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
    WITH weeks AS (
      SELECT CAST(date_trunc('week', sale_date) AS DATE) AS week, sale_kind AS kind, count(*)::INT AS sales
      FROM auctions
      WHERE sale_status = 'scheduled'
      GROUP BY ALL
    )
    SELECT every.week::VARCHAR AS week, kinds.kind, coalesce(sales, 0)::INT AS sales
    FROM (SELECT unnest(range(min(week), max(week) + 1, INTERVAL 7 DAY))::DATE AS week FROM weeks) AS every
    CROSS JOIN (SELECT DISTINCT kind FROM weeks) AS kinds
    LEFT JOIN weeks ON weeks.week = every.week AND weeks.kind = kinds.kind
    ORDER BY every.week, kinds.kind`,
  lead_scores: `
    WITH bands AS (
      SELECT (lead_score // 5 * 5)::INT AS band, lead_type AS kind, count(*)::INT AS leads
      FROM leads
      GROUP BY ALL
    )
    SELECT every.band::INT AS band, kinds.kind, coalesce(leads, 0)::INT AS leads
    FROM (SELECT unnest(range(min(band), max(band) + 5, 5)) AS band FROM bands) AS every
    CROSS JOIN (SELECT DISTINCT kind FROM bands) AS kinds
    LEFT JOIN bands ON bands.band = every.band AND bands.kind = kinds.kind
    ORDER BY every.band, kinds.kind`,
} as const;

export type FactName = keyof typeof QUERIES;
export type Facts = Readonly<Record<FactName, readonly Row[]>>;

/** Run all queries. */
export async function queryFacts(connection: DuckDBConnection): Promise<Facts> {
  const facts: Partial<Record<FactName, readonly Row[]>> = {};
  for (const [name, sql] of Object.entries(QUERIES)) facts[name as FactName] = await rowsOf(connection, sql);
  return facts as Facts;
}
