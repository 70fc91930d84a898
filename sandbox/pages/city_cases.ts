/**
 * Cases, tickets and condemnations of Cleveland, Columbus, Charlotte and Detroit, as their layers publish them,
 * and of Kansas City, Cincinnati and Chicago as tables of a Socrata portal.
 */
import { undashed } from '../world/parcels.ts';
import type { DistressOnDay, Property } from '../world/types.ts';
import {
  atMidnight,
  atNoon,
  distressRows,
  type Layer,
  mapServer,
  recordsOf,
  streetOf,
  zipCell,
  zipOf,
} from './arcgis.ts';
import { cleveland, detroit } from './city_rolls.ts';
import type { WorldDay } from '../world/world.ts';
import type { Row } from './tables.ts';
import { sodaPortal } from './soda.ts';

/** "12 EXAMPLE AVE, CLEVELAND, OH, 44113". */
function joinedAddress(property: Property, record: DistressOnDay): string | null {
  const street = streetOf(property, record);
  return street === null ? null : `${street}, ${property.city.toUpperCase()}, OH, ${zipOf(property, record)}`;
}

/** The parcel number, or what the layer has instead. */
const printedParcel = (number: string | null, { flaw }: DistressOnDay, instead: string | null): string | null =>
  flaw === 'no_parcel' ? instead : number;

const CLEVELAND_SERVICES = '/dty2kHktVXHrqO8i/arcgis/rest/services';

const clevelandViolations: Layer = {
  path: `${CLEVELAND_SERVICES}/Complaint_Violation_Notices/FeatureServer/0`,
  id: 0,
  name: 'Complaint_Violation_Notices',
  type: 'Table',
  fields: 'RECORD_ID FILE_DATE:Date PARCEL_NUMBER PRIMARY_ADDRESS SOURCE VIOLATION_NUMBER VIOLATION_APP_STATUS',
  features: (day) =>
    recordsOf(day, '39035', 'code_violation', (record, property) => ({
      RECORD_ID: record.number.replace('V', 'CMP'),
      FILE_DATE: atNoon(record.filedOn),
      PARCEL_NUMBER: printedParcel(undashed(property.parcel ?? ''), record, 'MULTIPLE'),
      PRIMARY_ADDRESS: joinedAddress(property, record),
      SOURCE: 'Complaint',
      VIOLATION_NUMBER: record.number,
      VIOLATION_APP_STATUS: record.isOpen ? 'Notice Issued' : 'Case Closed',
    })),
};

const clevelandCondemned: Layer = {
  path: `${CLEVELAND_SERVICES}/Current_Condemnations/FeatureServer/0`,
  id: 0,
  name: 'Current_Condemnations',
  type: 'Table',
  fields: 'Parcel_Number Active_Condemnation Address Condemnation_Date:Date DW_Parcel',
  features: (day) =>
    recordsOf(day, '39035', 'condemned', (record, property) => ({
      Parcel_Number: record.number,
      Active_Condemnation: record.isOpen ? 'Yes' : 'No',
      Address: joinedAddress(property, record),
      Condemnation_Date: atMidnight(record.filedOn),
      DW_Parcel: record.number,
    })),
};

/** Cases of a code that is not for buildings, which readers leave out. */
const OTHER_CASES = [1, 2, 3].map((number) => ({
  B1_ALT_ID: `26999-0000${number}`,
  SITE_ADDRESS: `${number} MADE UP ST`,
  B1_PER_TYPE: number === 1 ? 'Community Noise' : 'Zoning Code Inspection',
  B1_FILE_DD: atNoon('2026-09-01'),
  B1_APPL_STATUS: 'Open',
}));

const columbusCases: Layer = {
  path: '/arcgis/rest/services/Schemas/BuildingZoning/MapServer/23',
  id: 23,
  name: 'Code Enforcement Cases',
  fields: `
    B1_ALT_ID B1_PARCEL_NBR SITE_ADDRESS B1_SITUS_ZIP B1_PER_TYPE B1_PER_SUB_TYPE B1_FILE_DD:Date
    INSP_LAST_DATE:Date B1_APPL_STATUS`,
  features: (day) => [
    ...recordsOf(day, '39049', 'code_violation', (record, property) => ({
      B1_ALT_ID: record.number,
      // The auditor's number without its dashes and its card.
      B1_PARCEL_NBR: printedParcel(undashed(property.parcel ?? '').slice(0, 9), record, null),
      SITE_ADDRESS: streetOf(property, record),
      B1_SITUS_ZIP: zipOf(property, record),
      B1_PER_TYPE: /grass|trash/iu.test(record.about) ? 'Environmental Nuisance' : 'Housing Code Inspection',
      B1_PER_SUB_TYPE: record.about,
      B1_FILE_DD: atNoon(record.filedOn),
      INSP_LAST_DATE: atNoon(record.lastActivityOn),
      B1_APPL_STATUS: record.isOpen ? 'Open' : 'Closed',
    })),
    ...OTHER_CASES,
  ],
};

const charlotteCases: Layer = {
  path: '/arcgis/rest/services/HNS/CodeEnforcementCasesAll/MapServer/0',
  id: 0,
  name: 'Code Enforcement Cases All',
  fields: 'CaseNumber ParcelId CaseType CaseOrigin CaseStatus FullAddress DateCreated:Date DateClosed:Date',
  features: (day) =>
    recordsOf(day, '37119', 'code_violation', (record, property) => {
      const street = streetOf(property, record);
      return {
        CaseNumber: record.number,
        ParcelId: property.parcel,
        CaseType: /grass|trash|vehicle/iu.test(record.about) ? 'Nuisance' : 'Housing',
        CaseOrigin: record.about,
        CaseStatus: record.isOpen ? (record.filedOn === record.lastActivityOn ? 'New' : 'Open') : 'Closed',
        FullAddress: street === null ? null : `${street} ${property.city.toUpperCase()}, NC ${zipOf(property, record)}`,
        DateCreated: atNoon(record.filedOn),
        DateClosed: record.isOpen ? null : atNoon(record.lastActivityOn),
      };
    }),
};

