/**
 * Delinquency lists of Ohio's counties as files. The operator drops those of Butler, Franklin and Lucas, for which no
 * list that a program can read was found on the web. Hamilton's is read from the Auditor's site.
 */
import type { SourceSpec } from '../contract.ts';
import { type CountyList, countyListFile } from '../readers/county_list.ts';

/** Fields that the lists dropped by the operator share. @param rest what the terms of the county leave open */
const dropped = (
  name: string,
  fips: string,
  rest: string,
): Pick<CountyList, 'name' | 'title' | 'county' | 'terms' | 'everyDays'> => ({
  name: `oh_${name.toLowerCase()}_tax`,
  title: `${name} County tax delinquency (list dropped by the operator)`,
  county: { fips, name: `${name} County`, state: 'OH' },
  terms: { basis: 'public_record', note: `The delinquent land list is a public record (ORC 5721.011); ${rest}` },
  everyDays: 31,
});

const ASK_FOR_TERMS = 'the terms of the county were not obtained, so ask for them together with the list.';

/** The form of a parcel number is inferred, not documented: a letter and four digits, then three groups of three. */
const butler: CountyList = {
  ...dropped('Butler', '39017', ASK_FOR_TERMS),
  home: 'https://www.bcohio.gov/',
  parcel: /^[A-Z]\d{4}-?\d{3}-?\d{3}-?\d{3}$/u,
  parcelExample: 'P6412-034-000-012',
};

/**
 * The county posts no usable list: its TaxDetail.xlsx has been reported both empty and usable, and the Treasurer's site
 * refuses programs. The headings of TaxDetail, Parcel and Value are known from public readers of these files; no row of
 * them was recorded.
 */
const franklin: CountyList = {
  ...dropped('Franklin', '39049', ASK_FOR_TERMS),
  home: 'https://property.franklincountyauditor.com/',
  // District, number and card. Some lists omit the card; models compare numbers without card 00.
  parcel: /^\d{3}-?\d{6}(?:-?\d{2})?$/u,
  parcelExample: '010-000005-00',
  headings: { amount: ['TotTotal'], zip: ['ZipCode'], property_class: ['LUCDesc'] },
  suffixes: { BL: 'BLVD', CR: 'CIR' },
};

/**
 * The list is printed in a newspaper and shown on the Treasurer's page, whose layout is unknown. The form of a parcel
 * number is inferred, not documented. The county also has a parcel layer with the fields parcel_code, taxdue and
 * property_address (OSE_ParcelsAddresses_AREIS on services3.arcgis.com). It is not read by itself, because no public
 * page shows the form of parcel_code: a file exported from it can be dropped.
 */
const lucas: CountyList = {
  ...dropped(
    'Lucas',
    '39095',
    "the terms of the Treasurer's page and of the newspaper were not obtained, so get the list from the county.",
  ),
  home: 'https://lucascountytreasurer.org/delinquent-taxes',
  parcel: /^\d{2}-?\d{5}$/u,
  parcelExample: '01-23456',
  headings: { parcel: ['parcel_code'], amount: ['taxdue'] },
};

/**
 * The Auditor's list of unpaid taxes, a workbook replaced about once a month under the same name. Its addresses are the
 * owners'; the property's address comes from the parcel layer (oh_hamilton_parcels), by a join. The columns are
 * documented by third parties. The form of a parcel number, thirteen letters or digits, is inferred.
 */
const hamilton: CountyList = {
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
};

export default [butler, franklin, lucas, hamilton].map((county): SourceSpec => countyListFile(county));
