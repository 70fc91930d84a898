/** GET /api/deals/:id/report: everything known about one deal, with a formula for every figure. */
import { z } from 'zod';
import { NOT_RECORDED, partOf } from '../../lib/record.ts';
import { Auction } from '../../models/marts/auctions.ts';
import { MatchBasis } from '../../models/deal/property.ts';
import { Deal } from '../../models/marts/deals.ts';
import { ListingVersion } from '../../models/marts/listing_history.ts';
import { Report as ReportRecord } from '../../models/marts/reports.ts';
import { Signal } from '../../models/marts/signals.ts';
import { soldState } from './leads/lead_holds.ts';
import { noteOf, dataOf, NOTE, PUBLISHED, publishedOf } from './envelope.ts';
import { cachePerDay } from '../serving/memo.ts';
import { idParam, readValue, type Params } from './params.ts';
import { PRICES } from '../../lib/prices.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type RouteRequest, type Route } from './define.ts';
import type { Snapshot } from '../serving/open.ts';
import { freeDeals } from './deals.ts';
import { Filters } from '../serving/filters.ts';
import { isSale, RECORD_KINDS, type RecordKind } from '../../models/fields.ts';

type Row = Readonly<Record<string, unknown>>;

function propertyOf({ address, city, state, zip }: Row): string {
  const street = address === null ? 'Street not published' : String(address);
  return `${street}, ${String(city)}, ${String(state)} ${String(zip)}`;
}

/** Deals with the most complete reports: underwritten and with an offer, distress first, then by score. */
export async function exampleDeals(
  { snapshot, holds }: Pick<RouteRequest<Params>, 'snapshot' | 'holds'>,
  limit: number,
): Promise<{ id: string; property: string }[]> {
  const [offer, dscr, hasMatch] = ['offer_status', 'dscr_status', 'has_match'].map((name) =>
    snapshot.column('deals', name),
  );
  const isComplete = (row: number): boolean => offer?.at(row) === 'computed' && dscr?.at(row) === 'computed';
  const rank = (row: number): number => (isComplete(row) ? 0 : 2) + (hasMatch?.at(row) === true ? 0 : 1);
  // The rows come by score: sorting leaves equal ones in their order.
  const offered = freeDeals(await holds()).and('report_status', '=', 'available');
  const rows = (await snapshot.select(offered)).sort((a, b) => rank(a) - rank(b));
  const found = snapshot.records('deals', rows.slice(0, limit), ['id', 'address', 'city', 'state', 'zip']);
  return found.map((deal) => ({ id: String(deal['id']), property: propertyOf(deal) }));
}

const COMPARABLES = 5;
const CENTS = 100;

const COMPARED =
  'id address city state zip list_price units price_per_unit year_built cap_rate cap_rate_underwritten ' as const;
const Comparable = partOf(Deal, `${COMPARED}underwrite_reliability deal_score listing_url`);
const decimal = Deal.schema.shape.price_per_unit;

const Market = z.strictObject({
  area: z.string().meta({ description: 'City and state of the counted active deals.' }),
  active_deals: z.int(),
  priced_deals: z.int().meta({ description: 'Active deals with a price per unit.' }),
  median_price_per_unit: decimal.meta({
    description: 'Lower median of price_per_unit. Null when: no active deal in the city has one.',
  }),
  median_cap_rate: decimal.meta({
    description: 'Lower median of cap_rate, percent. Null when: no active deal in the city has one.',
  }),
  median_cap_rate_underwritten: decimal.meta({
    description:
      'Lower median of cap_rate_underwritten over deals that the HUD proxy fits, percent. Null when: it fits no ' +
      'active deal in the city.',
  }),
  cheaper_deals: z.int().nullable().meta({
    description: 'Active deals in the city with a lower price per unit. Null when: this deal has none.',
  }),
  comparables: z.array(Comparable).meta({
    description:
      `Up to ${COMPARABLES} other active deals in the city with a price: the same ZIP first, then the nearest number ` +
      'of units, then the nearest price per unit.',
  }),
});

const decimalOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value));

