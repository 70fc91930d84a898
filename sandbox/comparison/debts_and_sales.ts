/**
 * Published tax debts and sales, county by county: what the pages of each print, and what other sources of the county
 * add.
 */
import { Fraction, fraction } from '../../lib/fraction.ts';
import { addDays } from '../../sources/days.ts';
import { landUse, rollPlace } from '../pages/montgomery.ts';
import { isGlued } from '../pages/realauction.ts';
import type { PrintedDebt } from '../world/summit.ts';
import { spellStreet } from '../world/streets.ts';
import type { AuctionOnDay, DelinquentParcel, Property } from '../world/types.ts';
import { anyOf, columnsOf, parcelKey, placeOf } from './compare.ts';
import type { RecordTable, Row, SourceReads, TrueRow, Truth } from './compare.ts';

type Debt = DelinquentParcel & Partial<PrintedDebt>;

const [CUYAHOGA, STARK, MONTGOMERY, HAMILTON, SUMMIT] = ['39035', '39151', '39113', '39061', '39153'] as const;
const [MILWAUKEE, ST_LOUIS, ALLEGHENY, SHELBY, BEXAR] = ['55079', '29510', '42003', '47157', '48029'] as const;
const OHIO: readonly string[] = [CUYAHOGA, STARK, MONTGOMERY, HAMILTON, SUMMIT];

const debtsOn = (truth: Truth, fips: string, day: string): readonly Debt[] => {
  const { delinquent, printedDebts } = truth.on(day);
  return fips === SUMMIT ? (printedDebts as unknown as Debt[]) : delinquent.filter((one) => one.countyFips === fips);
};
const idsOf = (rows: readonly { readonly propertyId: string }[]): Set<string> =>
  new Set(rows.map(({ propertyId }) => propertyId));

/** What a county of Ohio prints other than the rest of them. @param isMapped on its parcel layer or tax roll */
function printedElse(fips: string, debt: Debt, property: Property, isMapped: boolean): Row {
  const { address, hasAddress, units, value } = property;
  if (fips === CUYAHOGA) return { zip: property.zip };
  if (fips === STARK) {
    const property_class = `${units > 3 ? 'C' : 'R'} - ${debt.propertyClass}`;
    return { zip: property.zip, property_class, certified_year: debt.certifiedYear };
  }
  if (fips === MONTGOMERY) {
    const { city, zip } = rollPlace(property);
    // A township is not the city of an address.
    const place = { city: city.endsWith(' TWP') ? null : city, zip: zip || null };
    const unknown = { city: null, zip: null };
    return { ...(isMapped ? place : unknown), property_class: landUse(units), certified_year: debt.certifiedYear };
  }
  if (fips === HAMILTON) {
    // Its layer has a number, a street and a suffix, and no unit; its AV is not of Publication 28.
    const { low, high, pre, name, suffix } = address;
    const line = [high === null ? low : `${low}-${high}`, pre, name, suffix === 'AVE' ? 'AV' : suffix];
    const street = hasAddress && isMapped ? line.filter((part) => part !== null).join(' ') : null;
    return { address: street, city: null, county_value: isMapped ? `${value}.00` : null };
  }
  // Summit's notice prints neither an address nor the owner apart from the legal description.
  const absent = ['address', 'city', 'owner_name', 'mailing', 'county_value', 'property_class'];
  return { ...Object.fromEntries(absent.map((name) => [name, null])), property_kind: 'unknown' };
}

/** A debt as a county of Ohio prints it. Null: not printed. */
const printedIn = (fips: string, debt: Debt, property: Property, isMapped: boolean) => ({
  address: property.hasAddress ? spellStreet(property.address, 'upper_abbreviated') : null,
  city: property.city.toUpperCase() as string | null,
  zip: null as string | null,
  owner_name: [property.owner.name, property.owner.second].filter((name) => name !== null).join(' & '),
  mailing: property.owner.mailing as Property['owner']['mailing'] | null,
  county_value: `${property.value}.00`,
  property_class: debt.propertyClass,
  // "APARTMENTS 4-19 UNITS" does not tell 4 units from 5.
  property_kind: ['vacant_lot', 'one_family', 'two_to_four', 'two_to_four'][property.units] ?? 'five_up',
  certified_year: null as number | null,
  ...printedElse(fips, debt, property, isMapped),
});
type Printed = ReturnType<typeof printedIn>;

/** Where the owner lives, according to the pages. A post office box in the state does not tell. */
function ownerLocation({ state, owner }: Property, { mailing, address }: Printed): unknown {
  if (mailing !== null && mailing.state !== state) return 'out_of_state';
  if (mailing === null || mailing.street.startsWith('PO BOX')) return 'unknown';
  const known = owner.occupies ? 'at_property' : 'in_state';
  // A sheriff's sale may print the address that the list lacks.
  return address === null ? anyOf('unknown', known) : known;
}

