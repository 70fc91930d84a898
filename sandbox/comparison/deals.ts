/**
 * Published deals against the world: one deal per property, its main listing and history, and every figure computed
 * from the world's price, units, rent and debts. Inputs that the models choose are taken as published: the HUD area of
 * a ZIP with several, the age of its rents, the figures of the census, the vacancy survey and the calibrated tables,
 * which county records match (compared by property in identity.ts), and which counties are covered. First days and
 * first prices are taken from the published listings if the oldest snapshot is missing.
 */
import { fraction } from '../../lib/fraction.ts';
import { dayNumber } from '../world/days.ts';
import type { Property, UnitMix } from '../world/types.ts';
import { lowestRentOfZip } from '../world/zip_rents.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { latestVersions, type SiteHistory, type TrueVersion } from './truth/listing_versions.ts';
import { trueLoanRate } from './truth/loan_rate.ts';
import { computeDeal } from './recompute/deal.ts';
import type { AssumptionValue } from './recompute/record.ts';
import { listingKey } from './listings.ts';
import { withDays, withJson, type ReadTable } from './snapshot.ts';
import type { Truth } from './truth/truth.ts';

/** Computed columns by group. */
const FIGURES: Readonly<Record<string, string>> = {
  'claim and rent': `noi noi_source cap_rate cap_rate_derived cap_gap_pct cap_gap_basis claim_consistency
    claim_issue underwriting_agreement market_rent_2br`,
  'rents in place': 'market_rent_mix rent_in_place contract_rent',
  'taxes and expenses': `tax_after_reset reserves operating_expenses expense_check noi_at_current_tax noi_after_reset
    noi_hud_2br cap_rate_hud_2br`,
  underwriting: `expense_ratio_pct gross_potential_rent effective_gross_income noi_underwritten cap_rate_underwritten
    gross_rent_multiplier price_per_unit underwrite_reliability underwrite_reason`,
  debt: `loan_rate_pct loan_amount monthly_payment annual_debt_service dscr dscr_status dscr_reason dscr_underwritten
    debt_yield_pct break_even_occupancy_pct rent_over_pitia net_cash_flow loan_sized loan_binding debt_service_sized
    cash_flow_after_debt cash_needed cash_on_cash_pct`,
  'cost and stress': `upfront_repairs_per_unit yield_on_cost_pct noi_stressed dscr_stressed price_to_rent
    score_share_pct score_limit condition_risk`,
  scores: `noi_scoring cap_scoring_pct coverage_scoring motivation_price_cut motivation_days motivation_score
    deal_score_yield deal_score_coverage deal_score_motivation deal_score_distress deal_score`,
  confidence: 'confidence_parts confidence_reasons confidence_score',
  distress: 'distress_score distress_status',
  'paths and offer': `rental_status wholesale_status creative_finance_status offer_status offer_low offer_high
    offer_range_basis offer_binding ask_at_or_below_target_value`,
};

/** Figures of the census, the vacancy survey and the calibrated tables, each with its basis. */
const CHOSEN = [
  'rent_steps',
  'expense_lines',
  'property_tax',
  'vacancy_pct',
  'expense_q1_pct',
  'expense_q3_pct',
  'expense_typical_pct',
];

const JSON_COLUMNS = [
  'unit_mix_stated',
  'also_listed',
  'distress_matches',
  'distress_coverage',
  'confidence_parts',
  'confidence_reasons',
  'rent_steps',
  'expense_lines',
  'property_tax',
];

const statusOf = ({ goneOn, listing }: TrueVersion): string => {
  if (goneOn !== null) return 'delisted';
  return listing.availability === 'for_sale' ? 'active' : listing.availability;
};

const STATUSES = ['active', 'under_contract', 'sold', 'delisted'];

/** Sort key of the listings of one property: the documented order of main listings. */
function mainOrder(version: TrueVersion): (number | string)[] {
  const { listing } = version;
  const absent = [listing.units === null, listing.capRate === null && listing.noi === null, listing.yearBuilt === null];
  return [
    STATUSES.indexOf(statusOf(version)),
    listing.price === null ? 1 : 0,
    -dayNumber(version.lastSeen),
    absent.filter(Boolean).length,
    version.listingFirstSeen,
    listing.site,
    listing.listingId,
  ];
}

