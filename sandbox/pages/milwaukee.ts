/** The City of Milwaukee's open data portal: delinquent taxes, vacant buildings and the assessor's property file. */
import { spellStreet } from '../world/streets.ts';
import type { Owner } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { ckanPortal, type CkanRow } from './ckan.ts';
import { distressRows, zipCell } from './arcgis.ts';

const FIPS = '55079';

/** A row for each parcel and levy year. */
const taxRows = (day: WorldDay): CkanRow[] =>
  day.delinquent
    .filter(({ countyFips }) => countyFips === FIPS)
    .flatMap(({ propertyId, parcel, levies }) => {
      const { address, hasAddress, owner } = day.property(propertyId);
      return levies.map(({ year, amount }) => ({
        'Tax Key #': parcel,
        "Owner's Name": owner.name,
        "Owner's Mailing Address": owner.mailing.street,
        City: owner.mailing.city,
        State: owner.mailing.state,
        Zip: owner.mailing.zip,
        'Property Address': hasAddress ? spellStreet(address, 'upper_abbreviated') : null,
        'Ald Dist': 1 + (Number(parcel.slice(0, 3)) % 15),
        'Levy Year': year,
        'Total Tax Principal': Number(amount),
      }));
    })
    // The rows of a parcel are not adjacent; they follow the order of their years.
    .toSorted((a, b) => a['Levy Year'] - b['Levy Year']);

const vacantRows = (day: WorldDay): CkanRow[] =>
  distressRows(day, FIPS, 'vacant_building', ({ record, property, street }) => ({
    PARCELNBR: property.parcel,
    ADDRFULLLINE: street,
    DATEOPENED: `${record.filedOn} 00:00:00`,
    LANDUSE: property.units > 3 ? '8830' : '8810',
    ZipCode: zipCell(record, property),
  }));

const cityState = ({ mailing }: Owner): string => `${mailing.city} ${mailing.state}`;

const propertyRows = (day: WorldDay): CkanRow[] =>
  day.roll(FIPS).map((entry) => {
    const { address, hasAddress, owner, zip, yearBuilt, units } = day.property(entry.propertyId);
    return {
      TAXKEY: entry.parcel,
      HOUSE_NR_LO: hasAddress ? address.low : 0,
      HOUSE_NR_HI: hasAddress ? (address.high ?? address.low) : 0,
      HOUSE_NR_SFX: null,
      SDIR: hasAddress ? address.pre : null,
      STREET: hasAddress ? address.name.toUpperCase() : null,
      STTYPE: hasAddress ? address.suffix : null,
      OWNER_NAME_1: owner.name,
      OWNER_NAME_2: owner.second,
      OWNER_MAIL_ADDR: owner.mailing.street,
      OWNER_CITY_STATE: cityState(owner),
      OWNER_ZIP: owner.mailing.zip,
      GEO_ZIP_CODE: `${zip}1234`,
      C_A_TOTAL: entry.assessedValue,
      LAND_USE: units > 3 ? '8830' : '8810',
      OWN_OCPD: owner.occupies ? 'O' : null,
      YR_BUILT: yearBuilt,
      NR_UNITS: units,
      CONVEY_DATE: entry.lastSaleDate,
      CONVEY_FEE: entry.lastSalePrice === null ? 0 : Math.round(Number(entry.lastSalePrice) * 0.3) / 100,
    };
  });

export const milwaukee = ckanPortal([
  {
    id: '8f1367e1-6f8f-44cc-8ed6-2eecd8267ec7',
    fields:
      "Tax Key #, Owner's Name, Owner's Mailing Address, City, State, Zip, Property Address, Ald Dist:numeric, Levy " +
      'Year:numeric, Total Tax Principal:numeric',
    rows: taxRows,
  },
  {
    id: '46dca88b-fec0-48f1-bda6-7296249ea61f',
    fields: 'PARCELNBR, ADDRFULLLINE, DATEOPENED, LANDUSE, ZipCode',
    rows: vacantRows,
  },
  {
    id: '0a2c7f31-cd15-4151-8222-09dd57d5f16d',
    fields:
      'TAXKEY, HOUSE_NR_LO:int, HOUSE_NR_HI:int, HOUSE_NR_SFX, SDIR, STREET, STTYPE, OWNER_NAME_1, OWNER_NAME_2, ' +
      'OWNER_MAIL_ADDR, OWNER_CITY_STATE, OWNER_ZIP, GEO_ZIP_CODE, C_A_TOTAL:numeric, LAND_USE, OWN_OCPD, ' +
      'YR_BUILT:int, NR_UNITS:int, CONVEY_DATE, CONVEY_FEE:numeric',
    rows: propertyRows,
  },
]);
