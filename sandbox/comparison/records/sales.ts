/** Published sales: of Ohio's sheriffs, of Florida's clerks, and Bexar County's notices. */
import { Fraction, fraction } from '../../../lib/fraction.ts';
import { isGlued } from '../../pages/realauction_items.ts';
import { counties } from '../../world/auctions.ts';
import { spellStreet } from '../../world/streets.ts';
import type { AuctionOnDay } from '../../world/types.ts';
import type { Row, TrueRow } from '../compare.ts';
import type { RecordTable } from '../snapshot.ts';
import { placeFromOthers, printedPlace } from '../truth/printed_places.ts';
import {
  auctionSite,
  countyPage,
  firstSaleDay,
  saleAddress,
  saleKey,
  salesShown,
  statedRound,
} from '../truth/sales.ts';
import type { SourceReads, Truth } from '../truth/truth.ts';

/** Two thirds of the appraisal, rounded up to the cent (ORC 2329.20: "not less than"). */
function twoThirds(appraised: string): string {
  const exact = fraction(appraised).times(fraction(200)).over(fraction(3));
  return new Fraction((exact.numerator + exact.denominator - 1n) / exact.denominator, 100n).rounded(2);
}

interface Bid {
  readonly amount: string | null;
  readonly basis: string;
  readonly isDerived: boolean;
}

/** The opening bid by the law: a published one first; two thirds of the appraisal at a first mortgage sale. */
function deriveBid({ openingBid, appraised, kind, round }: AuctionOnDay): Bid {
  const isFirstMortgageSale = kind === 'mortgage_foreclosure' && round === 1;
  const minimum = appraised === null ? null : twoThirds(appraised);
  if (openingBid !== null) {
    const above = minimum === null ? null : Number(openingBid) - Number(minimum);
    // Sites round the minimum up to the dollar.
    const isMinimum = above !== null && above >= 0 && above < 1;
    const basis = isFirstMortgageSale && isMinimum ? 'two_thirds_of_appraisal' : 'published_minimum';
    return { amount: openingBid, basis, isDerived: false };
  }
  if (isFirstMortgageSale && minimum !== null)
    return { amount: minimum, basis: 'two_thirds_of_appraisal', isDerived: true };
  const isSecond = kind === 'mortgage_foreclosure' && round === 2;
  return { amount: null, basis: isSecond ? 'no_minimum_second_sale' : 'unknown', isDerived: false };
}

function bidColumns(sale: AuctionOnDay): Row {
  const { amount, basis, isDerived } = deriveBid(sale);
  return {
    appraised_value: sale.appraised,
    opening_bid: amount,
    opening_bid_basis: basis,
    opening_bid_derived: isDerived,
    // A first mortgage sale must open at two thirds.
    opening_bid_mismatch: sale.kind === 'mortgage_foreclosure' && sale.round === 1 && basis === 'published_minimum',
    deposit: sale.deposit,
  };
}

/** A sale whose day passes after its page was read has no published result. */
const statusOf = (sale: AuctionOnDay, truth: Truth): string =>
  sale.status === 'scheduled' && sale.saleDate < truth.asOf ? 'result_unknown' : sale.status;

function addressColumns(truth: Truth, sale: AuctionOnDay): Row {
  const { street, city, zip } = saleAddress(truth, sale);
  return { property_address: street, city, state: 'OH', zip };
}

function sheriffSale(sale: AuctionOnDay, truth: Truth): TrueRow {
  const page = countyPage(truth, sale.countyFips);
  const isOnPage = page !== undefined && sale.saleDate >= page.lastGood && sale.postedOn <= page.lastGood;
  return {
    key: saleKey(sale),
    columns: {
      sale_status: statusOf(sale, truth),
      sold_amount: sale.soldFor,
      ...addressColumns(truth, sale),
      ...bidColumns(sale),
      sale_kind: sale.kind,
      sale_round: statedRound(sale),
      plaintiff: null,
      defendant: isOnPage ? sale.defendant : null,
      item_id: sale.aid,
    },
  };
}

const sheriffs = (truth: Truth): SourceReads[] => counties.flatMap(({ fips }) => auctionSite(truth, fips) ?? []);

/** Whether a county's site showed a sale of this day when it was last read. A county without a site shows none. */
function isShown(sites: readonly SourceReads[]): (countyFips: unknown, saleDate: unknown) => boolean {
  const firstDay = new Map(sites.map(({ countyFips, lastGood }) => [countyFips, firstSaleDay(lastGood)]));
  return (countyFips, saleDate) => String(saleDate) >= (firstDay.get(String(countyFips)) ?? '');
}

const sheriffKeyOf = (row: Row): string =>
  [row['county_fips'], row['case_number'], row['parcel_key'], row['sale_date']].join(' ');

/** Sites of Florida's clerks, each with the sales of its kind. */
const clerkSites = (truth: Truth): { readonly reads: SourceReads; readonly shown: readonly AuctionOnDay[] }[] =>
  [...truth.sources.values()].flatMap((reads) => {
    const { source, family, countyFips, lastGood } = reads;
    if (!source.startsWith('fl_') || family !== 'auctions' || countyFips === null) return [];
    const type = source.endsWith('_foreclosure') ? 'foreclosure_sale' : 'tax_deed_sale';
    const shown = salesShown(truth, countyFips, lastGood).filter(({ auctionType }) => auctionType === type);
    return [{ reads, shown }];
  });