const mailColumns = (mailing: Printed['mailing']): Row =>
  columnsOf(
    mailing ?? { street: null, city: null, state: null, zip: null },
    'mail_street=street mail_city=city mail_state=state mail_zip=zip',
  );

/** A county's list, and its properties that are on its parcel layer or tax roll on a day that was read. */
interface List extends SourceReads {
  readonly mapped: ReadonlySet<string>;
}

function ohioColumns(debt: Debt, property: Property, truth: Truth, { countyFips: fips, days, mapped }: List): Row {
  const printed = printedIn(fips, debt, property, mapped.has(property.id));
  const { mailing, address, city, zip, certified_year: certified, ...others } = printed;
  const place = placeOf(property, false);
  const [year = 0, month = 0, day = 0] = truth.asOf.split('-').map(Number);
  // Since the ninth of September, thirty days after the settlement of August 10.
  const months = certified && Math.max(0, (year - certified) * 12 + month - 9 - (day < 9 ? 1 : 0));
  return {
    ...others,
    ...mailColumns(mailing),
    address: address ?? place['address'],
    city: city ?? place['city'],
    zip: zip ?? place['zip'],
    certified_year: certified,
    years_delinquent: months === null ? null : Math.floor(months / 12),
    years_basis: months === null ? 'unknown' : 'since_certified_year',
    months_delinquent: months,
    owner_location: ownerLocation(property, printed),
    ...(address === null ? {} : { has_address: true }),
    state: 'OH',
    first_seen: days.find((one) => idsOf(debtsOn(truth, fips, one)).has(property.id)),
  };
}

/** Columns of a debt on the list of a county. */
function debtColumns(debt: Debt, property: Property, truth: Truth, list: List): Row {
  const { countyFips: fips, lastGood } = list;
  if (OHIO.includes(fips)) return ohioColumns(debt, property, truth, list);
  const years = { years_delinquent: debt.levies.length, years_basis: 'published' };
  if (fips === ALLEGHENY) return { amount_basis: 'net', ...years, ...placeOf(property, false) };
  // In St. Louis vacancies and debts are one row, with its gaps.
  const isGap = fips === ST_LOUIS && truth.lacksAddress(lastGood, ST_LOUIS, property.id);
  return {
    amount_basis: 'principal',
    ...(fips === ST_LOUIS ? {} : years),
    owner_name: property.owner.name,
    ...mailColumns(property.owner.mailing),
    ...placeOf(property, property.hasAddress && !isGap),
  };
}

/** The debts of a list, rows that earlier lists had, and bills that are paid. */
function trueDebts(truth: Truth, reads: SourceReads): TrueRow[] {
  const { countyFips: fips, lastGood, days } = reads;
  // A parcel that owes nothing is on the list and is no debt.
  const debts = debtsOn(truth, fips, lastGood).filter(({ amount }) => Number(amount) > 0);
  const listed = idsOf(debts);
  const gone = idsOf(days.flatMap((day) => debtsOn(truth, fips, day))).difference(listed);
  // Allegheny's table keeps them.
  const paid = fips === ALLEGHENY ? idsOf(truth.on(truth.asOf).roll(fips)).difference(listed).difference(gone) : [];
  const roll = truth.sources.find((one) => one.family === 'parcels' && one.countyFips === fips)?.days ?? [];
  const onRoll = roll.flatMap((day) => debtsOn(truth, fips, day));
  const list = { ...reads, mapped: idsOf(onRoll.filter(({ isMapped }) => isMapped)) };
  const removed = (isOptional: boolean) => (key: string) => ({ key, columns: { signal_state: 'removed' }, isOptional });
  return [
    ...debts.map((debt) => {
      const own = debtColumns(debt, truth.on(lastGood).property(debt.propertyId), truth, list);
      const columns = { signal_state: 'listed', last_seen: lastGood, amount: debt.amount, ...own };
      return { key: debt.propertyId, columns };
    }),
    ...[...gone].map(removed(false)),
    ...[...paid].map(removed(true)),
  ];
}

type IsOf = (sale: AuctionOnDay) => boolean;

/** Items that a list without results shows: an item that is called off, or past, leaves it. */
const postedOn = (truth: Truth, { lastGood }: SourceReads, isOf: IsOf): AuctionOnDay[] =>
  truth.on(lastGood).auctions.filter((sale) => isOf(sale) && sale.status === 'scheduled' && sale.saleDate >= lastGood);

/** The file of Shelby's tax sales has no suffix of a street. */
const trueParcels = (truth: Truth, reads: SourceReads): TrueRow[] =>
  postedOn(truth, reads, ({ countyFips }) => countyFips === SHELBY).map(({ propertyId }) => {
    const { low, pre, name } = truth.on(truth.asOf).property(propertyId).address;
    const street = [low, pre, name].filter((part) => part !== null).join(' ');
    return { key: propertyId, columns: { amount: null, address: anyOf(null, street), zip: null } };
  });

