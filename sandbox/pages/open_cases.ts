/** Cities whose cases are tables of a Socrata portal: Kansas City, Cincinnati and Chicago. */
import type { WorldDay } from '../world/world.ts';
import type { Row } from './tables.ts';
import { distressRows, zipCell } from './layer_fields.ts';
import { sodaPortal } from './soda.ts';

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
