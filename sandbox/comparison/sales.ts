/** Published sales: of Ohio's sheriffs, of Florida's clerks, and Bexar County's notices. */
import { addDays } from '../../sources/days.ts';
import { Fraction, fraction } from '../../lib/fraction.ts';
import { isGlued } from '../pages/realauction_items.ts';
import { spellStreet } from '../world/streets.ts';
import type { AuctionOnDay, Day } from '../world/types.ts';
import type { Row, TrueRow } from './compare.ts';
import {
  parcelKey,
  placeFromOthers,
  printedPlace,
  sourcesOf,
  type RecordTable,
  type SourceReads,
  type Truth,
} from './truth.ts';

/** Sales are read from a week back to seventy-five days ahead. */
const [DAYS_BACK, DAYS_AHEAD] = [7, 75];

/** Sales of a county on its auction site on a day. */
const salesShown = (truth: Truth, fips: string, readOn: Day): AuctionOnDay[] =>
  truth
    .on(readOn)
    .auctions.filter(
      ({ countyFips, saleDate }) =>
        countyFips === fips && saleDate >= addDays(readOn, -DAYS_BACK) && saleDate <= addDays(readOn, DAYS_AHEAD),
    );

/** Items that a list without results shows: an item that is called off, or past, leaves it. */
export const postedOn = (
  truth: Truth,
  { lastGood }: SourceReads,
  isOf: (sale: AuctionOnDay) => boolean,
): AuctionOnDay[] =>
  truth.on(lastGood).auctions.filter((sale) => isOf(sale) && sale.status === 'scheduled' && sale.saleDate >= lastGood);

/** Two thirds of the appraisal, rounded up to the cent (ORC 2329.20: "not less than"). */
function twoThirds(appraised: string): string {
  const exact = fraction(appraised).times(fraction(200)).over(fraction(3));
  return new Fraction((exact.numerator + exact.denominator - 1n) / exact.denominator, 100n).rounded(2);
}

/** The opening bid by the law: a published one first; two thirds of the appraisal at a first mortgage sale. */
function bidColumns({ openingBid, appraised, kind, round, deposit }: AuctionOnDay): Row {
  const isMortgage = kind === 'mortgage_foreclosure';
  const minimum = isMortgage && round === 1 && appraised !== null ? twoThirds(appraised) : null;
  const above = Number(openingBid ?? minimum) - Number(minimum);
  // Sites round the minimum up to the dollar.
  const isMinimum = minimum !== null && above >= 0 && above < 1;
  const without = isMortgage && round === 2 ? 'no_minimum_second_sale' : 'unknown';
  const published = openingBid === null ? without : 'published_minimum';
  return {
    appraised_value: appraised,
    opening_bid: openingBid ?? minimum,
    opening_bid_basis: isMinimum ? 'two_thirds_of_appraisal' : published,
    opening_bid_derived: openingBid === null && minimum !== null,
    // A first mortgage sale must open at two thirds.
    opening_bid_mismatch: isMortgage && round === 1 && !isMinimum && openingBid !== null,
    deposit,
  };
}

/** Address as the sheriffs print it. */
function sheriffsPlace(truth: Truth, { propertyId }: AuctionOnDay): Row {
  const { address, city, zip } = truth.on(truth.asOf).property(propertyId);
  return { property_address: spellStreet(address, 'upper_words'), city: city.toUpperCase(), state: 'OH', zip };
}

function sheriffSale(sale: AuctionOnDay, truth: Truth): Row {
  // Stark's own page, which states the defendant.
  const page = sourcesOf(truth, 'sheriff', sale.countyFips).find(({ source }) => source.endsWith('_page'));
  const isOnPage = page !== undefined && sale.saleDate >= page.lastGood && sale.postedOn <= page.lastGood;
  return {
    ...sheriffsPlace(truth, sale),
    ...bidColumns(sale),
    sold_amount: sale.soldFor,
    sale_kind: sale.kind,
    // Only a mortgage sale is called a first or a second one (ORC 2329.52).
    sale_round: sale.kind === 'mortgage_foreclosure' ? sale.round : null,
    plaintiff: null,
    defendant: isOnPage ? sale.defendant : null,
    parcel_key: parcelKey(sale.countyFips, sale.parcel),
  };
}

