/** Stark County, Ohio: parcels with a balance due, from the Auditor's parcel layer. */
import { mailing, situs } from '../../families/addresses.ts';
import { arcgisParcels } from '../../families/arcgis_parcels.ts';
import { money, optional, refuse, year } from '../../values.ts';

/** Cities, villages and post towns of the county, to find the city in SITE_ADDRESS. */
const PLACES = [
  'ALLIANCE',
  'BEACH CITY',
  'BREWSTER',
  'CANAL FULTON',
  'CANTON',
  'EAST CANTON',
  'EAST SPARTA',
  'GREENTOWN',
  'HARTVILLE',
  'HILLS AND DALES',
  'LIMAVILLE',
  'LOUISVILLE',
  'MAGNOLIA',
  'MASSILLON',
  'MAXIMO',
  'MEYERS LAKE',
  'MIDDLEBRANCH',
  'MINERVA',
  'NAVARRE',
  'NORTH CANTON',
  'NORTH LAWRENCE',
  'PARIS',
  'ROBERTSVILLE',
  'UNIONTOWN',
  'WAYNESBURG',
  'WILMOT',
];

export default arcgisParcels({
  name: 'oh_stark_tax',
  title: "Stark County tax delinquency (Auditor's parcel layer)",
  county: { fips: '39151', name: 'Stark County', state: 'OH' },
  layer:
    'https://utility.arcgis.com/usrsvcs/servers/067a37ee416e4d11bc23dd1446ad30ba/rest/services/' +
    'Auditor/StarkCountyParcels/FeatureServer/0',
  where: 'FINAL_BALANCE > 0',
  terms: {
    basis: 'public_record',
    note:
      "Tax records are public in Ohio; the terms of the county's map server were not obtained, " +
      'so the operator should read them.',
  },
  everyDays: 1,
  politeness: { minIntervalMs: 2000, concurrency: 1 },
  expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3 },
  parcel: 'PIN',
  needed: [
    'PIN',
    'OWNER',
    'SITE_ADDRESS',
    'MAILING_ADDRESS1',
    'MAILING_ADDRESS2',
    'MAILING_ADDRESS3',
    'FINAL_BALANCE',
    'CERTIFIED_DELINQUENT_YEAR',
    'APPRAISED_TOTAL_VALUE',
    'LAND_USE_DESCRIPTION',
  ],
  values: (a) => ({
    owner_name: optional(a.OWNER),
    ...situs(a.SITE_ADDRESS, PLACES),
    ...mailing([a.MAILING_ADDRESS1, a.MAILING_ADDRESS2, a.MAILING_ADDRESS3]),
    amount: money('FINAL_BALANCE', a.FINAL_BALANCE) ?? refuse('blank_amount', 'FINAL_BALANCE is blank'),
    years_delinquent: null,
    certified_year: year('CERTIFIED_DELINQUENT_YEAR', a.CERTIFIED_DELINQUENT_YEAR),
    county_value: money('APPRAISED_TOTAL_VALUE', a.APPRAISED_TOTAL_VALUE, { zeroIsUnknown: true }),
    property_class: optional(a.LAND_USE_DESCRIPTION),
  }),
});
