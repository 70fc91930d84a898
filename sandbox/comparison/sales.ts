/** Published sales: of Ohio's sheriffs, of Florida's clerks, and Bexar County's notices. */
import { addDays } from '../../sources/days.ts';
import { Fraction, fraction } from '../../lib/fraction.ts';
import { isGlued } from '../pages/realauction.ts';
import { spellStreet } from '../world/streets.ts';
import type { AuctionOnDay } from '../world/types.ts';
import { columnsOf, type Row, type TrueRow } from './compare.ts';
import { parcelKey, placeOf, type RecordTable, type SourceReads, type Truth } from './truth.ts';

/** Sales are read from a week back to seventy-five days ahead. */
const [DAYS_BACK, DAYS_AHEAD] = [7, 75];

type IsOf = (sale: AuctionOnDay) => boolean;

/** Items of an auction site on the day of its last read. */
const salesShown = (truth: Truth, { lastGood: day }: SourceReads, isOf: IsOf): AuctionOnDay[] =>
  truth
    .on(day)
    .auctions.filter(isOf)
    .filter(({ saleDate }) => saleDate >= addDays(day, -DAYS_BACK) && saleDate <= addDays(day, DAYS_AHEAD));

/** Items that a list without results shows: an item that is called off, or past, leaves it. */
export const postedOn = (truth: Truth, { lastGood }: SourceReads, isOf: IsOf): AuctionOnDay[] =>
  truth.on(lastGood).auctions.filter((sale) => isOf(sale) && sale.status === 'scheduled' && sale.saleDate >= lastGood);

/** The opening bid by the law: a published one first; two thirds of the appraisal at a first mortgage sale. */
function bidColumns({ openingBid, appraised, kind, round, deposit }: AuctionOnDay): Row {
  const isFirst = kind === 'mortgage_foreclosure' && round === 1;
  // Rounded up to the cent (ORC 2329.20: "not less than").
  const exact = fraction(appraised ?? '0')
    .times(fraction(200))
    .over(fraction(3));
  const cents = (exact.numerator + exact.denominator - 1n) / exact.denominator;
  const minimum = isFirst && appraised !== null ? new Fraction(cents, 100n).rounded(2) : null;
  const above = Number(openingBid ?? minimum) - Number(minimum);
  // Sites round the minimum up to the dollar.
  const isMinimum = minimum !== null && above >= 0 && above < 1;
  const without = kind === 'mortgage_foreclosure' && round === 2 ? 'no_minimum_second_sale' : 'unknown';
  const published = openingBid === null ? without : 'published_minimum';
  return {
    appraised_value: appraised,
    opening_bid: openingBid ?? minimum,
    opening_bid_basis: isMinimum ? 'two_thirds_of_appraisal' : published,
    opening_bid_derived: openingBid === null && minimum !== null,
    // A first mortgage sale must open at two thirds.
    opening_bid_mismatch: isFirst && !isMinimum && openingBid !== null,
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
  const page = truth.sourcesOf('auctions', sale.countyFips).find(({ source }) => source.endsWith('_page'));
  const isOnPage = page !== undefined && sale.saleDate >= page.lastGood && sale.postedOn <= page.lastGood;
  return {
    ...sheriffsPlace(truth, sale),
    ...bidColumns(sale),
    ...columnsOf(sale, 'sold_amount=soldFor sale_kind=kind'),
    // Only a mortgage sale is called a first or a second one (ORC 2329.52).
    sale_round: sale.kind === 'mortgage_foreclosure' ? sale.round : null,
    plaintiff: null,
    defendant: isOnPage ? sale.defendant : null,
    parcel_key: parcelKey(sale.countyFips, sale.parcel),
  };
}

function clerkSale(sale: AuctionOnDay, truth: Truth): Row {
  // A site that has shown the address shows it until the sale.
  const { property_address: address, city, zip } = sale.showsAddress ? sheriffsPlace(truth, sale) : {};
  return {
    ...columnsOf(
      sale,
      'sold_amount=soldFor opening_bid judgment_amount=judgment assessed_value=assessed plaintiff_max_bid=maxBid ' +
        'certificate_number=certificate',
    ),
    property_address: address ?? null,
    city: isGlued(sale) ? null : (city ?? null),
    zip: zip ?? null,
    parcel_id: sale.showsParcel ? sale.parcel : null,
    appraised_value: null,
    opening_bid_basis: sale.openingBid === null ? 'unknown' : 'published_minimum',
    opening_bid_derived: false,
  };
}

function notice(sale: AuctionOnDay, truth: Truth): Row {
  const { address, ...place } = placeOf(truth.on(truth.asOf).property(sale.propertyId), sale.showsAddress);
  return { opening_bid: null, opening_bid_derived: false, property_address: address, ...place };
}

const BEXAR = '48029';

/** A case may have several sales on a day, which Bexar's notices do not number. */
const keyOf = (fips: unknown, caseNumber: unknown, saleDate: unknown, item: unknown): string =>
  [fips, caseNumber, saleDate, fips === BEXAR ? '' : item].join(' ');
const keyOfSale = (sale: AuctionOnDay): string => keyOf(sale.countyFips, sale.caseNumber, sale.saleDate, sale.aid);

/** The sales of a state. */
interface Sales {
  readonly record: string;
  readonly where: string;
  readonly isSite: (site: SourceReads) => boolean;
  readonly shownOn: typeof salesShown;
  readonly columns: (sale: AuctionOnDay, truth: Truth) => Row;
  /** Columns of a sale that its site no longer shows. */
  readonly earlier?: (sale: AuctionOnDay, truth: Truth) => Row;
}

const SALES: readonly Sales[] = [
  {
    record: 'sales of sheriffs',
    where: "state = 'OH'",
    isSite: ({ family, source }) => family === 'auctions' && source.startsWith('oh_') && !source.endsWith('_page'),
    shownOn: salesShown,
    columns: sheriffSale,
    earlier: (sale, truth) => ({
      ...sheriffsPlace(truth, sale),
      ...columnsOf(sale, 'deposit appraised_value=appraised'),
    }),
  },
  {
    record: "sales of Florida's clerks",
    where: "state = 'FL'",
    isSite: ({ family, source }) => family === 'auctions' && source.startsWith('fl_'),
    shownOn: salesShown,
    columns: clerkSale,
  },
  // Its notices show only sales to come.
  {
    record: 'sales of Bexar County',
    where: `county_fips = '${BEXAR}'`,
    isSite: ({ family, countyFips }) => family === 'auctions' && countyFips === BEXAR,
    shownOn: postedOn,
    columns: notice,
  },
];

function trueSales(truth: Truth, site: SourceReads, { shownOn, columns, earlier }: Sales): TrueRow[] {
  const isOfSite: IsOf = ({ countyFips, auctionType }) =>
    countyFips === site.countyFips && site.kinds.includes(auctionType);
  const shown = shownOn(truth, site, isOfSite);
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
