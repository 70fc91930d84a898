/**
 * Listings, rents and surveys of the deals in worked_deals.csv. Each line of that file has a figure and its arithmetic.
 * It was computed from docs/underwriting.md with a calculator, never from the output of the models.
 */
import type { InputRow } from '../../build_models.ts';

/** What is known of the market of a listing. */
export interface Market {
  readonly hud_area: string;
  readonly rent_basis: string;
  /** HUD's rents of 0 to 4 bedrooms: of the ZIP, and of the area. */
  readonly rents: readonly string[];
  readonly area_rents: readonly string[];
  /** Counties of the HUD area, with their people. */
  readonly counties: readonly (readonly [fips: string, people: number])[];
  /** Rows of the census. */
  readonly census: readonly InputRow[];
}

export interface Example {
  readonly name: string;
  readonly listing: InputRow & Readonly<Record<'street' | 'zip', string>>;
  readonly market: Market;
  readonly first_price?: string;
  readonly first_seen?: string;
  readonly tax_owed?: string;
}

/** The census's gross rents of 0 to 4 bedrooms in a metropolitan area. */
const metro = (area_code: string, rents: readonly (string | null)[], given: InputRow = {}): InputRow => ({
  geography: 'metro',
  area_code,
  ...Object.fromEntries(rents.map((rent, bedrooms) => [`gross_rent_${bedrooms}`, rent])),
  ...given,
});
/** The census's medians of a county. */
const county = (area_code: string, contract: string, gross: string, tax: string, value: string): InputRow => ({
  geography: 'county',
  area_code,
  median_contract_rent: contract,
  median_gross_rent: gross,
  median_tax: tax,
  median_value: value,
});

const CLEVELAND: Market = {
  hud_area: 'METRO17410N17460',
  rent_basis: 'zip',
  rents: ['760.00', '860.00', '1050.00', '1360.00', '1510.00'],
  area_rents: ['933.00', '1058.00', '1279.00', '1646.00', '1760.00'],
  counties: [['39035', 1_200_000]],
  // No rent of 3 bedrooms
  census: [
    metro('17410', ['760.00', '852.00', '1088.00', null, '1376.00']),
    county('39035', '810.00', '950.00', '4200.00', '205000.00'),
  ],
};

/** Rents of the area alone, and the census of models/reference/census_metros.csv. */
const COLUMBUS: Market = {
  hud_area: 'METRO18140M18140',
  rent_basis: 'metro',
  rents: ['1020.00', '1110.00', '1342.00', '1625.00', '1790.00'],
  area_rents: ['1020.00', '1110.00', '1342.00', '1625.00', '1790.00'],
  counties: [['39049', 1_320_000]],
  census: [],
};

/** The county with the most people counts. */
const TAMPA: Market = {
  hud_area: 'METRO45300M45300',
  rent_basis: 'zip',
  rents: ['1430.00', '1520.00', '1800.00', '2260.00', '2710.00'],
  area_rents: ['1510.00', '1570.00', '1880.00', '2370.00', '2850.00'],
  counties: [
    ['12103', 960_000],
    ['12057', 1_480_000],
  ],
  census: [
    metro('45300', ['1376.00', '1380.00', '1621.00', '1896.00', '2309.00']),
    county('12057', '1380.00', '1462.00', '2710.00', '352000.00'),
    county('12103', '1200.00', '1350.00', '2400.00', '310000.00'),
  ],
};

const cleveland = { city: 'Cleveland', state: 'OH', zip: '44102' };

export const EXAMPLES: readonly Example[] = [
  {
    name: '1 overclaim in Cleveland',
    market: CLEVELAND,
    listing: {
      street: '101 Main Street',
      ...cleveland,
      list_price: '1020000.00',
      units: 12,
      year_built: 1925,
      cap_rate: '9.25',
      annual_taxes: '14000.00',
    },
    first_price: '1023377.15',
  },
  {
    name: '2 hidden upside in Columbus',
    market: COLUMBUS,
    listing: {
      street: '102 Main Street',
      city: 'Columbus',
      state: 'OH',
      zip: '43205',
      list_price: '300000.00',
      units: 4,
      year_built: 1985,
      noi: '18000.00',
    },
    first_price: '315789.47',
    first_seen: '2026-08-23T09:00:00Z',
    tax_owed: '3750.00',
  },
  {
    name: '3 out of range in Tampa',
    market: TAMPA,
    listing: {
      street: '103 Main Street',
      city: 'Tampa',
      state: 'FL',
      zip: '33602',
      list_price: '890000.00',
      units: 2,
      year_built: 2015,
      cap_rate: '5.10',
      annual_taxes: '21000.00',
    },
    first_seen: '2026-08-23T09:00:00Z',
  },
  {
    // The stated mix has five units of eight, the building is of a year to come, and the bill is far below the tax
    name: '4 contradictory in Cleveland',
    market: CLEVELAND,
    listing: {
      street: '105 Main Street',
      ...cleveland,
      list_price: '740000.00',
      units: 8,
      units_2br: 5,
      year_built: 2031,
      annual_taxes: '90.00',
    },
  },
];

