/**
 * Lucas County, Ohio: delinquency list dropped by the operator. The list is printed in a newspaper and shown on the
 * Treasurer's page, whose layout is unknown. The form of a parcel number is inferred, not documented.
 *
 * The county also has a parcel layer with the fields parcel_code, taxdue and property_address
 * (OSE_ParcelsAddresses_AREIS on services3.arcgis.com). It is not read by itself, because no public page shows the form
 * of parcel_code: a file exported from it can be dropped.
 */
import { countyListFile } from '../families/county_list/adapter.ts';

export default countyListFile({
  name: 'oh_lucas_tax',
  title: 'Lucas County tax delinquency (list dropped by the operator)',
  county: { fips: '39095', name: 'Lucas County', state: 'OH' },
  home: 'https://lucascountytreasurer.org/delinquent-taxes',
  terms: {
    basis: 'public_record',
    note:
      "The delinquent land list is a public record (ORC 5721.011); the terms of the Treasurer's page and of the " +
      'newspaper were not obtained, so get the list from the county.',
  },
  everyDays: 31,
  parcel: /^\d{2}-?\d{5}$/u,
  parcelExample: '01-23456',
  headings: { parcel: ['parcel_code'], amount: ['taxdue'] },
});
