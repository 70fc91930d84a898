/**
 * Franklin County, Ohio: delinquency list dropped by the operator. The county posts no list for download: its
 * TaxDetail.xlsx has been reported both empty and usable, and the Treasurer's site refuses programs.
 */
import { countyListFile } from '../../families/county_list_file.ts';

export default countyListFile({
  name: 'oh_franklin_tax',
  title: 'Franklin County tax delinquency (list dropped by the operator)',
  county: { fips: '39049', name: 'Franklin County', state: 'OH' },
  home: 'https://property.franklincountyauditor.com/',
  terms: {
    basis: 'public_record',
    note: 'The delinquent land list is a public record (ORC 5721.011); whoever asks the county for it should ask for its terms too, which were not obtained.',
  },
  everyDays: 31,
  // District, number and the card, which other lists leave out; comparable numbers leave out card 00 too.
  parcel: /^\d{3}-?\d{6}(?:-?\d{2})?$/u,
  parcelExample: '010-000005-00',
});
