/** Parcel rolls of Cleveland, St. Louis, Detroit and Indianapolis, as their layers publish them. */
import { undashed } from '../world/parcels.ts';
import type { RollEntry } from '../world/rolls.ts';
import type { DelinquentParcel, Property } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { mapServer, type Layer } from './arcgis.ts';
import type { Row } from './tables.ts';
import { atNoon, streetOf } from './arcgis.ts';
import { perDay } from './parts.ts';

const rowsOf = (day: WorldDay, countyFips: string, row: (entry: RollEntry, property: Property) => Row): Row[] =>
  day.roll(countyFips).map((entry) => row(entry, day.property(entry.propertyId)));

/** The price as a roll prints it: a token amount where the transfer was no sale. */
const printedPrice = ({ lastSalePrice, lastSaleDate, propertyId }: RollEntry): number | null => {
  if (lastSalePrice !== null) return Number(lastSalePrice);
  return lastSaleDate === null ? null : propertyId.length % 2;
};

/** A point inside the city, made from the digits of the parcel's number. Every 50th parcel has none, printed as 0. */
function madeUpPoint(parcel: string): { readonly Latitude: number; readonly Longitude: number } {
  const digits = Number(undashed(parcel).replaceAll(/\D/gu, ''));
  if (digits % 50 === 0) return { Latitude: 0, Longitude: 0 };
  return { Latitude: 41.42 + (digits % 997) / 10_000, Longitude: -81.8 + (digits % 1999) / 10_000 };
}

export const cleveland: Layer = {
  path: '/dty2kHktVXHrqO8i/arcgis/rest/services/Parcel_Analytics_(PUBLIC_DRAFT_)/FeatureServer/0',
  id: 0,
  name: 'cleveland_parcels',
  fields: `
    parcelpin par_addr_all parcel_id parcel_owner second_owner parcel_unit parcel_city parcel_zip mail_addr_street
    mail_unit_no mail_city mail_state mail_zip last_transfer_date:Date last_sales_amount:Double
    tax_market_total:Double com_living_units:Double Latitude:Double Longitude:Double tax_luc_description
    prop_class_desc residentialYearBuilt commercialYearBuilt`,
  features: (day) =>
    rowsOf(day, '39035', (entry, property) => {
      const { owner } = property;
      const street = streetOf(property);
      const isHome = property.units < 4;
      return {
        parcelpin: undashed(entry.parcel),
        par_addr_all: street === null ? null : `${street}, CLEVELAND, OH, ${property.zip}`,
        parcel_id: undashed(entry.parcel),
        parcel_owner: owner.name,
        second_owner: owner.second,
        parcel_city: 'CLEVELAND',
        parcel_zip: property.zip,
        mail_addr_street: owner.mailing.street,
        mail_city: owner.mailing.city,
        mail_state: owner.mailing.state,
        mail_zip: owner.mailing.zip,
        last_transfer_date: atNoon(entry.lastSaleDate),
        last_sales_amount: printedPrice(entry),
        tax_market_total: entry.assessedValue,
        com_living_units: isHome ? 0 : property.units,
        residentialYearBuilt: isHome ? String(property.yearBuilt) : null,
        commercialYearBuilt: isHome ? null : String(property.yearBuilt),
        ...madeUpPoint(entry.parcel),
      };
    }),
};

const stLouisDebts = perDay(
  (day) => new Map(day.delinquent.filter((debt) => debt.countyFips === '29510').map((debt) => [debt.propertyId, debt])),
);
const stLouisVacancies = perDay(
  (day) =>
    new Map(
      day.distress
        .filter(({ countyFips, kind }) => countyFips === '29510' && kind === 'vacant_building')
        .map((record) => [record.propertyId, record]),
    ),
);

/** The year's bill, which is not due before the end of December. */
const isBilled = (day: WorldDay, property: Property): boolean => day.day < '2027-01-01' && property.value % 900 === 0;

/** Balance, and the bill that it is of. */
function taxOf(day: WorldDay, property: Property, debt: DelinquentParcel | undefined): Row {
  if (debt !== undefined)
    return { TaxBalDue: Number(debt.amount), BillYear: 2025, BillTaxAmt: Number(debt.levies.at(-1)?.amount ?? 0) };
  const bill = property.annualTaxes;
  return { TaxBalDue: isBilled(day, property) ? bill : 0, BillYear: 2026, BillTaxAmt: bill };
}

const stLouis: Layer = {
  path: '/arcgis/rest/services/ASSESSOR/Assessor_Public_Parcels/MapServer/11',
  id: 11,
  name: 'Assessor Public Parcels',
  fields: `
    ParcelId SITEADDR ZIP:Integer AsrClassCode:Integer PropertyClassCode:Integer BillYear:Integer
    VacBldgYear:Integer VacantLot:Integer FirstYearBuilt:Integer NbrOfUnits:Integer OwnerName OwnerAddr OwnerCity
    OwnerState OwnerZIP TaxBalDue:Double BillTaxAmt:Double AsdTotal:Double ResSalePrice:Double ResSaleDate:Date`,
  features: (day) => {
    const rows = stLouisRows(day);
    const isRepeated = ({ id }: Property): boolean => stLouisVacancies(day).get(id)?.flaw === 'repeated';
    const repeated = new Set(
      day
        .roll('29510')
        .filter((entry) => isRepeated(day.property(entry.propertyId)))
        .map((entry) => entry.parcel),
    );
    return [...rows, ...rows.filter(({ ParcelId }) => repeated.has(String(ParcelId)))];
  },
};

