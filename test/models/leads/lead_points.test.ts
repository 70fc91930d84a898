/** Points of leads for the kind of property, the opening bid, the days to a sale and the months of a delinquency. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, CUYAHOGA, debtRow, saleRow, type Built, type InputRow } from '../build_models.ts';

const sale = (name: string, row: InputRow): InputRow =>
  saleRow(name, {
    street: `${[...name].reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), 0) % 9999} ELM ST`,
    city: 'CLEVELAND',
    sale_date: '2026-12-11',
    ...row,
  });
const debt = (number: number, row: InputRow): InputRow =>
  debtRow(`100-${number}`, { street: `${number} OAK ST`, zip: '44102', amount: '5000.00', ...row });

type Parts = Readonly<Record<string, number>>;
const partsOf = (lead: Record<string, unknown>): Parts => JSON.parse(String(lead['score_parts'])) as Parts;
const reasonOf = (lead: Record<string, unknown>, part: string): string | undefined =>
  (JSON.parse(String(lead['score_rationale'])) as Record<string, string>)[part];

/** Opening bids and the points for the gap. */
const GAPS: Readonly<Record<string, readonly [row: InputRow, points: number, reason: RegExp]>> = {
  DERIVED: [{}, 20, /is 33\.33% below the appraisal/],
  TWOTHIRDS: [{ opening_bid: '60000.00' }, 20, /is 33\.33% below the appraisal/],
  ABOVE: [{ opening_bid: '120000.00' }, 0, /is above the appraisal, so one of the two is in doubt/],
  MISMATCH: [{ opening_bid: '9000.00' }, 0, /is not the two thirds of the appraisal that the law sets/],
  ABSENT: [{ sale_kind: 'tax_foreclosure', sale_round: null }, 0, /the opening bid is unknown/],
  UNAPPRAISED: [{ appraised_value: null, opening_bid: '9000.00' }, 0, /the appraisal is unknown/],
  TAX: [{ sale_kind: 'tax_foreclosure', sale_round: null, opening_bid: '9000.00' }, 30, /is 90\.00% below/],
  SECOND: [{ sale_round: 2 }, 0, /a second sale has no two-thirds minimum/],
  SECONDLOW: [{ sale_round: 2, opening_bid: '9000.00' }, 20, /is 90\.00% below the appraisal/],
};

/** A tax deed sale of a Florida clerk, who has nothing appraised. */
const CLERK = {
  county_fips: '12031',
  county: 'Duval County, FL',
  state: 'FL',
  auction_type: 'tax_deed_sale',
  item_id: '1',
  sale_kind: 'tax_foreclosure',
  sale_round: null,
  appraised_value: null,
  assessed_value: '60000.00',
  opening_bid: '9000.00',
};

/** Days of sales and the points for urgency. */
const DAYS: readonly (readonly [day: string, points: number, reason: string])[] = [
  ['2026-11-21', 5, 'the sale is today, on 2026-11-21: a letter may arrive too late'],
  ['2026-11-28', 5, 'the sale is in 7 days, on 2026-11-28: a letter may arrive too late'],
  ['2026-11-29', 15, 'the sale is in 8 days, on 2026-11-29: a letter leaves the owner few days'],
  ['2026-12-06', 25, 'the sale is in 15 days, on 2026-12-06'],
  ['2026-12-21', 25, 'the sale is in 30 days, on 2026-12-21'],
  ['2026-12-22', 12, 'the sale is in 31 days, on 2026-12-22'],
  ['2027-03-01', 5, 'the sale is in 100 days, on 2027-03-01'],
];

/** Classes that the reference table does not have, or that a county does not publish. */
const UNKNOWN: Readonly<Record<string, string | null>> = { class_not_mapped: 'CASTLE', not_published_by_county: null };

const RULES = parse(readFileSync(new URL('../../../models/reference/property_classes.csv', import.meta.url)), {
  columns: true,
}) as Record<'example' | 'property_kind', string>[];

let built: Built;
before(async () => {
  built = await buildTables(
    {
      staged_sheriff_sale: [
        ...Object.entries(GAPS).map(([name, [row]]) => sale(name, row)),
        ...DAYS.map(([sale_date], i) => sale(`DAY${i}`, { sale_date })),
        sale('CLERK', CLERK),
        sale('LISTED', { parcel_raw: '100-1' }),
        sale('LAYER', { parcel_raw: '900-1' }),
        sale('NEITHER', { parcel_raw: '900-2' }),
      ],
      staged_tax_parcel: [
        debt(1, { property_class: '2-FAMILY PLATTED LOT' }),
        ...RULES.map(({ example }, i) => debt(200 + i, { property_class: example })),
        ...Object.values(UNKNOWN).map((property_class, i) => debt(300 + i, { property_class })),
      ],
      staged_parcel: [{ ...CUYAHOGA, source: 'layer', parcel_raw: '900-1', property_class: '401' }],
    },
    ['leads', 'auctions', 'signals'],
    LISTINGS,
  );
});
after(() => built.close());

