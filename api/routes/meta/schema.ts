/** Schema of the body of /api/meta. */
import { z } from 'zod';
import { Auction } from '../../../models/marts/auctions.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { Lead } from '../../../models/marts/leads.ts';
import { MetroCoverage } from '../coverage.ts';
import { WeeklyFile } from '../filings/weekly_csv.ts';
import { Source } from '../../../models/marts/sources.ts';
import { Signal } from '../../../models/marts/signals.ts';
import { DATA, GENERATED_AT } from '../envelope.ts';

const nullable = <S extends z.ZodType>(schema: S, absent: string) =>
  schema.nullable().meta({ description: `Null when: ${absent}.` });
const timestamp = nullable(z.iso.datetime(), 'there is no such record');
const saleDate = nullable(z.iso.date(), 'there is no sale to come');
const { status, freshness, stale_reason } = Source.schema.shape;

/** Status of a source, for buyers. */
export const SourceStatus = z.strictObject({
  source: z.string(),
  title: z.string(),
  home: z.string(),
  status,
  freshness,
  stale_reason: nullable(stale_reason.unwrap(), 'freshness is not stale'),
  fiscal_year: nullable(z.int(), 'the rows have no fiscal year'),
  every_days: z.int(),
  last_good_at: nullable(z.iso.datetime(), 'the source has no good read'),
  rows: z.int(),
  /** Rows of its page, and their number by the site's own count. */
  rows_in: z.int(),
  rows_stated: nullable(z.int(), 'its site states no count'),
  /** Fields that it filled before and does not now, with the day. */
  missing_fields: nullable(z.string(), 'no field went blank'),
  missing_since: nullable(z.iso.date(), 'no field went blank'),
  /** Mean share of its rows with a value, over the columns that may be absent. */
  filled_pct: nullable(z.int(), 'it has no row, or none of these columns'),
});
const filterList = z.array(z.string());

/** A feed: what it has, its figures, and its filters. */
const feed = <C extends z.ZodRawShape>(coverage: C) =>
  z.strictObject({ note: z.string(), coverage: z.strictObject(coverage), filters: filterList });

export const Meta = z.strictObject({
  name: z.string(),
  description: z.string(),
  guarantee: z.string(),
  interface_version: z.string(),
  /** Only if the data are made up or the money is test money. */
  notice: z.string().optional(),
  coverage: z.strictObject({
    total_records: z.int(),
    active_records: z.int(),
    hot: z.int(),
    warm: z.int(),
    dscr_computed: z.int(),
    cities: z.int(),
    freshest_verification: timestamp,
    oldest_active_verification: timestamp,
  }),
  refresh_cadence: z.string(),
  pricing: z.record(z.string(), z.string()),
  record_schema_notes: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  filters: z.strictObject({ note: z.string(), params: filterList, example: z.string() }),
  signals_feed: feed({ total_signals: z.int(), with_address: z.int(), counties: z.int(), freshest: timestamp }),
  auctions_feed: feed({
    upcoming_sales: z.int(),
    next_sale_date: saleDate,
    furthest_sale_date: saleDate,
    counties: z.int(),
    freshest: timestamp,
  }),
  leads_feed: feed({ available_leads: z.int(), counties: z.int() }),
  owners_feed: feed({ owners: z.int(), counties: z.int() }),
  /** Left out if no complete week has rows. */
  weekly_file: WeeklyFile.optional(),
  coverage_by_metro: z.strictObject({ note: z.string(), url: z.string(), metros: z.array(MetroCoverage) }),
  free_samples: z.strictObject({
    note: z.string(),
    deals: z.array(Deal.schema),
    signals: z.array(Signal.schema),
    auctions: z.array(Auction.schema),
    leads: z.array(Lead.schema),
  }),
  /** Property is null if there is no active deal. */
  example_report: z.strictObject({
    note: z.string(),
    url: z.string(),
    property: nullable(z.string(), 'there is no active deal'),
  }),
  sources: z.array(SourceStatus),
  assumptions: z.strictObject({ assumption_set_id: z.string(), values: z.record(z.string(), z.string()) }),
  ...DATA,
  generated_at: GENERATED_AT,
});
