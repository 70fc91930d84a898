/** Hamilton County, Ohio: parcels with delinquent taxes, from the CAGIS parcel layer. */
import { mailing } from '../../families/addresses.ts';
import { arcgisParcels } from '../../families/arcgis_parcels.ts';
import { cents, decimal, joined, money, optional, refuse } from '../../values.ts';

/** CAGIS marks a parcel that no longer exists; the flag has been seen as a word, a letter and a number. */
const isSet = (flag: unknown): boolean => /^(?:y|yes|t|true|1)$/iu.test(optional(flag) ?? '');

/** "0" stands for no house number. */
const houseNumber = (value: unknown): string | null => ((text) => (text === '0' ? null : text))(optional(value));

export default arcgisParcels({
  name: 'oh_hamilton_tax',
  title: 'Hamilton County tax delinquency (CAGIS parcel layer)',
  county: { fips: '39061', name: 'Hamilton County', state: 'OH' },
  layer: 'https://cagisonline.hamilton-co.org/arcgis/rest/services/Countywide_Layers/Parcels/FeatureServer/0',
  where: 'DELQ_TAXES > 0',
  terms: { basis: 'public_record', note: 'The auditor says that the data are public records but does not endorse commercial use; the terms of the map server were not obtained.' },
  everyDays: 1,
  politeness: { minIntervalMs: 2000, concurrency: 1 },
  expect: { minRows: 50, maxRejectShare: 0.05, maxDropShare: 0.3 },
  parcel: 'PARCELID',
  needed: ['PARCELID', 'OWNNM1', 'ADDRNO', 'ADDRST', 'ADDRSF', 'MLADR1', 'DELQ_TAXES', 'DELQ_TAXES_PD', 'MKT_TOTAL_VAL', 'CLASS', 'PAR_DELETED'],
  optional: ['OWNNM2', 'LOC_ST_DIR', 'MLADR1A', 'MLADR2', 'MLADR3'],
  gone: (a) => (isSet(a.PAR_DELETED) ? `PAR_DELETED is ${JSON.stringify(a.PAR_DELETED)}: the parcel no longer exists` : null),
  values: (a) => {
    const owed = cents('DELQ_TAXES', a.DELQ_TAXES) ?? refuse('blank_amount', 'DELQ_TAXES is blank');
    return {
      owner_name: joined([a.OWNNM1, a.OWNNM2], ' & '),
      street: optional(a.ADDRST) === null ? null : joined([houseNumber(a.ADDRNO), a.LOC_ST_DIR, a.ADDRST, a.ADDRSF]),
      city: null,
      zip: null,
      ...mailing([a.MLADR1, a.MLADR1A, a.MLADR2, a.MLADR3]),
      // What was paid on the delinquency is still on the roll beside it; a parcel paid in full is kept with 0.00.
      amount: decimal(owed - (cents('DELQ_TAXES_PD', a.DELQ_TAXES_PD) ?? 0n)),
      years_delinquent: null,
      certified_year: null,
      county_value: money('MKT_TOTAL_VAL', a.MKT_TOTAL_VAL, { zeroIsUnknown: true }),
      property_class: optional(a.CLASS),
    };
  },
});
