/** Points of leads for the kind of property, the equity, the days to a sale and the months of a delinquency. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, CUYAHOGA, debtRow, recordRow, saleRow, type Built, type InputRow } from '../build_models.ts';

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

const TAX_SALE = { sale_kind: 'tax_foreclosure', sale_round: null, appraised_value: null };
/** A foreclosure of a Florida clerk, who prints the judgment and the value on the roll. */
const CLERK = {
  county_fips: '12031',
  county: 'Duval County, FL',
  state: 'FL',
  auction_type: 'foreclosure_sale',
  sale_kind: 'unknown',
  sale_round: null,
  appraised_value: null,
  judgment_amount: '90000.00',
  assessed_value: '120000.00',
};
const TAX_DEED = { ...CLERK, auction_type: 'tax_deed_sale', judgment_amount: null, opening_bid: '9000.00' };
/** Further records of the clerk's property, and of a parcel with a sale by the sheriff of Cuyahoga County. */
const lien = (number: string, amount: string, row: InputRow = {}): InputRow =>
  recordRow('tax_lien', number, { ...DUVAL, parcel_raw: '000101-0000', amount, amount_basis: 'lien', ...row });
const DUVAL = { county_fips: '12031', county: 'Duval County, FL' };

/** Sales by name, the points for their equity, and the reason. */
const EQUITY: Readonly<Record<string, readonly [row: InputRow, points: number, reason: string]>> = {
  TWOTHIRDS: [{ opening_bid: '60000.00' }, 4, 'the equity is unknown: no page prints the judgment'],
  SECOND: [{ sale_round: 2 }, 4, 'the equity is unknown: no page prints the judgment'],
  UNAPPRAISED: [{ appraised_value: null }, 4, 'the equity is unknown: no page prints the judgment'],
  JUDGMENT: [CLERK, 8, 'the judgment, $90,000, leaves 25.00% of the assessed value of $120,000'],
  WHOLE: [
    { ...CLERK, judgment_amount: '120000.00' },
    0,
    'the judgment, $120,000, leaves nothing of the assessed value',
  ],
  ABOVE: [
    { ...CLERK, judgment_amount: '400000.00' },
    0,
    'the judgment, $400,000, leaves nothing of the assessed value',
  ],
  VALUELESS: [{ ...CLERK, assessed_value: null }, 4, '$90,000 is owed, and no page prints the value'],
  APPRAISED: [{ ...CLERK, appraised_value: '100000.00' }, 3, 'the judgment, $90,000, leaves 10.00% of the appraisal'],
  LIENS: [
    { ...CLERK, parcel_raw: '000101-0000' },
    5,
    'the judgment and unpaid taxes, $102,000, leaves 15.00% of the assessed value',
  ],
  DEED: [TAX_DEED, 28, 'the minimum bid for unpaid taxes, $9,000, leaves 92.50% of the assessed value of $120,000'],
  DEEDTAXED: [
    { ...TAX_DEED, parcel_raw: '000102-0000' },
    28,
    'the minimum bid for unpaid taxes, $9,000, leaves 92.50%',
  ],
  DEEDVALUELESS: [{ ...TAX_DEED, assessed_value: null }, 10, '$9,000 is owed, and no page prints the value'],
  TAXES: [
    { ...TAX_SALE, parcel_raw: '100-2' },
    27,
    "unpaid taxes on the county's list, $5,000, leaves 90.00% of the county",
  ],
  TAXESUNKNOWN: [TAX_SALE, 10, 'the equity is unknown: no list prints the taxes'],
};

/** Days of sales and the points for urgency. */
const DAYS: readonly (readonly [day: string, points: number, reason: string])[] = [
  ['2026-11-21', 5, 'the sale is today, on 2026-11-21: a letter may arrive too late'],
  ['2026-11-28', 5, 'the sale is in 7 days, on 2026-11-28: a letter may arrive too late'],
  ['2026-11-29', 15, 'the sale is in 8 days, on 2026-11-29: a letter leaves the owner few days'],
  ['2026-12-05', 15, 'the sale is in 14 days, on 2026-12-05: a letter leaves the owner few days'],
  ['2026-12-06', 25, 'the sale is in 15 days, on 2026-12-06'],
  ['2026-12-21', 25, 'the sale is in 30 days, on 2026-12-21'],
  ['2026-12-22', 12, 'the sale is in 31 days, on 2026-12-22'],
  ['2027-01-20', 12, 'the sale is in 60 days, on 2027-01-20'],
  ['2027-01-21', 5, 'the sale is in 61 days, on 2027-01-21'],
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
        ...Object.entries(EQUITY).map(([name, [row]]) => sale(name, { item_id: name, ...row })),
        ...DAYS.map(([sale_date], i) => sale(`DAY${i}`, { sale_date })),
        sale('LISTED', { parcel_raw: '100-1' }),
        sale('LAYER', { parcel_raw: '900-1' }),
        sale('NEITHER', { parcel_raw: '900-2' }),
      ],
      staged_tax_parcel: [
        debt(1, { property_class: '2-FAMILY PLATTED LOT' }),
        debt(2, { county_value: '50000.00' }),
        debt(3, { amount: '30000.00', county_value: '50000.00' }),
        debt(4, { amount: '45000.00', county_value: '50000.00' }),
        debt(5, { amount: '50000.00', county_value: '50000.00' }),
        debt(6, { amount: '90000.00', county_value: '50000.00' }),
        debtRow('000101-0000', { ...DUVAL, street: '9 OAK ST', amount: '7000.00' }),
        ...RULES.map(({ example }, i) => debt(200 + i, { property_class: example })),
        ...Object.values(UNKNOWN).map((property_class, i) => debt(300 + i, { property_class })),
      ],
      staged_distress_record: [
        lien('1', '5000.00'),
        lien('2', '7000.00'),
        lien('3', '3000.00', { record_state: 'closed' }),
        lien('4', '3000.00', { parcel_raw: '000102-0000' }),
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

  for (const [name, [, points, reason]] of Object.entries(EQUITY))
    it(`a sale that is ${name} earns ${points} points for its equity`, async () => {
      const found = reasonOf(await saleLead(name), 'equity_gap') ?? '';
      assert.ok(found.startsWith(`+${points} points, ${reason}`), found);
    });

  it('a debt near the whole value of a parcel earns less, and one above it nothing', async () => {
    const found = [2, 3, 4, 5, 6].map(async (number) => {
      const lead = await built.one('leads', `parcel_id = '100-${number}' AND signal_id IS NOT NULL`);
      return [lead['amount_to_value_pct'], partsOf(lead)['amount_to_value']];
    });
    assert.deepEqual(await Promise.all(found), [
      ['10.00', 12],
      ['60.00', 25],
      ['90.00', 6],
      ['100.00', 0],
      ['180.00', 0],
    ]);
  });

  it("a clerk's sale is named by its kind", async () => {
    assert.equal(reasonOf(await saleLead('DEED'), 'base'), '+15 points, a tax deed sale is set');
    assert.equal(reasonOf(await saleLead('TAXES'), 'base'), '+15 points, a sheriff sale is set');
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
    assert.deepEqual(kindOf(await saleLead('TWOTHIRDS')), ['unknown', 'no_parcel_number']);
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
      const [lead = {}] = await built.rows(
        'leads',
        `property_kind = '${kind}' AND amount = 5000 AND county_value IS NULL`,
      );
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