/** Rows of other deals, the most similar first: the same ZIP, then the nearest number of units, then price per unit. */
function nearest(snapshot: Snapshot, deal: Row, others: readonly number[]): readonly number[] {
  const column = (name: string) => snapshot.column('deals', name);
  const [zips, units, prices] = [column('zip'), column('units'), column('price_per_unit')];
  const cents = (price: unknown): number => Math.round(Number(price) * CENTS);
  const distance = (one: unknown, other: unknown): number =>
    one === null || other === null ? Infinity : Number(one) - Number(other);
  const far = others.map((row) => ({
    row,
    id: String(snapshot.ids('deals', [row])),
    keys: [
      zips.at(row) === deal['zip'] ? 0 : 1,
      Math.abs(distance(units.at(row), deal['units'])),
      deal['price_per_unit'] === null ? 0 : Math.abs(cents(prices.at(row)) - cents(deal['price_per_unit'])),
    ],
  }));
  far.sort((a, b) => {
    const at = a.keys.findIndex((key, i) => key !== b.keys[i]);
    return at === -1 ? (a.id < b.id ? -1 : 1) : (a.keys[at] ?? 0) - (b.keys[at] ?? 0);
  });
  return far.slice(0, COMPARABLES).map(({ row }) => row);
}

/** The market of a deal. The median of an even number of values is the lower of the middle two. */
async function marketOf(snapshot: Snapshot, deal: Row): Promise<z.input<typeof Market>> {
  const { id, city, state } = deal;
  const price = decimalOrNull(deal['price_per_unit']);
  const inCity = new Filters('deals')
    .and('listing_status', '=', 'active')
    .either({ column: 'city', is: 'like', value: String(city) })
    .and('state', '=', String(state));
  const rows = await snapshot.select(inCity);
  const column = (name: string) => snapshot.column('deals', name);
  const prices = column('price_per_unit');
  const priced = rows.filter((row) => prices.codeAt(row) > 0);
  const fitting = rows.filter((row) => column('underwrite_reliability').at(row) === 'ok');
  const own = snapshot.withKey('deals', 'id', [String(id)])[0];
  const cheaper = price === null ? 0 : priced.filter((row) => Number(prices.at(row)) < Number(price)).length;
  const comparables = nearest(
    snapshot,
    deal,
    priced.filter((row) => row !== own),
  );
  return {
    area: `${String(city)}, ${String(state)}`,
    active_deals: rows.length,
    priced_deals: priced.length,
    median_price_per_unit: decimalOrNull(prices.lowerMedian(rows)),
    median_cap_rate: decimalOrNull(column('cap_rate').lowerMedian(rows)),
    median_cap_rate_underwritten: decimalOrNull(column('cap_rate_underwritten').lowerMedian(fitting)),
    cheaper_deals: price === null ? null : cheaper,
    comparables: snapshot.records('deals', comparables, Object.keys(Comparable.shape)) as z.input<typeof Comparable>[],
  };
}

const PATH = '/api/deals/:id/report';
export const EXAMPLE_PATH = '/api/example_report';
/** Reports listed in the template response. */
const LIVE_EXAMPLES = 3;

const { comparison, debt_terms, offer, sensitivity, paths, recompute } = ReportRecord.schema.shape;

/** A county record that matches the property: the full record of its feed. */
const DistressRecord = z.strictObject({
  kind: z.enum(RECORD_KINDS),
  match_basis: MatchBasis,
  source_url: z.string(),
  signal: Signal.schema.nullable().meta({ description: 'The record if kind is that of a signal.' }),
  auction: Auction.schema.nullable().meta({ description: 'The record if kind is that of an auction.' }),
});

const VERSION =
  'source listing_id version change list_price units cap_rate noi availability version_first_seen ' as const;
const Version = partOf(ListingVersion, `${VERSION}version_last_seen gone_on listing_url source_url page_sha256`);

/** Reasons of nulls that a report has besides those of its record. */
const REASONS = {
  market: 'no_deal_of_the_city_has_one',
  cheaper: 'price_per_unit_missing',
  signal: 'kind_is_a_sale',
  auction: 'kind_is_a_signal',
} as const;