const detroitTickets: Layer = {
  path: '/qvkbeam7Wirps6zC/arcgis/rest/services/blight_tickets/FeatureServer/0',
  id: 0,
  name: 'blight_tickets',
  fields: `
    ticket_number parcel_id address zip_code ordinance_description disposition amt_balance_due:Double
    ticket_issued_date:DateOnly ticket_updated_at:Date payment_status property_owner_name property_owner_address
    property_owner_city property_owner_state property_owner_zip_code`,
  features: (day) =>
    recordsOf(day, '26163', 'blight_judgment', (record, property) => ({
      ticket_number: record.number,
      parcel_id: printedParcel(property.parcel, record, null),
      address: streetOf(property, record),
      zip_code: zipOf(property, record),
      ordinance_description: record.about,
      disposition: 'Responsible by Default',
      amt_balance_due: Number(record.amount ?? '0'),
      ticket_issued_date: record.flaw === 'corrupt_year' ? record.filedOn.replace(/^\d{4}/u, '8535') : record.filedOn,
      ticket_updated_at: atNoon(record.lastActivityOn),
      payment_status: record.isOpen ? 'NO PAYMENT APPLIED' : 'PAID IN FULL',
      property_owner_name: property.owner.name,
      property_owner_address: property.owner.mailing.street,
      property_owner_city: property.owner.mailing.city,
      property_owner_state: property.owner.mailing.state,
      property_owner_zip_code: property.owner.mailing.zip,
    })),
};

export const clevelandLayers = mapServer(cleveland, clevelandViolations, clevelandCondemned);
export const columbusCode = mapServer(columbusCases);
export const charlotteCode = mapServer(charlotteCases);
export const detroitLayers = mapServer(detroitTickets, detroit);

/** A day as SODA sends it. */
const instant = (day: string): string => `${day}T00:00:00.000`;

const kansasCityCode = (day: WorldDay): Row[] =>
  distressRows(day, '29095', 'code_violation', ({ record, property, street, at }) => ({
    violationid: `${record.number}-${at}`,
    casenumber: record.number,
    case_status: record.isOpen ? 'Court Case Pending' : 'Closed',
    street_address: street,
    // The portal holds the ZIP as a number.
    postalcode: `${property.zip}.0`,
    description: record.about,
    vio_status: at === 0 ? 'Open' : 'In Violation',
    pin: String(10_000 + property.value),
  }));

const kansasCityDangerous = (day: WorldDay): Row[] =>
  distressRows(day, '29095', 'condemned', ({ record, property, street }) => ({
    casenumber: record.number,
    address: street,
    zip_code: zipCell(record, property),
    case_opened: instant(record.filedOn),
    statusofcase: record.isOpen ? 'Ongoing Case' : 'Case Closed',
    neighborhood: null,
  }));

const cincinnatiCode = (day: WorldDay): Row[] =>
  distressRows(day, '39061', 'code_violation', ({ record, street }) => ({
    number_key: record.number,
    comp_type_desc: 'Property Maintenance',
    sub_type_desc: record.about,
    entered_date: instant(record.filedOn),
    full_address: street,
    data_status_display: record.isOpen ? 'Orders Issued' : 'Closed - Violations Abated',
    status_class: record.isOpen ? 'OPEN' : 'CLOSED',
  }));

const chicago =
  (kind: 'code_violation' | 'vacant_building') =>
  (day: WorldDay): Row[] =>
    distressRows(day, '17031', kind, ({ record, street }) => ({
      id: record.number,
      violation_date: instant(record.filedOn),
      violation_code: `CN${record.number.slice(-6)}`,
      violation_status: record.isOpen ? 'OPEN' : 'COMPLIED',
      violation_description: record.about,
      address: street,
    }));

const violationColumns =
  'id, violation_date:calendar_date, violation_code, violation_status, violation_description, address';

export const kansasCity = sodaPortal([
  {
    id: 'w5nm-8qv8',
    name: 'Open exterior building violations',
    columns:
      'violationid, casenumber, case_status, street_address, postalcode:number, description, vio_status, pin:number',
    rows: kansasCityCode,
  },
  {
    id: 'ax3m-jhxx',
    name: 'Dangerous Buildings List',
    columns: 'casenumber, address, zip_code, case_opened:calendar_date, statusofcase, neighborhood',
    rows: kansasCityDangerous,
  },
]);

export const cincinnati = sodaPortal([
  {
    id: 'cncm-znd6',
    name: 'Code Enforcement',
    columns:
      'number_key, comp_type_desc, sub_type_desc, entered_date:calendar_date, full_address, data_status_display, ' +
      'status_class',
    rows: cincinnatiCode,
  },
]);

export const chicagoData = sodaPortal([
  { id: '22u3-xenr', name: 'Building Violations', columns: violationColumns, rows: chicago('code_violation') },
  {
    id: 'u7si-yh3t',
    name: 'Vacant and Abandoned Buildings - Violations',
    columns: violationColumns,
    rows: chicago('vacant_building'),
  },
]);