/** Place of the property as a clerk shows it. A site that has shown it shows it until the sale. */
function clerkPlace(truth: Truth, sale: AuctionOnDay): Row {
  const { address, city, zip } = truth.on(truth.asOf).property(sale.propertyId);
  return sale.showsAddress
    ? { property_address: spellStreet(address, 'upper_words'), city: isGlued(sale) ? null : city.toUpperCase(), zip }
    : { property_address: null, city: null, zip: null };
}

const clerkSale = (sale: AuctionOnDay, truth: Truth): TrueRow => ({
  key: sale.aid,
  columns: {
    sale_status: statusOf(sale, truth),
    sold_amount: sale.soldFor,
    ...clerkPlace(truth, sale),
    parcel_id: sale.showsParcel ? sale.parcel : null,
    appraised_value: null,
    opening_bid: sale.openingBid,
    opening_bid_basis: sale.openingBid === null ? 'unknown' : 'published_minimum',
    opening_bid_derived: false,
    judgment_amount: sale.judgment,
    assessed_value: sale.assessed,
    plaintiff_max_bid: sale.maxBid,
    auction_type: sale.auctionType,
    certificate_number: sale.certificate,
    case_number: sale.caseNumber,
  },
});

const BEXAR = '48029';

/** Items that a list without results shows: an item that is called off, or past, leaves it. */
export const postedOn = (
  truth: Truth,
  { lastGood }: SourceReads,
  isOf: (sale: AuctionOnDay) => boolean,
): AuctionOnDay[] =>
  truth.on(lastGood).auctions.filter((sale) => isOf(sale) && sale.status === 'scheduled' && sale.saleDate >= lastGood);

const notices = (truth: Truth): AuctionOnDay[] =>
  [...truth.sources.values()]
    .filter(({ family, countyFips }) => family === 'auctions' && countyFips === BEXAR)
    .flatMap((reads) =>
      postedOn(truth, reads, (sale) => sale.countyFips === BEXAR && reads.kinds.includes(sale.auctionType)),
    );

function notice(sale: AuctionOnDay, truth: Truth): TrueRow {
  const property = truth.on(truth.asOf).property(sale.propertyId);
  const { address, city, zip } = sale.showsAddress ? printedPlace(property) : placeFromOthers(property);
  return {
    key: `${sale.caseNumber} ${sale.saleDate}`,
    columns: {
      auction_type: sale.auctionType,
      sale_status: statusOf(sale, truth),
      opening_bid: null,
      opening_bid_derived: false,
      property_address: address,
      city,
      zip,
    },
  };
}

export const SALES: readonly RecordTable[] = [
  {
    record: 'auctions',
    table: 'auctions',
    where: "state = 'OH'",
    prepare: (row, { truth }) => (isShown(sheriffs(truth))(row['county_fips'], row['sale_date']) ? row : null),
    keyOf: sheriffKeyOf,
    truth: ({ truth }) =>
      sheriffs(truth)
        .flatMap(({ countyFips, lastGood }) => salesShown(truth, countyFips ?? '', lastGood))
        .map((sale) => sheriffSale(sale, truth)),
  },
  {
    // Their pages and properties do not change any more.
    record: 'auctions no longer shown',
    table: 'auctions',
    where: "state = 'OH'",
    prepare: (row, { truth }) => (isShown(sheriffs(truth))(row['county_fips'], row['sale_date']) ? null : row),
    keyOf: sheriffKeyOf,
    truth: ({ truth }) => {
      const sites = sheriffs(truth);
      const isStillShown = isShown(sites);
      return truth
        .on(truth.asOf)
        .auctions.filter(
          ({ countyFips, saleDate }) =>
            sites.some((site) => site.countyFips === countyFips) && !isStillShown(countyFips, saleDate),
        )
        .map((sale) => ({
          key: saleKey(sale),
          columns: { ...addressColumns(truth, sale), deposit: sale.deposit, appraised_value: sale.appraised },
          isOptional: true,
        }));
    },
  },
  {
    record: "auctions of Florida's clerks",
    table: 'auctions',
    where: "state = 'FL'",
    prepare: (row, { truth }) => {
      const reads = truth.sources.get(String(row['source']));
      return reads === undefined || String(row['sale_date']) >= firstSaleDay(reads.lastGood) ? row : null;
    },
    keyOf: (row) => String(row['item_id']),
    truth: ({ truth }) => clerkSites(truth).flatMap(({ shown }) => shown.map((sale) => clerkSale(sale, truth))),
  },
  {
    record: 'auctions of Bexar County',
    table: 'auctions',
    where: `county_fips = '${BEXAR}'`,
    keyOf: (row) => `${String(row['case_number'])} ${String(row['sale_date'])}`,
    // Notices that left the map are known from earlier reads only.
    truth: ({ truth }, published) => {
      const shown = notices(truth).map((sale) => notice(sale, truth));
      const keys = new Set(shown.map(({ key }) => key));
      const gone = published
        .filter(({ sale_status: status }) => status !== 'scheduled')
        .map((row) => `${String(row['case_number'])} ${String(row['sale_date'])}`)
        .filter((key) => !keys.has(key));
      return [...shown, ...gone.map((key) => ({ key, columns: {} }))];
    },
  },
];