export const OF_DEBTS = [...OHIO, MILWAUKEE, ST_LOUIS, ALLEGHENY, SHELBY].map((fips): RecordTable => ({
  record: fips === SHELBY ? 'parcels of tax sales' : `tax debts of ${fips}`,
  table: 'signals',
  where: `county_fips = '${fips}' AND signal_${fips === SHELBY ? "state = 'listed'" : "type = 'tax_delinquent'"}`,
  /** The property that a published parcel number is of. */
  keyOf: ({ county_fips: county, parcel_id: parcel }, { propertyOf }) =>
    propertyOf(county, parcel) ?? `unknown parcel ${String(county)} ${String(parcel)}`,
  isOf: ({ family, countyFips }) => family === 'tax' && countyFips === fips,
  truth: (truth, sources) =>
    sources.flatMap((reads) => (fips === SHELBY ? trueParcels(truth, reads) : trueDebts(truth, reads))),
}));

/** Sales are read from a week back to seventy-five days ahead. */
const [DAYS_BACK, DAYS_AHEAD] = [7, 75];

/** Items of an auction site on the day of its last read. */
const salesShown = (truth: Truth, { lastGood: day }: SourceReads, isOf: IsOf): AuctionOnDay[] =>
  truth
    .on(day)
    .auctions.filter(isOf)
    .filter(({ saleDate }) => saleDate >= addDays(day, -DAYS_BACK) && saleDate <= addDays(day, DAYS_AHEAD));

/** The opening bid by the law: a published one first; two thirds of the appraisal at a first mortgage sale. */
function bidColumns({ openingBid, appraised, kind, round }: AuctionOnDay): Row {
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
    opening_bid: openingBid ?? minimum,
    opening_bid_basis: isMinimum ? 'two_thirds_of_appraisal' : published,
    opening_bid_derived: openingBid === null && minimum !== null,
    // A first mortgage sale must open at two thirds.
    opening_bid_mismatch: isFirst && !isMinimum && openingBid !== null,
  };
}

/** Address as the sheriffs print it. */
function sheriffsPlace(truth: Truth, { propertyId }: AuctionOnDay): Row {
  const { address, city, zip } = truth.on(truth.asOf).property(propertyId);
  return { property_address: spellStreet(address, 'upper_words'), city: city.toUpperCase(), state: 'OH', zip };
}

function sheriffSale(sale: AuctionOnDay, truth: Truth): Row {
  // Stark's own page, which states the defendant.
  const page = truth.sources.find((one) => one.countyFips === sale.countyFips && one.source.endsWith('_sheriff_page'));
  const isOnPage = page !== undefined && sale.saleDate >= page.lastGood && sale.postedOn <= page.lastGood;
  return {
    ...sheriffsPlace(truth, sale),
    ...bidColumns(sale),
    ...columnsOf(sale, 'sold_amount=soldFor sale_kind=kind deposit appraised_value=appraised'),
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

/** A case may have several sales on a day, which Bexar's notices do not number. */
const saleKey = (fips: unknown, caseNumber: unknown, saleDate: unknown, item: unknown): string =>
  [fips, caseNumber, saleDate, fips === BEXAR ? '' : item].join(' ');
const keyOfSale = (sale: AuctionOnDay): string => saleKey(sale.countyFips, sale.caseNumber, sale.saleDate, sale.aid);

/** The sales of a state. */
interface Sales extends Pick<Required<RecordTable>, 'record' | 'where' | 'isOf'> {
  readonly shownOn: typeof salesShown;
  readonly columns: (sale: AuctionOnDay, truth: Truth) => Row;
  /** Columns of a sale that its site no longer shows. */
  readonly earlier?: (sale: AuctionOnDay, truth: Truth) => Row;
}

const SALES: readonly Sales[] = [
  {
    record: 'sales of sheriffs',
    where: "state = 'OH'",
    isOf: ({ family, source }) => family === 'auctions' && source.startsWith('oh_') && !source.endsWith('_page'),
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
    isOf: ({ family, source }) => family === 'auctions' && source.startsWith('fl_'),
    shownOn: salesShown,
    columns: clerkSale,
  },
  // Its notices show only sales to come.
  {
    record: 'sales of Bexar County',
    where: `county_fips = '${BEXAR}'`,
    isOf: ({ family, countyFips }) => family === 'auctions' && countyFips === BEXAR,
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
  ...sales,
  table: 'auctions',
  keyOf: (row) => saleKey(row['county_fips'], row['case_number'], row['sale_date'], row['item_id']),
  truth: (truth, sites) => sites.flatMap((site) => trueSales(truth, site, sales)),
}));
