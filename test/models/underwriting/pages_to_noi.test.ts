/**
 * From the pages to NOI, read by the real adapters: a deal is underwritten with HUD's rents of its ZIP, the census row
 * of its own county and of its metropolitan area. test/models/recompute.test.ts goes on from these steps to every
 * figure.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { fraction, type Fraction } from '../../../lib/fraction.ts';
import { SANDBOX_DAY } from '../../../lib/settings.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { rents, zipRents } from '../../../sandbox/world/rents.ts';
import { buildTables, listingRow, builtBefore } from '../build_models.ts';
import { newLayout, published, runDay, smallWorld } from '../../pipelines/runs.ts';

type Json = Readonly<Record<string, unknown>>;
type Area = Readonly<Record<string, string>>;

interface Deal {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly zip: string;
  readonly state: string;
  readonly county_fips: string | null;
  readonly rent_area_code: string;
  readonly steps: Readonly<Record<'mix' | 'market' | 'in_place' | 'contract', Json>>;
  readonly tax: Readonly<Record<string, string | null>>;
}

const referenceRows = (name: string): readonly Area[] =>
  parse(readFileSync(new URL(`../../../models/reference/${name}.csv`, import.meta.url), 'utf8'), { columns: true });

const COUNTY_OF_ZIP = new Map(referenceRows('zip_places').map((row) => [row['zip'], row['county_fips']]));
const STATE_OF_COUNTY = new Map(referenceRows('counties').map((row) => [row['county_fips'], row['state']]));
const CLASSES = new Map(referenceRows('tax_rules').map((row) => [row['state'], row['class_factor']]));

const METRO = 'metropolitan statistical area/micropolitan statistical area';
const codeOf = (row: Area): string => row[METRO] ?? `${row['state'] ?? ''}${row['county'] ?? ''}`;

/** Rows of a page of the census, by the names in its header. */
function areasOf(body: Uint8Array): readonly Area[] {
  const [header = [], ...rows] = JSON.parse(new TextDecoder().decode(body)) as readonly (readonly string[])[];
  return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ''])));
}

interface Published {
  readonly deals: ReadonlyMap<string, Deal>;
  /** The census's rows as the pages show them, by the code of the area. */
  readonly census: ReadonlyMap<string, Area>;
}

/** A run over the listings, HUD's rents and the census. */
async function underwritten(): Promise<Published> {
  const census = new Map<string, Area>();
  const alter: Alter = ({ host, path }, response) => {
    if (host !== 'api.census.gov' || !path.startsWith('/data/') || response.status !== 200) return undefined;
    const areas = areasOf(response.body);
    for (const area of areas) census.set(codeOf(area), area);
    return undefined;
  };
  const only = ({ name, family }: { readonly name: string; readonly family: string }): boolean =>
    ['listings', 'fmr'].includes(family) || name === 'census_acs';
  const layout = await newLayout();
  const { runId } = await runDay({ layout, world: smallWorld(), day: SANDBOX_DAY, alter, only, tables: ['deals'] });
  const rows = await published(layout, runId, 'deals', 'WHERE list_price IS NOT NULL AND noi_underwritten IS NOT NULL');
  const deals = rows.map((row) => ({
    ...row,
    steps: JSON.parse(String(row['rent_steps'])) as unknown,
    tax: JSON.parse(String(row['property_tax'])) as unknown,
  })) as unknown as readonly Deal[];
  return { census, deals: new Map(deals.map((deal) => [deal.id, deal])) };
}

const BEDROOMS = [0, 1, 2, 3, 4];
const median = (area: Area | undefined, variable: string): Fraction | null => {
  const figure = area?.[variable];
  return figure === undefined || figure.startsWith('-') ? null : fraction(figure);
};
const within = (least: string, value: Fraction, most: string): string => {
  if (value.isBelow(fraction(least))) return fraction(least).rounded(4);
  return fraction(most).isBelow(value) ? fraction(most).rounded(4) : value.rounded(4);
};

/** HUD's rents of a ZIP: of the area with the lowest rent of two bedrooms. */
const hudRentOf = (zip: string) =>
  zipRents
    .filter((rent) => rent.zip === zip)
    .sort((a, b) => Number(a.rents[2]) - Number(b.rents[2]) || (a.area.hudAreaCode < b.area.hudAreaCode ? -1 : 1))[0];

const countyOf = ({ zip, state }: Deal): string | null => {
  const county = COUNTY_OF_ZIP.get(zip) ?? null;
  return county !== null && STATE_OF_COUNTY.get(county) === state ? county : null;
};

/** The county with the most people of a HUD area in a state. */
const largestCountyOf = ({ rent_area_code: code, state }: Deal): string | undefined =>
  rents
    .filter((rent) => rent.hudAreaCode === code && rent.stusps === state)
    .sort((a, b) => b.population - a.population)[0]
    ?.fips.slice(0, 5);

