/**
 * Butler County, Ohio: delinquency list dropped by the operator. No list was found on the web. The form of a parcel
 * number is inferred, not documented.
 */
import { countyListFile } from '../families/county_list/adapter.ts';

export default countyListFile({
  name: 'oh_butler_tax',
  title: 'Butler County tax delinquency (list dropped by the operator)',
  county: { fips: '39017', name: 'Butler County', state: 'OH' },
  home: 'https://www.bcohio.gov/',
  terms: {
    basis: 'public_record',
    note:
      'The delinquent land list is a public record (ORC 5721.011); the terms of the county were not obtained, ' +
      'so ask for them together with the list.',
  },
  everyDays: 31,
  // A letter and four digits, then three groups of three.
  parcel: /^[A-Z]\d{4}-?\d{3}-?\d{3}-?\d{3}$/u,
  parcelExample: 'P6412-034-000-012',
});