export const Report = z.strictObject({
  note: NOTE.optional(),
  property: z.string().meta({ description: 'Address of the property, in one line.' }),
  deal: Deal.schema,
  comparison,
  debt_terms,
  offer,
  paths,
  distress: z.strictObject({
    status: Deal.schema.shape.distress_status,
    score: Deal.schema.shape.distress_score,
    coverage: Deal.schema.shape.distress_coverage,
    matches: z.array(DistressRecord).meta({ description: 'County records with exactly this address.' }),
    candidates: z
      .array(DistressRecord)
      .meta({ description: 'County records that may belong to this property; they do not affect scores.' }),
  }),
  market: Market.meta({ description: 'Active deals in the same city.' }),
  history: z
    .array(Version)
    .meta({ description: 'Every version of every listing of the property that this service saw, oldest first.' }),
  sensitivity,
  recompute,
  assumptions: z.strictObject({ assumption_set_id: z.string(), values: z.record(z.string(), z.string()) }),
  absent: z
    .record(
      z.string(),
      z.enum([
        NOT_RECORDED,
        ...Object.values(REASONS),
        ...ReportRecord.columns.flatMap(({ inside = [] }) => inside.flatMap(({ codes }) => codes)),
      ]),
    )
    .meta({ description: 'Reason of every null of the sections, by its path. A record has its own absent.' }),
  ...PUBLISHED,
});
export type ReportBody = z.infer<typeof Report>;

const TemplateAnswer = z.strictObject({
  note: z.string(),
  how_to: z.string(),
  price: z.string(),
  live_examples: z.array(z.strictObject({ url: z.string(), property: z.string() })),
  free_id_index: z.string(),
  note_billing: z.string(),
});

interface Match {
  readonly kind: RecordKind;
  readonly id: string;
  readonly match_basis: z.infer<typeof MatchBasis>;
  readonly source_url: string;
}

const distressRecords = (snapshot: Snapshot, matches: readonly Match[]): Row[] =>
  matches.map(({ kind, id, match_basis, source_url }) => {
    const isAuction = isSale(kind);
    const table = isAuction ? 'auctions' : 'signals';
    const [record = null] = snapshot.records(table, snapshot.withKey(table, 'id', [id]));
    return { kind, match_basis, source_url, signal: isAuction ? null : record, auction: isAuction ? record : null };
  });

/** The values of a set of assumptions. */
const assumptionsIn = (snapshot: Snapshot, set: string): Record<string, unknown> =>
  Object.fromEntries(
    snapshot
      .all('assumptions')
      .flatMap((row) => (row['assumption_set_id'] === set ? [[row['key'], row['value']]] : [])),
  );

/** Reasons of the nulls of the sections that are not in the record of the report. */
const otherReasons = (market: Row, lists: Readonly<Record<string, readonly Row[]>>): Record<string, string> =>
  Object.fromEntries([
    ...Object.entries(market)
      .filter(([, value]) => value === null)
      .map(([name]) => [`market.${name}`, name === 'cheaper_deals' ? REASONS.cheaper : REASONS.market]),
    ...Object.entries(lists).flatMap(([list, records]) =>
      records.map(({ signal }, i) =>
        signal === null
          ? [`distress.${list}[${i}].signal`, REASONS.signal]
          : [`distress.${list}[${i}].auction`, REASONS.auction],
      ),
    ),
  ]);

/** The report of one deal, or null if there is no such deal. */
async function buildReport(
  { snapshot, manifest }: Pick<RouteRequest<Params>, 'snapshot' | 'manifest'>,
  id: string,
  more = '',
): Promise<Row | null> {
  const [[deal], [report]] = (['deals', 'reports'] as const).map((table) =>
    snapshot.records(table, snapshot.withKey(table, 'id', [id])),
  ) as [Row[], Row[]];
  if (!deal || !report) return null;
  const goneNote =
    deal['listing_status'] === 'active'
      ? ''
      : `This property is no longer shown for sale: listing_status is ${String(deal['listing_status'])}.`;
  const set = String(report['assumption_set_id']);
  const market = await marketOf(snapshot, deal);
  const found = {
    matches: distressRecords(snapshot, deal['distress_matches'] as Match[]),
    candidates: distressRecords(snapshot, deal['distress_candidates'] as Match[]),
  };
  // The sections have the matches with their records; the deal has them with their own reasons.
  const inside = Object.entries(report['absent'] as Row).filter(([at]) => !at.startsWith('distress_'));
  return {
    ...noteOf(manifest, [more, goneNote].filter(Boolean).join(' ')),
    property: propertyOf(deal),
    deal,
    comparison: report['comparison'],
    debt_terms: report['debt_terms'],
    offer: report['offer'],
    paths: report['paths'],
    distress: {
      status: deal['distress_status'],
      score: deal['distress_score'],
      coverage: deal['distress_coverage'],
      ...found,
    },
    market,
    history: snapshot.records(
      'listing_history',
      snapshot.withKey('listing_history', 'deal_id', [id]),
      Object.keys(Version.shape),
    ),
    sensitivity: report['sensitivity'],
    recompute: report['recompute'],
    assumptions: { assumption_set_id: set, values: assumptionsIn(snapshot, set) },
    absent: { ...Object.fromEntries(inside), ...otherReasons(market, found) },
    ...publishedOf(manifest),
  };
}