const stLouisRows = (day: WorldDay): Row[] =>
  rowsOf(day, '29510', (entry, property) => {
    const { owner } = property;
    const vacancy = stLouisVacancies(day).get(property.id);
    const isHome = property.units > 0;
    return {
      ParcelId: entry.parcel,
      SITEADDR: streetOf(property, vacancy)?.replace(' ', '  ') ?? null,
      ZIP: Number(property.zip),
      AsrClassCode: owner.kind === 'company' ? 200 : 100,
      PropertyClassCode: isHome ? 15 : 12,
      OwnerName: owner.name,
      OwnerAddr: owner.mailing.street,
      OwnerCity: owner.mailing.city,
      OwnerState: owner.mailing.state,
      OwnerZIP: owner.mailing.zip,
      ...taxOf(day, property, stLouisDebts(day).get(property.id)),
      AsdTotal: (entry.assessedValue * (isHome ? 19 : 32)) / 100,
      ResSalePrice: printedPrice(entry),
      ResSaleDate: atNoon(entry.lastSaleDate),
      FirstYearBuilt: property.yearBuilt,
      NbrOfUnits: property.units,
      VacBldgYear: vacancy === undefined ? 0 : Number(vacancy.filedOn.slice(0, 4)),
      VacantLot: 0,
    };
  });

/** Share of the assessed value that is taxed: a parcel of few years' growth has all of it. */
const taxedShare = ({ yearBuilt }: Property): number => 1 - (yearBuilt % 10) / 20;

export const detroit: Layer = {
  path: '/qvkbeam7Wirps6zC/arcgis/rest/services/parcel_file_current/FeatureServer/0',
  id: 0,
  name: 'parcel_file_current',
  type: 'Table',
  fields: `
    parcel_id address zip_code taxpayer_1 taxpayer_2 taxpayer_address taxpayer_city taxpayer_state
    taxpayer_zip_code property_class_description amt_assessed_value:Double amt_taxable_value:Double
    amt_sale_price:Double sale_date:DateOnly year_built:Integer`,
  features: (day) =>
    rowsOf(day, '26163', (entry, property) => ({
      parcel_id: entry.parcel,
      address: streetOf(property),
      zip_code: property.zip,
      taxpayer_1: property.owner.name,
      taxpayer_2: property.owner.second,
      taxpayer_address: property.owner.mailing.street,
      taxpayer_city: property.owner.mailing.city,
      taxpayer_state: property.owner.mailing.state,
      taxpayer_zip_code: property.owner.mailing.zip,
      property_class_description: property.units < 4 ? 'RESIDENTIAL' : 'COMMERCIAL',
      amt_assessed_value: entry.assessedValue / 2,
      amt_taxable_value: Math.round(entry.assessedValue * taxedShare(property)) / 2,
      amt_sale_price: printedPrice(entry),
      sale_date: entry.lastSaleDate,
      year_built: property.yearBuilt,
    })),
};

const marion: Layer = {
  path: '/server/rest/services/MapIndy/MapIndyProperty/MapServer/10',
  id: 10,
  name: 'Parcels',
  fields: `
    STATEPARCELNUMBER STNUMBER PRE_DIR FULL_STNAME CITY ZIPCODE FULLOWNERNAME OWNERADDRESS OWNERCITY OWNERSTATE
    OWNERZIP PROPERTY_CLASS ASSESSORYEAR_TOTALAV:Double`,
  features: (day) =>
    rowsOf(day, '18097', (entry, property) => {
      const { owner } = property;
      const [house = null, ...street] = streetOf(property)?.split(' ') ?? [];
      return {
        STATEPARCELNUMBER: entry.parcel,
        STNUMBER: house,
        PRE_DIR: null,
        FULL_STNAME: street.join(' ') || null,
        CITY: property.city.toUpperCase(),
        ZIPCODE: property.zip,
        FULLOWNERNAME: owner.name,
        OWNERADDRESS: owner.mailing.street,
        OWNERCITY: owner.mailing.city,
        OWNERSTATE: owner.mailing.state,
        OWNERZIP: owner.mailing.zip,
        PROPERTY_CLASS: property.units < 4 ? 'RESIDENTIAL' : 'COMMERCIAL APARTMENT',
        ASSESSORYEAR_TOTALAV: entry.assessedValue,
      };
    }),
};

export const stLouisParcels = mapServer(stLouis);
export const marionParcels = mapServer(marion);