function clerkSale(sale: AuctionOnDay, truth: Truth): Row {
  const { address, city, zip } = truth.on(truth.asOf).property(sale.propertyId);
  // A site that has shown the address shows it until the sale.
  const isShown = sale.showsAddress;
  return {
    property_address: isShown ? spellStreet(address, 'upper_words') : null,
    city: isShown && !isGlued(sale) ? city.toUpperCase() : null,
    zip: isShown ? zip : null,
    sold_amount: sale.soldFor,
    parcel_id: sale.showsParcel ? sale.parcel : null,
    appraised_value: null,
    opening_bid: sale.openingBid,
    opening_bid_basis: sale.openingBid === null ? 'unknown' : 'published_minimum',
    opening_bid_derived: false,
    judgment_amount: sale.judgment,
    assessed_value: sale.assessed,
    plaintiff_max_bid: sale.maxBid,
    certificate_number: sale.certificate,
  };
}

function notice(sale: AuctionOnDay, truth: Truth): Row {
  const property = truth.on(truth.asOf).property(sale.propertyId);
  const { address, city, zip } = sale.showsAddress ? printedPlace(property) : placeFromOthers(property);
  return { opening_bid: null, opening_bid_derived: false, property_address: address, city, zip };
}

const BEXAR = '48029';

/** A case may have several sales on a day, which Bexar's notices do not number. */
const keyOf = (fips: unknown, caseNumber: unknown, saleDate: unknown, item: unknown): string =>
  [fips, caseNumber, saleDate, fips === BEXAR ? '' : item].join(' ');

/** The sales of a state. Bexar County's notices show only sales to come. */
interface Sales {
  readonly record: string;
  readonly where: string;
  readonly isSite: (site: SourceReads) => boolean;
  readonly columns: (sale: AuctionOnDay, truth: Truth) => Row;
  /** Columns of a sale that its site no longer shows. */
  readonly earlier?: (sale: AuctionOnDay, truth: Truth) => Row;
}

const SALES: readonly Sales[] = [
  {
    record: 'sales of sheriffs',
    where: "state = 'OH'",
    isSite: ({ family, source }) => family === 'sheriff' && !source.endsWith('_page'),
    columns: sheriffSale,
    earlier: (sale, truth) => ({
      ...sheriffsPlace(truth, sale),
      deposit: sale.deposit,
      appraised_value: sale.appraised,
    }),
  },
  {
    record: "sales of Florida's clerks",
    where: "state = 'FL'",
    isSite: ({ family, source }) => family === 'auctions' && source.startsWith('fl_'),
    columns: clerkSale,
  },
  {
    record: 'sales of Bexar County',
    where: `county_fips = '${BEXAR}'`,
    isSite: ({ family, countyFips }) => family === 'auctions' && countyFips === BEXAR,
    columns: notice,
  },
];

function trueSales(truth: Truth, site: SourceReads, { columns, earlier }: Sales): TrueRow[] {
  const isOfSite = ({ countyFips, auctionType }: AuctionOnDay): boolean =>
    countyFips === site.countyFips && (site.family === 'sheriff' || site.kinds.includes(auctionType));
  const shown =
    site.countyFips === BEXAR
      ? postedOn(truth, site, isOfSite)
      : salesShown(truth, site.countyFips, site.lastGood).filter(isOfSite);
  const keyOfSale = (sale: AuctionOnDay): string => keyOf(sale.countyFips, sale.caseNumber, sale.saleDate, sale.aid);
  const isShown = new Set(shown.map(keyOfSale));
  const others = truth.on(truth.asOf).auctions.filter((sale) => isOfSite(sale) && !isShown.has(keyOfSale(sale)));
  return [
    ...shown.map((sale) => {
      // A sale whose day passes after its page was read has no published result.
      const isPast = sale.status === 'scheduled' && sale.saleDate < truth.asOf;
      const common = { auction_type: sale.auctionType, sale_status: isPast ? 'result_unknown' : sale.status };
      return { key: keyOfSale(sale), columns: { ...common, ...columns(sale, truth) } };
    }),
    ...others.map((sale) => ({ key: keyOfSale(sale), columns: earlier?.(sale, truth) ?? {}, isOptional: true })),
  ];
}

export const OF_SALES = SALES.map((sales): RecordTable => ({
  record: sales.record,
  table: 'auctions',
  where: sales.where,
  keyOf: (row) => keyOf(row['county_fips'], row['case_number'], row['sale_date'], row['item_id']),
  truth: (truth) => truth.sources.filter(sales.isSite).flatMap((site) => trueSales(truth, site, sales)),
}));