function compareOrders(a: TrueVersion, b: TrueVersion): number {
  const [left, right] = [mainOrder(a), mainOrder(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
}

/**
 * HUD's rent of the property's ZIP, or of its county if no ZIP rents were read. A ZIP in several HUD areas does not
 * tell the county: then the lowest rent.
 */
function rentOf(deal: Row, { rent2br, zip }: Property, { sources }: Truth): string {
  const ofZip = sources.has('hud_safmr') ? lowestRentOfZip(zip) : null;
  if (ofZip !== null) return `${ofZip}.00`;
  const isLowest = deal['rent_basis'] === 'metro_lowest_of_several' && Number(deal['market_rent_2br']) <= rent2br;
  return isLowest ? String(deal['market_rent_2br']) : `${rent2br}.00`;
}

export interface CountyRecord {
  readonly amount: string | null;
  readonly sale_date: string | null;
}

/** Amount and sale day of each published county record by its id, as the world knows them. */
export type CountyRecords = ReadonlyMap<unknown, CountyRecord>;

/** "$37,688" or "$8,420.40": the sum of the matching debts as the sentence of a deal states it. */
function sumOfDebts(matches: readonly ({ readonly kind: string } & Partial<CountyRecord>)[]): string | null {
  const amounts = matches.flatMap(({ kind, amount }) =>
    kind === 'tax_delinquent' && amount ? [fraction(amount)] : [],
  );
  if (amounts.length === 0) return null;
  const [dollars = '', cents] = amounts
    .reduce((sum, amount) => sum.plus(amount))
    .rounded(2)
    .split('.');
  return `$${Number(dollars).toLocaleString('en-US')}${cents === '00' ? '' : `.${cents}`}`;
}

const mixByBedrooms = (mix: UnitMix | null): Row | null =>
  mix && { '0br': mix[0], '1br': mix[1], '2br': mix[2], '3br': mix[3], '4br': mix[4] };

const isUnknownMix = (deal: Row): boolean =>
  (deal['rent_steps'] as { readonly mix: { readonly sum: string | null } }).mix.sum === null;

interface Sources {
  readonly truth: Truth;
  readonly assumptions: AssumptionValue;
  readonly records: CountyRecords;
}

/** A deal's true listings and the published deal, for the inputs that the models choose. */
function trueDeal(listings: readonly TrueVersion[], deal: Row, { truth, assumptions, records }: Sources): TrueRow {
  const [main, ...others] = listings.toSorted(compareOrders);
  if (main === undefined) throw new Error('a property for sale has a listing');
  const { listing } = main;
  const property = truth.on(truth.asOf).property(listing.propertyId);
  const shown = listings.filter(({ goneOn }) => goneOn === null);
  const firstSeen = shown.map((value) => value.listingFirstSeen).sort()[0] ?? main.listingFirstSeen;
  const firstPrice = listing.price === null ? null : main.firstPrice;
  const matches = (deal['distress_matches'] ?? []) as readonly { readonly kind: string; readonly id: string }[];
  const inputs = {
    list_price: listing.price,
    units: listing.units,
    year_built: listing.yearBuilt,
    noi: listing.noi,
    noi_source: listing.noi === null ? null : 'stated',
    cap_rate: listing.capRate,
    cap_rate_source: listing.capRate !== null ? 'advertised' : listing.noi && listing.price ? 'derived' : 'none',
    property_type: null,
    // If the models chose steps for another number of units, the deal differs in all figures.
    market_rent_2br: (listing.units === null) === isUnknownMix(deal) ? rentOf(deal, property, truth) : null,
    rent_basis: deal['rent_basis'],
    rent_outdated_reason: deal['rent_outdated_reason'],
    loan_rate_pct: trueLoanRate(truth, assumptions),
    loan_rate_age_days: deal['loan_rate_age_days'],
    first_seen: firstSeen,
    delisted_on: main.goneOn,
    first_price: firstPrice,
    last_verified: main.lastSeen,
    // Every site of the world prints the street.
    address_key: listing.street,
    distress_matches: matches.map(({ kind, id }) => ({ kind, amount: null, sale_date: null, ...records.get(id) })),
    distress_coverage: deal['distress_coverage'],
    ...Object.fromEntries(CHOSEN.map((name) => [name, deal[name]])),
  };
  const computed = computeDeal(inputs, assumptions, truth.asOf);
  const columns = (names: string): Row =>
    Object.fromEntries(names.split(/\s+/u).map((name) => [name, computed[name] ?? null]));
  return {
    key: listing.propertyId,
    fields: {
      listing: {
        source: listing.site,
        listing_id: listing.listingId,
        listing_status: statusOf(main),
        address: listing.street,
        city: listing.city,
        state: listing.state,
        zip: listing.zip,
        list_price: listing.price,
        units: listing.units,
        unit_mix_stated: mixByBedrooms(listing.unitMix),
        annual_taxes: listing.annualTaxes,
        year_built: listing.yearBuilt,
      },
      ...(truth.isComplete
        ? {
            history: {
              also_listed: others.map((other) => listingKey(other.listing.site, other.listing.listingId)).sort(),
              first_seen: firstSeen,
              last_seen: listings
                .map((value) => value.lastSeen)
                .sort()
                .at(-1),
              delisted_on: main.goneOn,
              relisted: main.relisted,
              first_price: firstPrice,
              price_reduction_pct: computed['price_reduction_pct'],
              days_on_feed: computed['days_on_feed'],
            },
          }
        : {}),
      ...Object.fromEntries(Object.entries(FIGURES).map(([group, names]) => [group, columns(names)])),
      'sum of debts': { delinquent_tax: sumOfDebts(inputs.distress_matches) },
    },
  };
}

/** Columns in the form of the true ones. */
function comparable(deal: Row): Row {
  const row = withDays(withJson(deal, ...JSON_COLUMNS));
  const others = row['also_listed'] as readonly { readonly source: string; readonly listing_id: string }[];
  return {
    ...row,
    also_listed: others.map((other) => listingKey(other.source, other.listing_id)).sort(),
    // The sum of the debts is in the sentence only.
    delinquent_tax: /(\$[\d,.]+) of delinquent tax/u.exec(String(row['why_this_is_interesting']))?.[1] ?? null,
  };
}

/** The versions with first day and first price as published. */
function withPublishedFirsts(versions: readonly TrueVersion[], published: readonly Row[]): TrueVersion[] {
  const rows = new Map(
    published
      .filter((row) => row['is_latest'] === true)
      .map((row) => [listingKey(row['source'], row['listing_id']), withDays(row)]),
  );
  return versions.map((version) => {
    const row = rows.get(listingKey(version.listing.site, version.listing.listingId));
    if (row === undefined) return version;
    const { listing_first_seen: firstSeen, first_price: firstPrice } = row;
    return {
      ...version,
      listingFirstSeen: String(firstSeen),
      firstPrice: firstPrice === null ? null : String(firstPrice),
    };
  });
}

export async function compareDeals(
  read: ReadTable,
  histories: ReadonlyMap<string, SiteHistory>,
  sources: Sources,
): Promise<Comparison[]> {
  const latest = [...histories.values()].flatMap(latestVersions);
  const versions = sources.truth.isComplete ? latest : withPublishedFirsts(latest, await read('listing_history'));
  const propertyOf = new Map(
    versions.map(({ listing }) => [listingKey(listing.site, listing.listingId), listing.propertyId]),
  );
  const keyOf = (deal: Row): string => {
    const key = listingKey(deal['source'], deal['listing_id']);
    return propertyOf.get(key) ?? `unknown listing ${key}`;
  };
  // A listing that ended before the oldest snapshot is not known.
  const mayBeUnknown = (deal: Row): boolean =>
    !sources.truth.isComplete && deal['listing_status'] === 'delisted' && keyOf(deal).startsWith('unknown');
  const deals = (await read('deals')).map(comparable).filter((deal) => !mayBeUnknown(deal));
  const published = Map.groupBy(deals, keyOf);
  return compare({
    what: 'deals',
    published: deals,
    keyOf,
    truth: [...Map.groupBy(versions, ({ listing }) => listing.propertyId)].map(([id, listings]) => {
      const deal = published.get(id)?.[0];
      return deal === undefined ? { key: id, fields: {} } : trueDeal(listings, deal, sources);
    }),
  });
}