/** The deal of docs/underwriting.md, in a region with one surveyed area. */
export const DOCUMENTED: Example = {
  name: 'of docs/underwriting.md',
  market: {
    ...CLEVELAND,
    rents: ['900.00', '1000.00', '1200.00', '1550.00', '1700.00'],
    area_rents: ['933.00', '1058.00', '1279.00', '1646.00', '1760.00'],
    census: [
      metro('17410', ['760.00', '852.00', '1088.00', '1256.00', '1376.00'], {
        median_tax: '3590.00',
        median_value: '215400.00',
      }),
      county('39035', '810.00', '950.00', '4200.00', '205000.00'),
    ],
  },
  listing: {
    street: '110 Main Street',
    ...cleveland,
    list_price: '460000.00',
    units: 8,
    year_built: 1974,
    cap_rate: '8.40',
    units_1br: 4,
    units_2br: 4,
    annual_taxes: '9000.00',
  },
};

const quarter = (areaName: string, endsOn: string, pct: string, margin: string): InputRow => ({
  area_name: areaName,
  year: Number(endsOn.slice(0, 4)),
  quarter: Number(endsOn.slice(5, 7)) / 3,
  ends_on: endsOn,
  vacancy_pct: pct,
  margin_pct: margin,
});

/** Five quarters of Cleveland, of which four count, and one or two of the others. */
export const VACANCIES: readonly InputRow[] = [
  quarter('Cleveland-Elyria, OH', '2025-09-30', '20.00', '3.00'),
  quarter('Cleveland-Elyria, OH', '2025-12-31', '8.00', '3.00'),
  quarter('Cleveland-Elyria, OH', '2026-03-31', '9.00', '3.20'),
  quarter('Cleveland-Elyria, OH', '2026-06-30', '7.00', '2.80'),
  quarter('Cleveland-Elyria, OH', '2026-09-30', '8.40', '3.00'),
  quarter('Columbus, OH', '2026-09-30', '3.10', '1.90'),
  quarter('San Antonio-New Braunfels, TX', '2026-06-30', '10.40', '2.90'),
  quarter('San Antonio-New Braunfels, TX', '2026-09-30', '11.30', '3.30'),
  quarter('Birmingham, AL', '2026-09-30', '16.90', '5.20'),
  quarter('Tampa-St. Petersburg-Clearwater, FL', '2026-09-30', '7.70', '2.40'),
];

export const ONE_VACANCY = [quarter('Cleveland-Elyria, OH', '2026-09-30', '5.00', '3.00')];

export const SURVEY_RATE_PCT = '6.52';

const knot = (least: number, most: number | null, rates: readonly [string, string, string, string], n: number) => ({
  least_units: least,
  most_units: most,
  cap_pct: rates[0],
  low_pct: rates[1],
  middle_pct: rates[2],
  high_pct: rates[3],
  n,
  n_eff: '30.0',
  source: 'survey',
  as_of: '2011-12-31',
});

/** What owners earned: a table of these deals alone, so that a new fit of the published one changes none of them. */
export const RANGES: readonly InputRow[] = [
  knot(2, 12, ['2.64', '1.06', '3.19', '5.15'], 109),
  knot(2, 12, ['5.24', '3.99', '5.33', '7.99'], 83),
  knot(2, 12, ['10.27', '3.05', '6.66', '8.98'], 87),
  knot(13, null, ['3.53', '3.60', '5.66', '7.50'], 227),
  knot(13, null, ['6.13', '5.47', '7.23', '8.74'], 219),
  knot(13, null, ['11.82', '4.80', '7.95', '10.70'], 361),
];
