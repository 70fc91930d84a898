/**
 * The parcel layers of Cuyahoga, Hamilton and Stark County: all parcels of the world there, most without a debt. Some
 * parcels are on several identical rows, one for each of their shapes, and some shapes belong to no parcel.
 *
 * Bexar County's foreclosure map: a layer of trustees' sales and one of tax sales, without owners and amounts.
 */
import { Draw } from '../world/random.ts';
import { spellStreet } from '../world/streets.ts';
import { undashed } from '../world/parcels.ts';
import type { DelinquentParcel, Property } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { type Layer, mapServer, streetOf } from './arcgis.ts';
import type { Row } from './tables.ts';
import { perDay } from './parts.ts';
import type { AuctionType } from '../../sources/kinds.ts';

const debts = perDay((day) => new Map(day.delinquent.map((debt) => [debt.propertyId, debt])));

/** A feature for each property of the county with a parcel number. */
function features(
  day: WorldDay,
  countyFips: string,
  row: (property: Property, debt: DelinquentParcel | undefined, draw: Draw, parcel: string) => Row,
): Row[] {
  return [...day.world.properties.values()].flatMap((property) =>
    property.countyFips === countyFips && property.parcel !== null
      ? [
          row(
            property,
            debts(day).get(property.id),
            new Draw(day.world.options.seed, 'layer', property.id),
            property.parcel,
          ),
        ]
      : [],
  );
}

/** Every `every`-th row again after the last, as a county repeats a parcel for each of its shapes. */
const withRepeats = (rows: readonly Row[], every: number): Row[] => [
  ...rows,
  ...rows.filter((_, at) => at % every === 0),
];

const noon = (day: string): number => Date.parse(`${day}T05:00:00Z`);

const cuyahoga: Layer = {
  path: '/server/rest/services/CCFO/EPV_Prod/FeatureServer/2',
  id: 2,
  name: 'EPV Parcels',
  fields: `
    parcel_id parcelpin parcel_owner second_owner par_addr_all parcel_unit parcel_city parcel_zip mail_name
    mail_addr_street mail_unit_no mail_city mail_state mail_zip total_net_delq_balance:Double
    grand_total_balance:Double tax_market_total:Double prev_tax_year:Integer cur_tax_year:Integer
    foreclosure_flag:Integer cert_sold_flag:Integer cert_pend_flag:Integer payment_plan_flag:Integer bor_status
    tax_luc_description taxbill_update_date:Date`,
  features: (day) => [
    ...withRepeats(cuyahogaRows(day), 9),
    // Shapes that belong to no parcel have every field null.
    ...Array.from({ length: 20 }, () => ({})),
  ],
};

const cuyahogaRows = (day: WorldDay): Row[] =>
  features(day, '39035', (property, debt, draw, parcel) => {
    const { owner } = property;
    const owed = Number(debt?.amount ?? '0');
    const city = property.city.toUpperCase();
    // A missing address is null on some parcels; on others its place stays empty.
    const isNull = !property.hasAddress && draw.chance(0.5);
    const spelled = property.hasAddress ? spellStreet(property.address, 'upper_abbreviated') : '';
    const street = property.hasAddress && property.address.suffix === null ? `${spelled} NO SUFFIX` : spelled;
    // The place of some rows is in the joined text only.
    const isPlaceBlank = property.hasAddress && property.value % 700 === 0;
    return {
      parcel_id: undashed(parcel),
      parcelpin: undashed(parcel),
      parcel_owner: owner.name,
      second_owner: owner.second,
      par_addr_all: isNull ? null : `${street}, ${city}, OH, ${property.zip}`,
      parcel_unit: null,
      parcel_city: isPlaceBlank ? null : city,
      parcel_zip: isPlaceBlank ? ' ' : property.zip,
      mail_name: owner.name,
      mail_addr_street: owner.mailing.street,
      mail_unit_no: null,
      mail_city: owner.mailing.city,
      mail_state: owner.mailing.state,
      mail_zip: owner.mailing.zip,
      total_net_delq_balance: owed,
      grand_total_balance: Math.round(owed * 100 + property.value * 1.1) / 100,
      tax_market_total: property.value,
      prev_tax_year: 2025,
      cur_tax_year: 2026,
      foreclosure_flag: debt?.foreclosureFiled ? 1 : 0,
      bor_status: null,
      cert_sold_flag: draw.chance(0.03) ? 1 : 0,
      cert_pend_flag: 0,
      payment_plan_flag: debt?.paymentPlan ? 1 : 0,
      tax_luc_description: debt?.propertyClass ?? null,
      taxbill_update_date: noon(day.day),
    };
  });

