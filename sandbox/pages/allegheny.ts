/** The regional data portal of Allegheny County and Pittsburgh. */
import { spellStreet } from '../world/streets.ts';
import type { WorldDay } from '../world/world.ts';
import { ckanPortal, type CkanRow } from './ckan.ts';
import { distressRows } from './arcgis.ts';

const FIPS = '42003';
/** Before this day docket_type was filled; after it, last_activity is. */
const LAYOUT_CHANGE = '2022-09-01';

/** A row for each plaintiff of a case: the last one has the latest activity. */
const filingRows = (day: WorldDay): CkanRow[] =>
  distressRows(day, FIPS, 'foreclosure_filing', ({ record, parcel, at }) => {
    const isLatest = at === record.rows - 1;
    const isOld = record.filedOn < LAYOUT_CHANGE;
    return {
      pin: parcel,
      block_lot: parcel === null ? 'NONE' : parcel.slice(0, 10).replace(/0+/gu, ''),
      filing_date: record.filedOn,
      case_id: record.number,
      municipality: 'Pittsburgh',
      ward: 1 + (record.number.length % 9),
      docket_type: record.isOpen ? (isOld ? 'Complaint' : '') : 'Settled and Discontinued',
      // An unknown amount is 0 in some rows and blank in others.
      amount: record.amount === null ? (record.number.endsWith('1') ? 0 : null) : Number(record.amount),
      plaintiff: isLatest ? record.plaintiff : 'Former Sample Lender LLC',
      last_activity: isLatest ? record.lastActivityOn : record.filedOn,
    };
  });

/** A row for each parcel and year. Some bills are partly paid: the balance stays. */
const taxRows = (day: WorldDay): CkanRow[] =>
  [...owedRows(day), ...paidRows(day)].toSorted((a, b) => Number(a.year) - Number(b.year));

const paidRows = (day: WorldDay): CkanRow[] =>
  day.paidDebts
    .filter(({ countyFips }) => countyFips === FIPS)
    .flatMap(({ parcel, levies, paidOn }) =>
      levies.map(({ year, amount }) => ({
        parcel_id: parcel,
        year,
        muni_name: 'PITTSBURGH',
        orig_bill: Number(amount),
        penalties: 0,
        interest: 0,
        total_payments: Number(amount),
        last_pay_date: paidOn,
        asof_date: day.day,
      })),
    );

const owedRows = (day: WorldDay): CkanRow[] =>
  day.delinquent
    .filter(({ countyFips }) => countyFips === FIPS)
    .flatMap(({ parcel, levies }) => {
      const bill = (year: number, due: number, paid: number, isPaid = false): CkanRow => ({
        parcel_id: parcel,
        year,
        muni_name: 'PITTSBURGH',
        orig_bill: (due - Math.floor(due / 10) + (isPaid ? 0 : paid)) / 100,
        penalties: 0,
        interest: Math.floor(due / 10) / 100,
        total_payments: paid === 0 ? null : paid / 100,
        last_pay_date: paid === 0 ? null : `${year}-11-30`,
        asof_date: day.day,
      });
      const [first] = levies;
      // A bill that is paid stays in the table.
      const paidBefore = first && levies.length > 1 ? [bill(first.year - 1, 86_533, 86_533, true)] : [];
      const owed = levies.map(({ year, amount }, at) =>
        bill(year, Math.round(Number(amount) * 100), at % 2 === 0 ? 0 : 5_000),
      );
      return [...paidBefore, ...owed];
    });

const lienRows = (day: WorldDay): CkanRow[] =>
  distressRows(day, FIPS, 'tax_lien', ({ record, parcel }) => ({
    pin: parcel,
    block_lot: parcel,
    filing_date: record.filedOn,
    tax_year: record.taxYear,
    dtd: record.number,
    lien_description: record.about,
    municipality: 'Pittsburgh',
    amount: Number(record.amount),
    assignee: record.plaintiff,
    satisfied: !record.isOpen,
    last_docket_entry: record.isOpen ? 'Lien' : 'Satisfaction',
  }));

/** A row for each event of a case. */
const violationRows = (day: WorldDay): CkanRow[] =>
  distressRows(day, FIPS, 'code_violation', ({ record, property, street, parcel, at }) => ({
    casefile_number: record.number,
    parcel_id: parcel,
    address: street === null ? null : `${street}, Pittsburgh, PA ${property.zip}`,
    status: record.isOpen ? 'In Violation' : 'Closed',
    case_file_type: record.about,
    investigation_date: at === 0 ? record.filedOn : record.lastActivityOn,
    violation_code_section: `2015 IPMC ${302 + at}.1`,
    investigation_outcome: at === 0 ? 'Violation Found' : 'Taking Case To Court',
    court_date: null,
    docket_number: null,
    court_decision: null,
  }));