describe('the underwriting of a published deal', () => {
  let given: Published;
  before(async () => {
    given = await underwritten();
    assert.ok(given.deals.size > 60, `${given.deals.size} deals`);
  });
  const each = (check: (deal: Deal) => void): void => {
    for (const deal of given.deals.values()) check(deal);
  };
  const censusOf = (deal: Deal): Area | undefined => given.census.get(countyOf(deal) ?? largestCountyOf(deal) ?? '');

  it("has HUD's rents of its ZIP for each number of bedrooms", () => {
    each((deal) => {
      const { rents: ofZip = [], area } = hudRentOf(deal.zip) ?? {};
      assert.deepEqual(
        [deal.rent_area_code, Object.values(deal.steps.market['rents'] as Json)],
        [area?.hudAreaCode, ofZip.map((rent) => fraction(rent).rounded(2))],
        deal.zip,
      );
    });
  });

  it("has the ratio of the census rent to HUD's rent of its metropolitan area", () => {
    each((deal) => {
      const metro = given.census.get(deal.rent_area_code.slice(5, 10));
      const fmr = hudRentOf(deal.zip)?.area.fmr ?? assert.fail(deal.zip);
      const ratios = BEDROOMS.map((b) => {
        const rent = median(metro, `B25031_00${b + 2}E`);
        return rent && within('0.70', rent.over(fraction(fmr[b] ?? 0)), '1');
      });
      assert.deepEqual(
        Object.values(deal.steps.in_place['ratios'] as Json),
        ratios.map((ratio) => ratio ?? ratios[2]),
      );
    });
  });

  it('has the share of utilities of its own county', () => {
    each((deal) => {
      const [gross, contract] = ['B25064_001E', 'B25058_001E'].map((name) => median(censusOf(deal), name));
      const share = gross && contract ? within('0.03', gross.minus(contract).over(gross), '0.20') : '0.1200';
      assert.equal(deal.steps.contract['utility_share'], share, deal.zip);
    });
  });

  it('has the tax rate of its own county and the class factor of its state', () => {
    each((deal) => {
      const [tax, value] = ['B25103_001E', 'B25077_001E'].map((name) => median(censusOf(deal), name));
      assert.ok(tax && value);
      const factor = Number(deal['units']) > 1 ? (CLASSES.get(deal.state) ?? '1.0000') : '1.0000';
      assert.deepEqual(
        [deal.tax['rate_pct'], deal.tax['rate_basis'], deal.tax['class_factor']],
        [tax.over(value).times(fraction(100)).rounded(2), countyOf(deal) ? 'county' : 'largest_county_of_area', factor],
        deal.zip,
      );
    });
  });
});

describe('a building', () => {
  /** The weight of each size or vintage around it. */
  type Parts = Readonly<Record<string, number>>;
  const SIZES: readonly (readonly [units: number, parts: Parts])[] = [
    [1, { '2_4': 1 }],
    [3, { '2_4': 1 }],
    [6, { '2_4': 0.6667, '5_12': 0.3333 }],
    [12, { '5_12': 1 }],
    [24, { '5_12': 0.5, '25_49': 0.5 }],
    [200, { '50_up': 1 }],
  ];
  const AGES: readonly (readonly [year: number | null, parts: Parts, repairs: string])[] = [
    [1880, { before_1960: 1 }, '15000.00'],
    [1959, { before_1960: 0.5, '1960_1999': 0.5 }, '11500.00'],
    [1978, { '1960_1999': 1 }, '8000.00'],
    [1999, { '1960_1999': 0.2222, from_2000: 0.7778 }, '4111.00'],
    [2026, { from_2000: 1 }, '3000.00'],
    [2027, { any: 1 }, '8000.00'],
    [null, { any: 1 }, '8000.00'],
  ];
  const MIXES = referenceRows('bedroom_mixes');

  const KNOTS = SIZES.flatMap(([units, sizes]) =>
    AGES.map(([year, ages, repairs]) => ({ units, sizes, year, ages, repairs })),
  );

  const built = builtBefore(async () => {
    const between = KNOTS.map(({ units, year }) => listingRow(`${units} ${year}`, { units, year_built: year }));
    return buildTables({ staged_listing: between }, ['deals']);
  });

  it('between two tabulated sizes and ages has interpolated bedrooms and repairs', async () => {
    for (const { units, sizes, year, ages, repairs } of KNOTS) {
      const deal = await built.one('deals', `listing_id = '${units} ${year}'`);
      const { weights } = (JSON.parse(String(deal['rent_steps'])) as Deal['steps']).mix;
      const shareOf = (b: number): number =>
        Object.entries(sizes)
          .flatMap(([size, a]) => Object.entries(ages).map(([age, c]) => [size, age, a * c] as const))
          .reduce((sum, [size, age, weight]) => {
            const mix = MIXES.find((row) => row['size'] === size && row['vintage'] === age) ?? {};
            return sum + weight * Number(mix[`share_${b}`]);
          }, 0);
      for (const [b, share] of Object.values(weights as Json).entries())
        assert.ok(Math.abs(Number(share) - shareOf(b)) < 0.0002, `${b} bedrooms of ${units} units of ${year}`);
      assert.equal(deal['upfront_repairs_per_unit'], repairs, `${units} units of ${year}`);
    }
  });
});