const hamilton: Layer = {
  path: '/arcgis/rest/services/HCE/Cadastral/MapServer/2',
  id: 2,
  name: 'Parcels',
  largestPage: 200,
  fields: `
    PARCELID AUDPTYID AUDPCLID OWNNM1 OWNNM2 ADDRNO ADDRST ADDRSF MLADR1 MLADR2 MLADR3 DELQ_TAXES:Double
    DELQ_TAXES_PD:Double DLNQDT:Date FORECL_FLAG MKT_TOTAL_VAL:Double ANNUAL_TAXES:Double CLASS PAR_DELETED SALDAT
    SALAMT:Double`,
  features: (day) => withRepeats(hamiltonRows(day), 40),
};

/** The county's suffixes where they differ from those of Publication 28. */
const HAMILTON_SUFFIXES: Readonly<Record<string, string>> = { AVE: 'AV', TER: 'TE' };

/** "401" of an apartment building, in the county's classes. */
function hamiltonClass(units: number): string {
  if (units === 0) return '500';
  if (units <= 3) return ['510', '520', '530'][units - 1] ?? '530';
  return units < 20 ? '401' : units < 40 ? '402' : '403';
}

const hamiltonSales = perDay((day) => new Map(day.roll('39061').map((entry) => [entry.propertyId, entry])));

const hamiltonRows = (day: WorldDay): Row[] =>
  features(day, '39061', (property, debt, draw, parcel) => {
    const { owner, address } = property;
    const place = property.hasAddress
      ? {
          ADDRNO: address.high === null ? String(address.low) : `${address.low}-${address.high}`,
          ADDRST: [address.pre, address.name].filter((part) => part !== null).join(' '),
          ADDRSF: HAMILTON_SUFFIXES[address.suffix ?? ''] ?? address.suffix,
        }
      : { ADDRNO: '0', ADDRST: null, ADDRSF: null };
    // The layer has gross and paid amounts: some parcels have paid their whole debt, and some are deleted.
    const settled = debt === undefined && draw.chance(0.02) ? draw.int(40_000, 900_000) / 100 : 0;
    const deleted = debt === undefined && draw.chance(0.02);
    // The map lags behind the Auditor's list: it does not have some debts yet.
    const known = debt?.isMapped === true ? debt : undefined;
    const paid = known ? Number(known.paid) : settled;
    const number = undashed(parcel);
    const sale = hamiltonSales(day).get(property.id);
    return {
      PARCELID: `0${number.slice(0, 11)}`,
      // A few rows have the number of the lot only.
      AUDPTYID: property.value % 1900 === 0 ? null : number,
      AUDPCLID: number.slice(0, 11),
      OWNNM1: owner.name,
      OWNNM2: owner.second,
      ...place,
      MLADR1: owner.mailing.street,
      MLADR2: `${owner.mailing.city} ${owner.mailing.state} ${owner.mailing.zip}`,
      MLADR3: null,
      DELQ_TAXES: known
        ? Math.round(Number(known.amount) * 100 + paid * 100) / 100
        : deleted
          ? draw.int(10_000, 500_000) / 100
          : settled,
      DELQ_TAXES_PD: deleted ? 0 : paid,
      DLNQDT: known ? noon(`${known.certifiedYear}-09-15`) : null,
      FORECL_FLAG: known?.foreclosureFiled ? 'Y' : draw.chance(0.5) ? 'N' : null,
      MKT_TOTAL_VAL: property.value,
      ANNUAL_TAXES: property.annualTaxes,
      CLASS: hamiltonClass(property.units),
      PAR_DELETED: deleted ? 'Y' : 'N',
      SALDAT: sale?.lastSaleDate ?? null,
      SALAMT: sale === undefined ? null : Number(sale.lastSalePrice ?? '0'),
    };
  });

