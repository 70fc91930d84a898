/** Published sheriff sales of Ohio against the world, of all counties. */
import { Fraction, fraction } from '../../lib/fraction.ts';
import type { AuctionOnDay } from '../world/types.ts';
import { counties } from '../world/auction_cases.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { percent } from './recompute/record.ts';
import { auctionSite, countyPage, firstSaleDay, saleAddress, saleKey, salesShown, statedRound } from './truth/sales.ts';
import type { ReadTable } from './snapshot.ts';
import type { Truth } from './truth/truth.ts';

const keyOf = (row: Row): string =>
  [row['county_fips'], row['case_number'], row['parcel_key'], row['sale_date']].join(' ');

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

/** Columns of auctions and of leads about the bid. */
export function bidFields(sale: AuctionOnDay): Row {
  const { amount, basis, isDerived } = deriveBid(sale);
  const { appraised } = sale;
  const discount =
    amount === null || appraised === null
      ? null
      : percent(fraction(appraised).minus(fraction(amount)), fraction(appraised));
  return {
    appraised_value: appraised,
    opening_bid: amount,
    opening_bid_basis: basis,
    opening_bid_derived: isDerived,
    // A first mortgage sale must open at two thirds.
    opening_bid_mismatch: sale.kind === 'mortgage_foreclosure' && sale.round === 1 && basis === 'published_minimum',
    appraisal_discount_pct: discount,
    deposit: sale.deposit,
  };
}

export function addressFields(truth: Truth, sale: AuctionOnDay): Row {
  const { street, city, zip } = saleAddress(truth, sale);
  return { property_address: street, city, state: 'OH', zip };
}

/** A sale whose day passes after its page was read has no published result. */
const statusOf = (sale: AuctionOnDay, truth: Truth): string =>
  sale.status === 'scheduled' && sale.saleDate < truth.asOf ? 'result_unknown' : sale.status;

function trueSale(sale: AuctionOnDay, truth: Truth): TrueRow {
  const page = countyPage(truth, sale.countyFips);
  const isOnPage = page !== undefined && sale.saleDate >= page.lastGood && sale.postedOn <= page.lastGood;
  return {
    key: saleKey(sale),
    fields: {
      status: { sale_status: statusOf(sale, truth), sold_amount: sale.soldFor },
      address: addressFields(truth, sale),
      'bid, deposit, appraisal': bidFields(sale),
      sale: {
        sale_kind: sale.kind,
        sale_round: statedRound(sale),
        plaintiff: null,
        defendant: isOnPage ? sale.defendant : null,
        item_id: sale.aid,
      },
    },
  };
}

/** A sale that its sheriff no longer shows: its page and its property do not change after it. */
const keptSale = (sale: AuctionOnDay, truth: Truth): TrueRow => ({
  key: saleKey(sale),
  fields: { address: addressFields(truth, sale), kept: { deposit: sale.deposit, appraised_value: sale.appraised } },
  isOptional: true,
});

export async function compareAuctions(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const auctions = await read('auctions', "state = 'OH'");
  const sites = counties.flatMap(({ fips }) => auctionSite(truth, fips) ?? []);
  const firstDay = new Map(sites.map(({ countyFips, lastGood }) => [countyFips, firstSaleDay(lastGood)]));
  const isShown = (countyFips: unknown, saleDate: unknown): boolean =>
    String(saleDate) >= (firstDay.get(String(countyFips)) ?? '');
  const isRowShown = (row: Row): boolean => isShown(row['county_fips'], row['sale_date']);
  return [
    ...compare({
      what: 'auctions',
      published: auctions.filter(isRowShown),
      keyOf,
      truth: sites
        .flatMap(({ countyFips, lastGood }) => salesShown(truth, countyFips ?? '', lastGood))
        .map((sale) => trueSale(sale, truth)),
    }),
    ...compare({
      what: 'auctions no longer shown',
      published: auctions.filter((row) => !isRowShown(row)),
      keyOf,
      truth: truth
        .on(truth.asOf)
        .auctions.filter(({ countyFips, saleDate }) => firstDay.has(countyFips) && !isShown(countyFips, saleDate))
        .map((sale) => keptSale(sale, truth)),
    }),
  ];
}
