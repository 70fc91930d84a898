/**
 * The counties on RealAuction, one line each. A further county is a further line, once its host has been seen to
 * respond. Pages are recorded for one county of each layout.
 */
import { realAuction, type DeclaredCounty } from '../readers/realauction/adapter.ts';

/** Sheriffs of Ohio: `<county>.sheriffsaleauction.ohio.gov`. */
const OHIO: readonly (readonly [county: string, fips: string])[] = [
  ['Allen', '39003'],
  ['Butler', '39017'],
  ['Clark', '39023'],
  ['Clermont', '39025'],
  ['Cuyahoga', '39035'],
  ['Franklin', '39049'],
  ['Greene', '39057'],
  ['Hamilton', '39061'],
  ['Jackson', '39079'],
  ['Lake', '39085'],
  ['Lawrence', '39087'],
  ['Lorain', '39093'],
  ['Lucas', '39095'],
  ['Mahoning', '39099'],
  ['Miami', '39109'],
  ['Montgomery', '39113'],
  ['Portage', '39133'],
  ['Stark', '39151'],
  ['Summit', '39153'],
  ['Warren', '39165'],
];

/** Clerks of court of Florida: `<host>.realforeclose.com` and `<county>.realtaxdeed.com`. */
const FLORIDA: readonly (readonly [county: string, fips: string, foreclosureHost: string])[] = [
  ['Duval', '12031', 'duval'],
  ['Hillsborough', '12057', 'hillsborough'],
  ['Orange', '12095', 'myorangeclerk'],
  ['Pasco', '12101', 'pasco'],
  ['Pinellas', '12103', 'pinellas'],
];

const DECLARED: readonly DeclaredCounty[] = [
  ...OHIO.map(([county, fips]) => ({ county, fips, host: `${county.toLowerCase()}.sheriffsaleauction.ohio.gov` })),
  ...FLORIDA.flatMap(([county, fips, foreclosureHost]): DeclaredCounty[] => [
    { county, fips, host: `${foreclosureHost}.realforeclose.com`, state: 'FL', site: 'foreclosure' },
    { county, fips, host: `${county.toLowerCase()}.realtaxdeed.com`, state: 'FL', site: 'tax_deed' },
  ]),
  { county: 'Butler', fips: '42019', host: 'butler.pa.realforeclose.com', state: 'PA' },
];

/** Recorded pages of one county show the layout of others. */
export const SHARED_LAYOUT = true;

export default DECLARED.map(realAuction);
