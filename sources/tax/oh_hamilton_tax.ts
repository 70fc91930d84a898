/**
 * Hamilton County, Ohio: the Auditor's list of unpaid taxes, a workbook replaced about once a month under the same
 * name. Its addresses are the owners'; the property's address comes from the parcel layer (oh_hamilton_parcels), by a
 * join.
 *
 * The columns are documented by third parties. The form of a parcel number, thirteen letters or digits, is inferred.
 */
import { countyListFile } from '../families/county_list/adapter.ts';

export default countyListFile({
  name: 'oh_hamilton_tax',
  title: "Hamilton County tax delinquency (Auditor's list of unpaid taxes)",
  county: { fips: '39061', name: 'Hamilton County', state: 'OH' },
  home: 'https://www.hcauditor.org/download/Delinquent/unpaid.xlsx',
  terms: {
    basis: 'public_record',
    note: 'The auditor says that the data are public records but does not endorse commercial use.',
  },
  // Checked weekly: an unchanged file costs one conditional request.
  everyDays: 7,
  parcel: /^[0-9A-Z]{13}$/u,
  parcelExample: '0540004012300',
  posted: {
    url: 'https://www.hcauditor.org/download/Delinquent/unpaid.xlsx',
    columns: (
      'parcel_number owner_name_1 owner_name_2 owner_address_1 owner_address_2 property_class unpaid_amount ' +
      'tax_district'
    ).split(' '),
    expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3, joins: { address: 0.5, parcel: 0.6 } },
  },
});