describe('leads of uw-2026.3', () => {
  const saleLead = (name: string) => built.one('leads', `case_number = '${name}'`);
  const kindOf = (row: Record<string, unknown>) => [row['property_kind'], row['property_kind_basis']];

  it('pass every audit', () => assert.deepEqual(built.failed, []));

  for (const [name, [, points, reason]] of Object.entries(GAPS))
    it(`a bid that is ${name} earns ${points} points for the gap`, async () => {
      const lead = await saleLead(name);
      assert.equal(partsOf(lead)['equity_gap'], points);
      assert.match(reasonOf(lead, 'equity_gap') ?? '', reason);
    });

  it("a clerk's sale is named by its kind, and earns nothing for a gap without an appraisal", async () => {
    const lead = await saleLead('CLERK');
    assert.match(reasonOf(lead, 'base') ?? '', /^\+15 points, a tax deed sale is set$/);
    assert.match((await saleLead('TAX'))['score_rationale'] as string, /a sheriff sale is set/);
    assert.equal(partsOf(lead)['equity_gap'], 0);
    assert.match(reasonOf(lead, 'equity_gap') ?? '', /the page prints no appraisal for this sale/);
    assert.deepEqual(
      [lead['auction_type'], lead['opening_bid'], lead['statute_ref']],
      ['tax_deed_sale', '9000.00', 'Fla. Stat. 197.502(6)'],
    );
  });

  it('a second sale is never better than a first sale of the same appraisal', async () => {
    const first = Number((await saleLead('DERIVED'))['lead_score']);
    for (const name of ['SECOND', 'SECONDLOW']) assert.ok(Number((await saleLead(name))['lead_score']) <= first, name);
  });

  for (const [i, [day, points, reason]] of DAYS.entries())
    it(`a sale on ${day} earns ${points} points for urgency`, async () =>
      assert.equal(reasonOf(await saleLead(`DAY${i}`), 'urgency'), `+${points} points, ${reason}`));

  it('each rule of the reference table gives its example the kind that it states', async () => {
    const found = await Promise.all(
      RULES.map(async (_, i) => (await built.one('signals', `parcel_id = '100-${200 + i}'`))['property_kind']),
    );
    assert.deepEqual(
      found,
      RULES.map(({ property_kind: kind }) => kind),
    );
  });

  it('an unknown kind states its reason', async () => {
    for (const [i, [basis]] of Object.entries(UNKNOWN).entries())
      assert.deepEqual(kindOf(await built.one('signals', `parcel_id = '100-${300 + i}'`)), ['unknown', basis]);
    const tooBroad = await built.one('signals', "property_class = 'R'");
    assert.deepEqual(kindOf(tooBroad), ['unknown', 'class_too_broad']);
    assert.deepEqual(kindOf(await saleLead('DERIVED')), ['unknown', 'no_parcel_number']);
    assert.deepEqual(kindOf(await saleLead('NEITHER')), ['unknown', 'not_published_by_county']);
  });

  it('a sale has the class of its parcel from the tax list, else from the parcel layer', async () => {
    const [listed, layer] = [await saleLead('LISTED'), await saleLead('LAYER')];
    assert.deepEqual(
      [listed['property_class'], ...kindOf(listed)],
      ['2-FAMILY PLATTED LOT', 'two_to_four', 'county_class'],
    );
    assert.deepEqual([layer['property_class'], ...kindOf(layer)], ['401', 'five_up', 'county_class']);
    assert.equal(reasonOf(layer, 'property_kind'), '+10 points, it is an apartment building');
  });

  it('land without a building scores below any home', async () => {
    const points = async (kind: string): Promise<number> => {
      const [lead = {}] = await built.rows('leads', `property_kind = '${kind}' AND signal_id IS NOT NULL`);
      return Number(lead['lead_score']);
    };
    const [lot, unknown, home] = [await points('vacant_lot'), await points('unknown'), await points('one_family')];
    const [small, large] = [await points('two_to_four'), await points('five_up')];
    assert.ok(lot < unknown && unknown < home && home < small && small === large, `${lot} ${unknown} ${home} ${small}`);
  });
});

describe('the change of year', () => {
  const [LAST_DAY, NEW_YEAR] = ['2026-12-31', '2027-01-01'];

  /** Scores by address on a day, of delinquencies certified in each of eight years and of a sale. */
  async function scoresOn(day: string): Promise<readonly unknown[]> {
    const read = { observed_at: `${day}T09:00:00Z` };
    const days = await buildTables(
      {
        run: [{ as_of: day, observed_at: `${day}T12:00:00Z`, assumption_set_id: currentAssumptions().id }],
        staged_tax_parcel: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => debt(i + 1, { ...read, certified_year: 2019 + i })),
        staged_sheriff_sale: [sale('S', { ...read, sale_date: '2027-01-20' })],
      },
      ['leads'],
      LISTINGS,
    );
    try {
      return (await days.rows('leads')).map((lead) => [lead['address'], lead['lead_score']]).sort();
    } finally {
      days.close();
    }
  }

  it('no score moves from 31 December to 1 January', async () => {
    const scores = await scoresOn(LAST_DAY);
    assert.equal(scores.length, 9);
    assert.deepEqual(await scoresOn(NEW_YEAR), scores);
  });
});