const stark: Layer = {
  path: '/usrsvcs/servers/067a37ee416e4d11bc23dd1446ad30ba/rest/services/Auditor/StarkCountyParcels/FeatureServer/0',
  id: 0,
  name: 'StarkCountyParcels',
  fields: `
    PIN OWNER SITE_ADDRESS1 SITE_ADDRESS3 MAILING_ADDRESS1 MAILING_ADDRESS2 MAILING_ADDRESS3 TOTAL_BILLED:Double
    TOTAL_PAID:Double FINAL_BALANCE:Double CERTIFIED_DELINQUENT_YEAR:Integer CERTIFIED_DELINQUENT_DATE:Date
    APPRAISED_TOTAL_VALUE:Double LAND_USE_DESCRIPTION`,
  features: (day) => withRepeats(starkRows(day), 15),
};

const starkRows = (day: WorldDay): Row[] =>
  features(day, '39151', (property, debt, draw, parcel) => {
    const { owner } = property;
    const balance = Number(debt?.amount ?? '0');
    const paid = draw.int(0, 100_000) / 100;
    const city = property.city.toUpperCase();
    return {
      PIN: parcel,
      OWNER: owner.second === null ? owner.name : `${owner.name} & ${owner.second}`,
      SITE_ADDRESS1: property.hasAddress ? spellStreet(property.address, 'upper_abbreviated') : null,
      SITE_ADDRESS3: `${city}, OH ${property.zip}`,
      MAILING_ADDRESS1: owner.mailing.street,
      MAILING_ADDRESS2: `${owner.mailing.city} ${owner.mailing.state} ${owner.mailing.zip}`,
      MAILING_ADDRESS3: null,
      TOTAL_BILLED: Math.round((balance + paid) * 100) / 100,
      TOTAL_PAID: paid,
      FINAL_BALANCE: balance,
      CERTIFIED_DELINQUENT_YEAR: debt?.certifiedYear ?? null,
      CERTIFIED_DELINQUENT_DATE: debt ? noon(`${debt.certifiedYear}-10-01`) : null,
      APPRAISED_TOTAL_VALUE: property.value,
      LAND_USE_DESCRIPTION: debt ? `${property.units > 3 ? 'C' : 'R'} - ${debt.propertyClass}` : null,
    };
  });

export const cuyahogaTax = mapServer(cuyahoga);
export const hamiltonTax = mapServer(hamilton);
export const starkTax = mapServer(stark);

const layer = (id: number, name: string, type: AuctionType): Layer => ({
  path: `/arcgis/rest/services/CC/ForeclosuresProd/MapServer/${id}`,
  id,
  name,
  fields: 'ADDRESS DOC_NUMBER YEAR:Integer MONTH:Integer SCHOOL_DIST TYPE CITY ZIP',
  features: (day) =>
    day.auctions
      .filter((sale) => sale.countyFips === '48029' && sale.auctionType === type)
      // A sale that is called off or past leaves the map.
      .filter(({ saleDate, status }) => status === 'scheduled' && saleDate >= day.day)
      .map((sale): Row => {
        const property = day.property(sale.propertyId);
        const street = sale.showsAddress ? streetOf(property) : null;
        const city = property.city.toUpperCase();
        const isJoined = street !== null && sale.caseNumber.endsWith('4');
        return {
          ADDRESS: isJoined ? `${street}  ${city}  TEXAS  ${property.zip}` : street,
          DOC_NUMBER: sale.caseNumber,
          YEAR: Number(sale.saleDate.slice(0, 4)),
          MONTH: Number(sale.saleDate.slice(5, 7)),
          SCHOOL_DIST: null,
          TYPE: name.toUpperCase(),
          CITY: isJoined ? null : city,
          // The map takes the first five digits of the joined address.
          ZIP: isJoined ? (/\d{5}/u.exec(street)?.[0] ?? property.zip) : property.zip,
        };
      }),
});

export const bexarSales = mapServer(layer(0, 'Mortgage', 'foreclosure_sale'), layer(1, 'Tax', 'tax_sale'));
