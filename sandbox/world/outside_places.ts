/** Counties without listings whose distress records the world has: Tampa's Pasco, and two outside the 20 metros. */
import type { Place } from './places.ts';
import type { RentCounty } from './rents.ts';

const ALLEGHENY = { metro: 'Pittsburgh', state: 'PA', countyFips: '42003' };

const PASCO = { metro: 'Tampa', state: 'FL', countyFips: '12101' };

export const outsidePlaces: readonly Place[] = [
  { ...PASCO, city: 'New Port Richey', zips: ['34652', '34653', '34655'], weight: 3 },
  { ...PASCO, city: 'Holiday', zips: ['34690', '34691'], weight: 2 },
  {
    ...ALLEGHENY,
    city: 'Pittsburgh',
    zips: ['15203', '15204', '15206', '15207', '15208', '15210', '15211', '15212', '15214', '15219', '15221', '15224'],
    weight: 8,
  },
  { ...ALLEGHENY, city: 'McKeesport', zips: ['15132'], weight: 1 },
  { ...ALLEGHENY, city: 'Wilkinsburg', zips: ['15221'], weight: 1 },
  {
    metro: 'Chicago',
    city: 'Chicago',
    state: 'IL',
    countyFips: '17031',
    zips: ['60609', '60617', '60619', '60620', '60621', '60624', '60628', '60629', '60636', '60644', '60649', '60651'],
    weight: 10,
  },
];

/** HUD's FY2026 rents of the counties outside the metros. They are in none of the sandbox's workbooks. */
export const outsideRents: readonly RentCounty[] = [
  {
    stusps: 'IL',
    state: '17',
    hudAreaCode: 'METRO16980M16980',
    countyName: 'Cook County',
    townName: '',
    metro: 1,
    hudAreaName: 'Chicago-Joliet-Naperville, IL HUD Metro FMR Area',
    fips: '1703199999',
    population: 5_225_365,
    fmr: [1480, 1581, 1781, 2294, 2653],
  },
  {
    stusps: 'PA',
    state: '42',
    hudAreaCode: 'METRO38300M38300',
    countyName: 'Allegheny County',
    townName: '',
    metro: 1,
    hudAreaName: 'Pittsburgh, PA HUD Metro FMR Area',
    fips: '4200399999',
    population: 1_245_310,
    fmr: [1001, 1077, 1299, 1661, 1789],
  },
];
