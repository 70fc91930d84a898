/**
 * Published deals: one per property, its main listing and history, and every figure computed from the world's price,
 * units, rent and debts. Inputs that the models choose are taken as published: the HUD area of a ZIP with several, the
 * age of its rents, the figures of the census, the vacancy survey and the calibrated tables, which county records match
 * (compared by property in identity.ts), and which counties are covered.
 */
import { fraction } from '../../../lib/fraction.ts';
import { dayNumber } from '../../world/days.ts';
import { madeUpRates } from '../../world/survey_rates.ts';
import type { Property, RollEntry, UnitMix } from '../../world/types.ts';
import { lowestRentOfZip } from '../../world/zip_rents.ts';
import type { Row, TrueRow } from '../compare.ts';
import { computeDeal } from '../recompute/deal.ts';
import type { AssumptionValue } from '../recompute/record.ts';
import { readAssumptions, withDays, type Facts, type RecordTable } from '../snapshot.ts';
import { latestVersions, type TrueVersion } from '../truth/listing_versions.ts';
import { trueSales, trueSignals, type TrueRecord } from '../truth/records.ts';
import type { Truth } from '../truth/truth.ts';
import { listingHistories, listingKey, listingKeyOf } from './listings.ts';

/** Sources of the survey. */
const SURVEYS = ['fred_rates', 'freddie_pmms'];

/** The loan rate of a snapshot: the newest survey week that was read, plus the declared spread. */
function trueLoanRate({ world, sources }: Truth, assumption: AssumptionValue): string {
  const read = SURVEYS.flatMap((name) => sources.get(name)?.lastGood ?? [])
    .sort()
    .at(-1);
  if (assumption('loan_rate_method') === 'declared' || read === undefined) return assumption('loan_rate_pct');
  const newest = madeUpRates(world.options.seed, 'MORTGAGE30US', read).findLast(({ rate }) => rate !== null);
  if (!newest?.rate) return assumption('loan_rate_pct');
  return fraction(newest.rate)
    .over(fraction(100))
    .plus(fraction(assumption('loan_rate_spread')))
    .rounded(2);
}

/** Columns that are computed. */
const FIGURES = `noi noi_source cap_rate cap_rate_derived cap_gap_pct cap_gap_basis claim_consistency claim_issue
  underwriting_agreement market_rent_2br market_rent_mix rent_in_place contract_rent tax_after_reset reserves
  operating_expenses expense_check noi_at_current_tax noi_after_reset noi_hud_2br cap_rate_hud_2br expense_ratio_pct
  gross_potential_rent effective_gross_income noi_underwritten cap_rate_underwritten gross_rent_multiplier
  price_per_unit underwrite_reliability underwrite_reason loan_rate_pct loan_amount monthly_payment
  annual_debt_service dscr dscr_status dscr_reason dscr_underwritten debt_yield_pct break_even_occupancy_pct
  rent_over_pitia net_cash_flow loan_sized loan_binding debt_service_sized cash_flow_after_debt cash_needed
  cash_on_cash_pct upfront_repairs_per_unit yield_on_cost_pct noi_stressed dscr_stressed price_to_rent score_share_pct
  score_limit condition_risk noi_scoring cap_scoring_pct coverage_scoring motivation_price_cut motivation_days
  motivation_score deal_score_yield deal_score_coverage deal_score_motivation deal_score_distress deal_score
  confidence_parts confidence_reasons confidence_score distress_score distress_status rental_status wholesale_status
  creative_finance_status offer_status offer_low offer_high offer_range_basis offer_binding
  ask_at_or_below_target_value`.split(/\s+/u);

/** Inputs that are taken as published, such as figures of the census and of the vacancy survey. */
const CHOSEN = `rent_steps expense_lines property_tax vacancy_pct expense_q1_pct expense_q3_pct expense_typical_pct
  rent_basis rent_outdated_reason loan_rate_age_days distress_coverage`.split(/\s+/u);