/** Condemned buildings in force, some with an older inspection, and dead-end properties. */
const condemnedRows = (day: WorldDay): CkanRow[] =>
  distressRows(day, FIPS, 'condemned', ({ record, property, street }) => {
    if (!record.isOpen) return [];
    const row = {
      parcel_id: property.parcel,
      address: street === null ? 'No primary address specified' : `${street}, Pittsburgh, ${property.zip}`,
      owner: property.owner.name,
      property_type: 'Condemned Property',
      date: `${record.filedOn}T00:00:00`,
      latest_inspection_result: 'Fail',
      latest_inspection_score: 18,
      inspection_status: 'Active',
    };
    if (property.value % 5 === 0) return [row, { ...row, property_type: 'Dead End Property' }];
    return property.value % 5 === 1 ? [{ ...row, inspection_status: 'Inactive' }, row] : [row];
  }).flat();

const assessmentRows = (day: WorldDay): CkanRow[] =>
  day.roll(FIPS).flatMap((entry, at) => {
    const { address, hasAddress, owner, city, zip, yearBuilt } = day.property(entry.propertyId);
    const { low, high } = address;
    const street = spellStreet(address, 'upper_abbreviated');
    const row = {
      PARID: entry.parcel,
      PROPERTYHOUSENUM: hasAddress ? (high === null ? low : `${low}-${high}`) : 0,
      PROPERTYFRACTION: ' ',
      PROPERTYADDRESS: hasAddress ? street.replace(/^\S+ /u, '') : null,
      PROPERTYUNIT: ' ',
      PROPERTYCITY: city.toUpperCase(),
      PROPERTYZIP: Number(zip),
      MUNIDESC: '1st Ward - PITTSBURGH  ',
      CLASS: 'R',
      USEDESC: 'SINGLE FAMILY',
      SALEDATE: entry.lastSaleDate?.replace(/^(\d{4})-(\d\d)-(\d\d)$/u, '$2-$3-$1') ?? null,
      SALEPRICE: entry.lastSalePrice === null ? at % 2 : Number(entry.lastSalePrice),
      SALECODE: entry.isMarketSale ? '0' : 'H',
      CHANGENOTICEADDRESS1: owner.mailing.street,
      CHANGENOTICEADDRESS2: ' ',
      CHANGENOTICEADDRESS3: `${owner.mailing.city} ${owner.mailing.state}`,
      CHANGENOTICEADDRESS4: owner.mailing.zip,
      COUNTYTOTAL: entry.assessedValue,
      FAIRMARKETTOTAL: entry.assessedValue,
      YEARBLT: yearBuilt,
      CARDNUMBER: 1,
      TAXYEAR: 2026,
      ASOFDATE: '01-NOV-26',
    };
    return at % 12 === 0 ? [{ ...row, CARDNUMBER: 2, YEARBLT: 1999 }, row] : [row];
  });

export const wprdc = ckanPortal([
  {
    id: '859bccfd-0e12-4161-a348-313d734f25fd',
    fields:
      'pin, block_lot, filing_date:timestamp, case_id, municipality, ward:int, docket_type, amount:numeric, ' +
      'plaintiff, last_activity:timestamp',
    rows: filingRows,
  },
  {
    id: '96e9d6b2-3e1a-4a0c-8ef6-23a049c263d8',
    fields:
      'parcel_id, year:int, muni_name, orig_bill:numeric, penalties:numeric, interest:numeric, ' +
      'total_payments:numeric, last_pay_date:timestamp, asof_date:timestamp',
    rows: taxRows,
  },
  {
    id: '65d0d259-3e58-49d3-bebb-80dc75f61245',
    fields:
      'pin, block_lot, filing_date:timestamp, tax_year:int, dtd, lien_description, municipality, amount:numeric, ' +
      'assignee, satisfied:bool, last_docket_entry',
    rows: lienRows,
  },
  {
    id: '70c06278-92c5-4040-ab28-17671866f81c',
    fields:
      'casefile_number, parcel_id, address, status, case_file_type, investigation_date:timestamp, ' +
      'violation_code_section, investigation_outcome, court_date:timestamp, docket_number, court_decision',
    rows: violationRows,
  },
  {
    id: '0a963f26-eb4b-4325-bbbc-3ddf6a871410',
    fields:
      'parcel_id, address, owner, property_type, date:timestamp, latest_inspection_result, ' +
      'latest_inspection_score:int, inspection_status',
    rows: condemnedRows,
  },
  {
    id: '65855e14-549e-4992-b5be-d629afc676fa',
    fields:
      'PARID, PROPERTYHOUSENUM, PROPERTYFRACTION, PROPERTYADDRESS, PROPERTYUNIT, PROPERTYCITY, PROPERTYZIP:int, ' +
      'MUNIDESC, CLASS, USEDESC, SALEDATE, SALEPRICE:numeric, SALECODE, CHANGENOTICEADDRESS1, CHANGENOTICEADDRESS2, ' +
      'CHANGENOTICEADDRESS3, CHANGENOTICEADDRESS4, COUNTYTOTAL:numeric, FAIRMARKETTOTAL:numeric, YEARBLT:int, ' +
      'CARDNUMBER:int, TAXYEAR:int, ASOFDATE',
    rows: assessmentRows,
  },
]);
