/** The models give every figure of deals that were computed by hand, and of docs/underwriting.md, to the cent. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import {
  buildTables,
  debtRow,
  earlierListing,
  uuid5,
  builtBefore,
  type Built,
  type InputRow,
} from '../build_models.ts';
import {
  DOCUMENTED,
  EXAMPLES,
  ONE_VACANCY,
  RANGES,
  SURVEY_RATE_PCT,
  VACANCIES,
  type Example,
} from './examples/worked_deals.ts';

interface Step {
  readonly deal: string;
  readonly figure: string;
  readonly value: string;
}

const STEPS = parse(readFileSync(new URL('examples/worked_deals.csv', import.meta.url), 'utf8'), {
  columns: true,
}) as Step[];

const PAGE = 'https://example.org/page';

const idOf = ({ listing }: Example): string =>
  uuid5(`deal|${listing.street.replace('Street', 'ST').toUpperCase()}|${listing.zip}`);

const listingOf = (example: Example): InputRow => ({
  source: 'heartland_multifamily',
  listing_id: example.name,
  ...example.listing,
});

/** The listing in the snapshot before. */
function earlierVersion(example: Example): InputRow[] {
  if (example.first_price === undefined && example.first_seen === undefined) return [];
  const firstPrice = example.first_price ?? String(example.listing['list_price']);
  const firstSeen = example.first_seen ?? '2026-11-20T09:00:00Z';
  return [
    earlierListing(listingOf(example), firstPrice, firstSeen, {
      deal_id: idOf(example),
      version_last_seen: '2026-11-20T09:00:00Z',
    }),
  ];
}

const debtOf = ({ tax_owed: amount, listing: { street, city, zip } }: Example): InputRow[] =>
  amount === undefined
    ? []
    : [debtRow('010-000005-00', { county_fips: '39049', county: 'Franklin County, OH', street, city, zip, amount })];

const byBedrooms = (name: string, rents: readonly string[]): InputRow =>
  Object.fromEntries(rents.map((rent, bedrooms) => [`${name}_${bedrooms}br`, rent]));

const marketRents = (example: Example): InputRow => ({
  id: idOf(example),
  ...byBedrooms('market_rent', example.market.rents),
  ...byBedrooms('area_rent', example.market.area_rents),
  rent_basis: example.market.rent_basis,
  rent_area_code: example.market.hud_area,
  rent_area_name: example.market.hud_area,
  rent_fiscal_year: 2026,
  rent_source_url: PAGE,
  rent_observed_at: '2026-11-20T09:00:00Z',
});

/** The deals of these listings. */
function buildDeals(examples: readonly Example[], vacancies: readonly InputRow[], surveyRate: string): Promise<Built> {
  const markets = [...new Set(examples.map(({ market }) => market))];
  return buildTables(
    {
      ref_noi_ranges: RANGES,
      staged_listing: examples.map(listingOf),
      previous_listing_history: examples.flatMap(earlierVersion),
      staged_tax_parcel: examples.flatMap(debtOf),
      int_market_rents: examples.map(marketRents),
      stg_rents: markets.flatMap(({ hud_area: hudArea, counties }) =>
        counties.map(([fips, population]) => ({
          fips: `${fips}99999`,
          county_fips: fips,
          hud_area_code: hudArea,
          population,
        })),
      ),
      stg_area_census: markets
        .flatMap(({ census }) => census)
        .map((row) => ({ vintage: 2024, area_name: 'an area', ...row })),
      stg_area_vacancies: vacancies.map((row) => ({ source_url: PAGE, ...row })),
      stg_survey_rates: [
        {
          series: 'MORTGAGE30US',
          observed_on: '2026-11-19',
          rate_pct: surveyRate,
          is_made_up: false,
          source_url: PAGE,
        },
      ],
    },
    ['deals'],
  );
}

interface Rationale {
  readonly reason: string;
  readonly thresholds: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
}

describe('worked deals', () => {
  const built = builtBefore(() => buildDeals(EXAMPLES, VACANCIES, SURVEY_RATE_PCT));
  const dealNamed = async (name: string): Promise<Record<string, unknown>> => {
    const example = EXAMPLES.find((one) => one.name === name) ?? assert.fail(name);
    return built.one('deals', `id = '${idOf(example)}'`);
  };

  it('have figures for each deal', () =>
    assert.deepEqual(
      [...new Set(STEPS.map(({ deal }) => deal))],
      EXAMPLES.map(({ name }) => name),
    ));

  for (const { name } of EXAMPLES) {
    it(name, async () => {
      const deal = await dealNamed(name);
      const steps = STEPS.filter((step) => step.deal === name);
      assert.deepEqual(
        steps.map(({ figure }) => [figure, String(deal[figure])]),
        steps.map(({ figure, value }) => [figure, value]),
      );
    });
  }

  it('have rationales with the thresholds and inputs, each typed', async () => {
    const rationaleOf = async (name: string, path: string): Promise<Rationale> =>
      JSON.parse(String((await dealNamed(name))[`${path}_rationale`])) as Rationale;
    const creative = await rationaleOf('2 hidden upside in Columbus', 'creative_finance');
    assert.equal(creative.reason, 'meets_thresholds');
    assert.deepEqual(creative.thresholds, {
      hot_coverage: '1.00',
      hot_motivation_or_distress: 50,
      warm_coverage: '0.90',
      warm_motivation_or_distress: 25,
      market_coverage: '1.00',
    });
    assert.equal(creative.inputs['seller_coverage'], '1.01');
    assert.equal(creative.inputs['needed'], true);
    const rental = await rationaleOf('3 out of range in Tampa', 'rental');
    assert.equal(rental.reason, 'price_per_unit_above_144x_monthly_2br_rent');
  });
});

it('the deal of docs/underwriting.md has the figures that the page shows', async () => {
  const page = readFileSync(new URL('../../../docs/underwriting.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## A worked deal\n');
  const shown = [...section.matchAll(/^\| `(\w+)` \| (\S+) \|/gmu)].map(([, figure = '', value]) => [figure, value]);
  assert.ok(shown.length > 30, `${shown.length} figures`);
  using built = await buildDeals([DOCUMENTED], ONE_VACANCY, '6.75');
  assert.deepEqual(built.failed, []);
  const deal = await built.one('deals');
  assert.deepEqual(
    shown.map(([figure = '']) => [figure, String(deal[figure])]),
    shown,
  );
});
