/**
 * City of Milwaukee, Wisconsin: vacant buildings, from the register of the Department of Neighborhood Services on the
 * open data portal. It has no owner. A parcel with several registrations is one record, of the earliest.
 *
 * Known from public readers of the table: the columns below and STATUS, and that it changes weekly. No row was
 * recorded. The words of STATUS are not known: it is read where the table has it, and only "closed" ends a
 * registration.
 */
import { ckanTable } from '../readers/open_data/ckan.ts';
import { MILWAUKEE, milwaukeeTerms } from '../readers/open_data/portals.ts';
import { daysOf } from '../readers/open_data/table.ts';
import { optional, published, zip } from '../values.ts';

const HOME = 'https://data.milwaukee.gov/dataset/accelavacantbuilding';

export default ckanTable<'distress'>({
  name: 'wi_milwaukee_vacant',
  family: 'distress',
  title: 'Milwaukee vacant buildings (city register)',
  home: HOME,
  county: MILWAUKEE.county,
  covers: { kinds: ['vacant_building'], city: MILWAUKEE.city },
  terms: milwaukeeTerms(HOME),
  everyDays: 7,
  expect: { minRows: 5, maxRejectShare: 0.05, maxDropShare: 0.3, newest: { column: 'filed_on', maxAgeDays: 130 } },
  portal: MILWAUKEE.portal,
  resource: '46dca88b-fec0-48f1-bda6-7296249ea61f',
  columns: ['PARCELNBR', 'ADDRFULLLINE', 'DATEOPENED', 'LANDUSE', 'ZipCode'],
  optional: ['STATUS'],
  group: ['PARCELNBR'],
  link: 'PARCELNBR',
  identity: ({ PARCELNBR: parcel }) => ({
    signal_type: 'vacant_building',
    record_number: published(parcel),
    parcel_raw: published(parcel),
  }),
  record: (rows) => {
    const [first] = rows;
    const states = rows.map((row) => optional(row.STATUS));
    return {
      street: optional(first.ADDRFULLLINE),
      city: MILWAUKEE.city,
      zip: zip('ZipCode', first.ZipCode),
      filed_on: daysOf('DATEOPENED', rows).at(0) ?? null,
      last_activity_on: daysOf('DATEOPENED', rows).at(-1) ?? null,
      record_state: states.every((state) => /^closed/iu.test(state ?? '')) ? 'closed' : 'open',
      state_raw: states.find((state) => state !== null) ?? null,
      property_class: optional(first.LANDUSE),
    };
  },
});
