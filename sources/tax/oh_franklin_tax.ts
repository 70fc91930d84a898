/**
 * Franklin County, Ohio: delinquency list dropped by the operator. The county posts no usable list: its
 * TaxDetail.xlsx has been reported both empty and usable, and the Treasurer's site refuses programs. The headings of
 * TaxDetail, Parcel and Value are known from public readers of these files; no row of them was recorded.
 */
import { countyListFile } from '../families/county_list/adapter.ts';

export default countyListFile({
  name: 'oh_franklin_tax',
  title: 'Franklin County tax delinquency (list dropped by the operator)',
  county: { fips: '39049', name: 'Franklin County', state: 'OH' },
  home: 'https://property.franklincountyauditor.com/',
  terms: {
    basis: 'public_record',
    note:
      'The delinquent land list is a public record (ORC 5721.011); the terms of the county were not obtained, ' +
      'so ask for them together with the list.',
  },
  everyDays: 31,
  // District, number and card. Some lists omit the card; models compare numbers without card 00.
  parcel: /^\d{3}-?\d{6}(?:-?\d{2})?$/u,
  parcelExample: '010-000005-00',
  headings: { amount: ['TotTotal'], zip: ['ZipCode'], property_class: ['LUCDesc'] },
  suffixes: { BL: 'BLVD', CR: 'CIR' },
});