const dealId = idParam('Id of a deal; /api/deals/ids lists the top 50, free.');

/** The paid report of any deal, and the free report of an example. */
export function reportRoutes({ publicUrl }: { readonly publicUrl: string }): Route[] {
  const urlOf = (id: string): string => publicUrl + PATH.replace(':id', id);
  const price = PRICES[PATH];
  return [
    defineRoute({
      name: 'deal_report',
      path: PATH,
      price,
      guarantees: ['listing_active'],
      about:
        "The report of one deal: the claim compared with HUD's underwriting, debt and DSCR, county distress records " +
        'with their sources, the three paths, an offer range at the target cap rate, other listings in the city, the ' +
        "listing's history, what-ifs, and a formula for every figure.",
      params: {},
      pathParams: { id: dealId },
      reasons: ['unknown_deal', 'no_underwriting'],
      response: Report,
      check({ path }) {
        readValue('id', dealId, path['id'] ?? '');
      },
      async handle(request) {
        const id = readValue('id', dealId, request.path['id'] ?? '');
        const report = await buildReport(request, id);
        const more = { id, free_id_index: `${publicUrl}/api/deals/ids`, ...dataOf(request.manifest) };
        if (report === null) throw new Problem('unknown_deal', `There is no deal ${id}. Nothing was charged.`, more);
        if ((report['deal'] as Row)['report_status'] !== 'no_underwriting') return report;
        throw new Problem(
          'no_underwriting',
          `The price, the units or the rent of deal ${id} is not known, so its report has no underwriting. Nothing ` +
            'was charged. report_status of a deal says whether its report is sold.',
          more,
        );
      },
      template: {
        about: 'With the literal {id}: a description of the report, its price, and where to find ids. Free.',
        response: TemplateAnswer,
        stateKey: soldState,
        handle: async (request) => ({
          ...noteOf(
            request.manifest,
            `Replace {id} with the id of a deal. ${publicUrl}${EXAMPLE_PATH} is a full report, free.`,
          ),
          how_to:
            'Replace {id} with the id of a deal, from free_id_index or /api/deals, and call GET ' +
            `${PATH.replace(':id', '<id>')}. ` +
            'The response is 402 with the price; sign the terms in PAYMENT-REQUIRED and send the request again with ' +
            'PAYMENT-SIGNATURE.',
          price: `$${price}`,
          // The first is the free example.
          live_examples: (await exampleDeals(request, LIVE_EXAMPLES + 1))
            .slice(1)
            .map(({ id, property }) => ({ url: urlOf(id), property })),
          free_id_index: `${publicUrl}/api/deals/ids`,
          note_billing:
            'This response is free: no charge was made. A report is charged only if the response is 200; an invalid ' +
            'id is 400, an unknown id and a deal without an underwriting are 404, all free.',
        }),
      },
    }),
    defineRoute({
      name: 'example_report',
      path: EXAMPLE_PATH,
      price: null,
      about:
        'Free example: the full report of one active deal, chosen from each snapshot. Never of a property that was ' +
        'sold as an exclusive lead.',
      params: {},
      response: Report,
      reasons: ['no_matches'],
      stateKey: soldState,
      handle: cachePerDay(async (request) => {
        const [deal] = await exampleDeals(request, 1);
        const report =
          deal && (await buildReport(request, deal.id, `The full report that ${urlOf(deal.id)} sells, free.`));
        if (!report)
          throw new Problem('no_matches', 'There is no active deal for an example report.', dataOf(request.manifest));
        return report;
      }, soldState),
    }),
  ];
}