const JSON_COLUMNS = `unit_mix_stated also_listed distress_matches distress_coverage confidence_parts
  confidence_reasons rent_steps expense_lines property_tax`.split(/\s+/u);

const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

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

/** "$37,688" or "$8,420.40": the sum of the matching debts as the sentence of a deal states it. */
function sumOfDebts(matches: readonly Row[]): string | null {
  const amounts = matches.flatMap(({ kind, amount }) =>
    kind === 'tax_delinquent' && typeof amount === 'string' ? [fraction(amount)] : [],
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

interface DealFacts {
  readonly truth: Truth;
  readonly assumptions: AssumptionValue;
  /** Published county records by id, as the world knows them. */
  readonly records: ReadonlyMap<unknown, TrueRecord>;
}

/** A deal's true listings and the published deal, for the inputs that the models choose. */
function trueDeal(
  key: string,
  listings: readonly TrueVersion[],
  deal: Row,
  { truth, assumptions, records }: DealFacts,
): TrueRow {
  const [main, ...others] = listings.toSorted(compareOrders);
  if (main === undefined) throw new Error('a property for sale has a listing');
  const { listing } = main;
  const property = truth.on(truth.asOf).property(listing.propertyId);
  const shown = listings.filter(({ goneOn }) => goneOn === null);
  const firstSeen = shown.map((value) => value.listingFirstSeen).sort()[0] ?? main.listingFirstSeen;
  const firstPrice = listing.price === null ? null : main.firstPrice;
  const matches = ((deal['distress_matches'] ?? []) as readonly Row[]).map(({ kind, id }): Row => {
    const record = records.get(id);
    return { kind, amount: record?.amount ?? null, sale_date: record?.saleDate ?? null };
  });
  const computed = computeDeal(
    {
      ...pick(deal, CHOSEN),
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
      loan_rate_pct: trueLoanRate(truth, assumptions),
      first_seen: firstSeen,
      delisted_on: main.goneOn,
      first_price: firstPrice,
      last_verified: main.lastSeen,
      // Every site of the world prints the street.
      address_key: listing.street,
      distress_matches: matches,
    },
    assumptions,
    truth.asOf,
  );
  const history: Row = {
    also_listed: others.map((other) => listingKey(other.listing.site, other.listing.listingId)).sort(),
    first_seen: firstSeen,
    last_seen: listings
      .map((value) => value.lastSeen)
      .sort()
      .at(-1),
    delisted_on: main.goneOn,
    relisted: main.relisted,
    first_price: firstPrice,
    ...pick(computed, ['price_reduction_pct', 'days_on_feed']),
  };
  return {
    key,
    columns: {
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
      ...(truth.isComplete ? history : {}),
      ...pick(computed, FIGURES),
      delinquent_tax: sumOfDebts(matches),
    },
  };
}

/** Columns in the form of the true ones. */
function prepareDeal(deal: Row): Row {
  const parsed = JSON_COLUMNS.map((name) => [name, JSON.parse(String(deal[name])) as unknown] as const);
  const row: Row = { ...deal, ...Object.fromEntries(parsed) };
  return {
    ...row,
    also_listed: (row['also_listed'] as readonly Row[]).map(listingKeyOf).sort(),
    // The sum of the debts is in the sentence only.
    delinquent_tax: /(\$[\d,.]+) of delinquent tax/u.exec(String(row['why_this_is_interesting']))?.[1] ?? null,
  };
}

/**
 * The latest version of each listing. If the oldest snapshot is missing, the first day and first price are taken as
 * published.
 */
async function dealVersions(facts: Facts): Promise<TrueVersion[]> {
  const versions = (await listingHistories(facts)).flatMap(latestVersions);
  if (facts.truth.isComplete) return versions;
  const rows = new Map((await facts.read('listing_history', 'is_latest')).map((row) => [listingKeyOf(row), row]));
  return versions.map((version) => {
    const row = rows.get(listingKey(version.listing.site, version.listing.listingId));
    if (row === undefined) return version;
    const { listing_first_seen: firstSeen, first_price: firstPrice } = withDays(row);
    return {
      ...version,
      listingFirstSeen: String(firstSeen),
      firstPrice: firstPrice === null ? null : String(firstPrice),
    };
  });
}

const DEALS_TABLE: RecordTable = {
  record: 'deals',
  table: 'deals',
  prepare: prepareDeal,
  keyOf: listingKeyOf,
  async truth(facts, published) {
    const { read, truth, counties } = facts;
    const records = new Map([
      ...trueSignals(await read('signals'), truth, counties),
      ...trueSales(await read('auctions'), truth),
    ]);
    const assumptions = await readAssumptions(read);
    const byMain = new Map(published.map((deal) => [listingKeyOf(deal), deal]));
    const versions = await dealVersions(facts);
    const rows = [...Map.groupBy(versions, ({ listing }) => listing.propertyId).values()].map((listings): TrueRow => {
      const main = listings.toSorted(compareOrders)[0]?.listing;
      const key = listingKey(main?.site, main?.listingId);
      const deal = byMain.get(key);
      return deal ? trueDeal(key, listings, deal, { truth, assumptions, records }) : { key, columns: {} };
    });
    if (truth.isComplete) return rows;
    // A listing that ended before the oldest snapshot is not known.
    const known = new Set(rows.map(({ key }) => key));
    const ended = published.filter((deal) => deal['listing_status'] === 'delisted' && !known.has(listingKeyOf(deal)));
    return [...rows, ...ended.map((deal) => ({ key: listingKeyOf(deal), columns: {} }))];
  },
};

/** Whether a lot or a home of the building has its address on the roll. */
const isShared = (truth: Truth, property: Property): boolean =>
  ['P', 'C'].some((head) => truth.world.properties.has(`${head}${property.id}`));

/** Entries of the rolls that were read, by property. */
function rollsRead(truth: Truth): Map<string, RollEntry> {
  const sources = [...truth.sources.values()].filter(({ kinds }) => kinds.includes('parcel_roll'));
  return new Map(
    sources.flatMap(({ countyFips, lastGood }) =>
      truth
        .on(lastGood)
        .roll(countyFips ?? '')
        .map((entry) => [entry.propertyId, entry] as const),
    ),
  );
}

function rollColumns(property: Property, entry: RollEntry | undefined, deal: Row, truth: Truth): Row {
  if (deal['roll_status'] !== 'matched') {
    // A roll without the address, with a part of it, or with several parcels of it matches nothing.
    const mayMiss = entry === undefined || isShared(truth, property) || property.address.unit !== null;
    return mayMiss ? { roll_parcel_id: null } : { roll_status: 'matched' };
  }
  // The county's parcel layer has the parcel, but no last sale that the world knows.
  if (entry === undefined) return { building: property.building };
  return {
    building: property.building,
    last_sale_date: entry.lastSaleDate,
    last_sale_price: entry.lastSalePrice,
    assessed_market_value: `${entry.assessedValue}.00`,
  };
}

/** The last sale and the assessed value of deals, on the assessment rolls. */
const ROLLS: RecordTable = {
  record: 'rolls of deals',
  table: 'deals',
  where: "listing_status = 'active'",
  prepare(deal, { truth, propertyOf, forSale }) {
    const id = forSale.get(listingKeyOf(deal));
    if (id === undefined) return null;
    const { properties } = truth.world;
    const parcel = propertyOf(properties.get(id)?.countyFips, deal['roll_parcel_id']);
    return { ...deal, property: id, building: parcel === undefined ? null : properties.get(parcel)?.building };
  },
  keyOf: ({ property }) => String(property),
  truth({ truth }, published) {
    const rolls = rollsRead(truth);
    return published.map((deal) => {
      const property = truth.on(truth.asOf).property(String(deal['property']));
      return { key: property.id, columns: rollColumns(property, rolls.get(property.id), deal, truth) };
    });
  },
};

export const DEALS: readonly RecordTable[] = [DEALS_TABLE, ROLLS];
