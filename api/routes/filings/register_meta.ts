/** Discovery document of the feed of one register. */
import { z } from 'zod';
import { Filing } from '../../../models/marts/filings.ts';
import { Filters } from '../../serving/filters.ts';
import { cachePerDay } from '../../serving/memo.ts';
import { defineRoute, type Route } from '../define.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { filingsOfLastDays, nameIn, type Register } from './filings.ts';
import { weeklyFile, WeeklyFile } from './weekly_csv.ts';
import {
  fieldNotesOf,
  INTERFACE_VERSION,
  noticeOf,
  pricingOf,
  sourcesOf,
  SourceStatus,
  type MetaOptions,
} from '../meta.ts';
import { DATA, dataOf, GENERATED_AT } from '../envelope.ts';

const SAMPLES = 3;

const RegisterMeta = z.strictObject({
  name: z.string(),
  description: z.string(),
  interface_version: z.string(),
  /** Only if the data are made up or the money is test money. */
  notice: z.string().optional(),
  coverage: z.strictObject({
    total_records: z.int(),
    added_last_7d: z.int(),
    freshest: z.iso.date().nullable().meta({ description: 'Null when: there is no filing.' }),
  }),
  /** Left out if no complete week has rows. */
  weekly_file: WeeklyFile.optional(),
  refresh_cadence: z.string(),
  pricing: z.record(z.string(), z.string()),
  record_schema_notes: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  filters: z.strictObject({ note: z.string(), params: z.record(z.string(), z.array(z.string())) }),
  free_samples: z.strictObject({ note: z.string(), records: z.array(Filing.schema) }),
  sources: z.array(SourceStatus),
  ...DATA,
  generated_at: GENERATED_AT,
});

/** The discovery route of a register: its routes are those under its prefix. */
export function registerMeta(register: Register, { routes, network, paymentNotice }: MetaOptions): Route {
  const { prefix, state, stateName, cadence } = register;
  return defineRoute({
    name: nameIn(register, 'meta'),
    path: `${prefix}/api/meta`,
    price: null,
    about: `Free discovery of the ${stateName} registrations: coverage, prices, field notes and samples.`,
    params: {},
    response: RegisterMeta,
    handle: cachePerDay(async (request): Promise<z.input<typeof RegisterMeta>> => {
      const { snapshot, manifest } = request;
      const filed = new Filters('filings').and('source_state', '=', state);
      const rank = { column: 'filing_date', direction: 'DESC' } as const;
      const find = (filters: Filters, limit: number) => snapshot.find({ filters, rank }, undefined, limit);
      const { total } = await find(filed, 0);
      // As /api/filings/recent: by filing date, so that a first load is not counted.
      const added = await find((await filingsOfLastDays(request)).and('source_state', '=', state), 0);
      // A filing may take effect later: future dates say nothing about freshness.
      const latest = await find(filed.and('filing_date', '<=', request.today), SAMPLES);
      const samples = snapshot.records('filings', latest.rows) as z.input<typeof Filing.schema>[];
      const feed = routes.filter((route) => route.path.startsWith(`${prefix}/`));
      return {
        name: `Dealfeed: ${stateName} registrations`,
        interface_version: INTERFACE_VERSION,
        description:
          `Newly registered businesses of ${stateName} from its Secretary of State: legal name, filing date, entity ` +
          'type, registered agent and address. Paid per call with x402.',
        ...noticeOf(manifest, paymentNotice),
        coverage: { total_records: total, added_last_7d: added.total, freshest: samples[0]?.filing_date ?? null },
        weekly_file: await weeklyFile(request, { state }),
        refresh_cadence: cadence,
        pricing: pricingOf(feed, network),
        record_schema_notes: Object.fromEntries(fieldNotesOf(TABLES.filings, '')),
        filters: {
          note: 'Combined with AND. Unknown parameters are refused. No match, no charge.',
          params: Object.fromEntries(
            feed.filter((route) => route.price !== null).map((route) => [route.path, Object.keys(route.params)]),
          ),
        },
        free_samples: { note: 'Full records of the paid responses, the newest filing dates first.', records: samples },
        sources: sourcesOf(snapshot).filter(({ source }) => source.startsWith(`${stateName.toLowerCase()}_sos`)),
        ...dataOf(manifest),
        generated_at: manifest.generated_at,
      };
    }),
  });
}
