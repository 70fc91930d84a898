/**
 * Stark County, Ohio: parcels with a balance due, from the Auditor's parcel layer.
 *
 * Known from a public reader of the layer: SITE_ADDRESS1 is the street, with "UNIT x" in it, and SITE_ADDRESS3 the city
 * line, "CANTON, OH 44702". Not confirmed by a recorded row: whether this host still has the one field SITE_ADDRESS of
 * older readers, which is used where SITE_ADDRESS1 is blank or absent.
 */
import { cityLine, mailing, situs, type Situs } from '../readers/addresses.ts';
import { arcgisParcels, type Attributes } from '../readers/arcgis/adapter.ts';
import { line, money, optional, refuse, year } from '../values.ts';

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

/** Address of the property: from the two fields of street and city, else from the one text. */
function situsOf(attributes: Attributes): Situs {
  const cityText = optional(attributes.SITE_ADDRESS3);
  const { city, zip } = cityText === null ? { city: null, zip: null } : cityLine(cityText);
  const street = optional(attributes.SITE_ADDRESS1);
  const whole = situs(street ?? line(attributes.SITE_ADDRESS), PLACES);
  return { street: whole.street, city: city ?? whole.city, zip: zip ?? whole.zip };
}

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
    note: "Tax records are public in Ohio; the terms of the county's map server were not obtained.",
  },
  everyDays: 1,
  minIntervalMs: 2000,
  expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3, joins: { address: 0.7, zip: 0.5 } },
  parcel: 'PIN',
  needed: (
    'OWNER MAILING_ADDRESS1 MAILING_ADDRESS2 MAILING_ADDRESS3 FINAL_BALANCE CERTIFIED_DELINQUENT_YEAR ' +
    'APPRAISED_TOTAL_VALUE LAND_USE_DESCRIPTION'
  ).split(' '),
  oneOf: [['SITE_ADDRESS1', 'SITE_ADDRESS']],
  optional: ['SITE_ADDRESS3'],
  values: (feature) => ({
    owner_name: optional(feature.OWNER),
    ...situsOf(feature),
    ...mailing([feature.MAILING_ADDRESS1, feature.MAILING_ADDRESS2, feature.MAILING_ADDRESS3]),
    amount: money('FINAL_BALANCE', feature.FINAL_BALANCE) ?? refuse('blank_amount', 'FINAL_BALANCE is blank'),
    amount_basis: 'net',
    certified_year: year('CERTIFIED_DELINQUENT_YEAR', feature.CERTIFIED_DELINQUENT_YEAR),
    county_value: money('APPRAISED_TOTAL_VALUE', feature.APPRAISED_TOTAL_VALUE, { zeroIsUnknown: true }),
    property_class: optional(feature.LAND_USE_DESCRIPTION),
  }),
});
