/** How a public record matches a listing, what it scores, and which kinds are read there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RECORD_KINDS } from '../../../models/fields.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { buildTables, debtRow, listingRow, recordRow, saleRow, builtBefore, type InputRow } from '../build_models.ts';

const DUVAL = { county_fips: '12031', county: 'Duval County, FL' };
const JACKSONVILLE = { city: 'Jacksonville', zip: '32206', state: 'FL' };
const COUNTIES_OF_ADDRESS = { city: 'CLEVELAND', zip: '44102' };

interface Case {
  readonly listing: InputRow;
  /** Records by kind: debt, sale, or a kind of signal. The address is that of the listing unless they state another. */
  readonly records: readonly (readonly [kind: string, row: InputRow])[];
  readonly matches?: readonly string[];
  readonly candidates?: readonly string[];
  readonly score?: number;
  readonly status?: string;
}

/** A debt is 1 % of the price: 40 points, and 4 for that. Of records that match, only debts and sales score. */
const CASES: Readonly<Record<string, Case>> = {
  'other spelling': {
    listing: { street: '1200 N. Linden Avenue' },
    records: [['debt', { street: '1200 NORTH LINDEN AVE' }]],
    matches: ['tax_delinquent address_exact'],
    score: 44,
  },
  'another street suffix is no match': {
    listing: { street: '1252 Linden Ave' },
    records: [['debt', { street: '1252 LINDEN ST' }]],
    status: 'partly_covered',
  },
  'a debt without a ZIP does not match outside its county': {
    listing: { street: '1262 Linden Ave', zip: '45202' },
    records: [['debt', { zip: null, city: null }]],
    status: 'county_not_covered',
  },
  'a listing with a hidden street has an unknown address': {
    listing: { street: null, zip: '44104' },
    records: [['debt', { street: '1266 LINDEN AVE', zip: '44104' }]],
    status: 'address_unknown',
  },
  'several debts of one property count with their sum': {
    listing: { street: '1290 Linden Ave' },
    records: ['1000.00', '3000.00', '2000.00'].map((amount) => ['debt', { amount }] as const),
    matches: ['tax_delinquent address_exact', 'tax_delinquent address_exact', 'tax_delinquent address_exact'],
    score: 52,
  },
  'a sale in 30 days earns 60 points': {
    listing: { street: '1310 Linden Ave' },
    records: [['sale', { sale_date: '2026-12-21' }]],
    matches: ['sheriff_sale address_exact'],
    score: 60,
  },
  'a sale in 31 days earns 40 points': {
    listing: { street: '1320 Linden Ave' },
    records: [['sale', { sale_date: '2026-12-22' }]],
    matches: ['sheriff_sale address_exact'],
    score: 40,
  },
  'a sale of any kind is a sale': {
    listing: { street: '1 Palm St', ...JACKSONVILLE },
    records: [['sale', { ...DUVAL, auction_type: 'foreclosure_sale', sale_kind: 'unknown', sale_round: null }]],
    matches: ['foreclosure_sale address_exact'],
    score: 60,
  },
  'other kinds score nothing, and a closed record matches nothing': {
    listing: { street: '1 Oak St' },
    records: [
      ['vacant_building', {}],
      ['code_violation', { filed_on: '2026-10-05' }],
      ['condemned', { record_state: 'closed' }],
    ],
    matches: ['code_violation address_exact', 'vacant_building address_exact'],
  },
  'a debt and its lien are one event': {
    listing: { street: '3 Oak St' },
    records: [
      ['debt', {}],
      ['tax_lien', { amount: '900.00', amount_basis: 'lien' }],
    ],
    matches: ['tax_delinquent address_exact', 'tax_lien address_exact'],
    score: 44,
  },
  'a case in an apartment is only a candidate for the building': {
    listing: { street: '4 Oak St' },
    records: [['code_violation', { street: '4 OAK ST # 3' }]],
    candidates: ['code_violation address_without_unit'],
  },
  'the address of a case is not the address of a debt': {
    listing: { street: '6 Oak St' },
    records: [
      ['debt', { street: null, parcel_raw: '100-0006-000' }],
      ['code_violation', { parcel_raw: '100-0006-000' }],
    ],
    matches: ['code_violation address_exact'],
  },
  'the apartment of a case does not make the building a condominium': {
    listing: { street: '7 Oak St' },
    records: [
      ['debt', { parcel_raw: '100-0007-000' }],
      ['code_violation', { street: '7 OAK ST UNIT 3', parcel_raw: '100-0007-000' }],
    ],
    matches: ['code_violation parcel_exact', 'tax_delinquent address_exact'],
    score: 44,
  },
  'another city is only partly covered if the list is of one city': {
    listing: { street: '9 Oak St', city: 'Parma', zip: '44129' },
    records: [],
    status: 'partly_covered',
  },
  'a covered listing without a record has none found': {
    listing: { street: '8 Pine St', city: 'Milwaukee', state: 'WI', zip: '53206' },
    records: [],
    status: 'none_found',
  },
};
const reads = (source: string, county_fips: string, covered_kinds: string, given: InputRow = {}): InputRow => ({
  source,
  county_fips,
  covered_kinds,
  last_good_at: '2026-11-21T09:00:00Z',
  ...given,
});

/** The table of a kind, and its row. */
function recordOf(kind: string, id: string, row: InputRow): readonly [table: string, row: InputRow] {
  if (kind === 'debt') return ['staged_tax_parcel', debtRow(id, row)];
  if (kind === 'sale') return ['staged_auction', saleRow(id, row)];
  return ['staged_distress_record', recordRow(kind, id, row)];
}

describe('records and listings', () => {
  const built = builtBefore(async () => {
    const rows = Object.values(CASES).flatMap(({ listing, records }, i) =>
      records.map(([kind, row], n) => recordOf(kind, `P${i}-${n}`, { ...COUNTIES_OF_ADDRESS, ...listing, ...row })),
    );
    const tables = Map.groupBy(rows, ([table]) => table);
    return buildTables(
      {
        ...Object.fromEntries([...tables].map(([table, of]) => [table, of.map(([, row]) => row)])),
        source_reads: [
          reads('tax', '39035', 'tax_delinquent', { family: 'tax' }),
          reads('city', '39035', 'vacant_building, code_violation', { covered_city: 'Cleveland' }),
          reads('never', '39035', 'tax_lien', { last_good_at: null }),
          reads('clerk', '12031', 'foreclosure_sale'),
          reads('milwaukee', '55079', 'tax_delinquent, foreclosure_sale'),
        ],
        staged_listing: Object.values(CASES).map(({ listing }, i) => listingRow(`L${i}`, listing)),
      },
      ['deals'],
    );
  });

  for (const [i, [name, { matches = [], candidates = [], score = 0, status }]] of Object.entries(CASES).entries())
    it(name, async () => {
      const deal = await built.one('deals', `listing_id = 'L${i}'`);
      const shown = (column: string): string[] =>
        (JSON.parse(String(deal[column])) as { kind: string; match_basis: string }[])
          .map(({ kind, match_basis }) => `${kind} ${match_basis}`)
          .sort();
      assert.deepEqual(
        [shown('distress_matches'), shown('distress_candidates'), deal['distress_score']],
        [matches, candidates, score],
      );
      if (status !== undefined || matches.length > 0) assert.equal(deal['distress_status'], status ?? 'matched');
    });

  it('state the coverage of each kind by the county and city of the listing', async () => {
    const coverageOf = async (name: string): Promise<unknown[]> => {
      const deal = await built.one('deals', `listing_id = 'L${Object.keys(CASES).indexOf(name)}'`);
      const coverage = JSON.parse(String(deal['distress_coverage'])) as Record<string, string>;
      assert.deepEqual(Object.keys(coverage), RECORD_KINDS);
      Deal.schema.shape.distress_coverage.parse(coverage);
      return ['tax_delinquent', 'vacant_building', 'tax_lien'].map((kind) => coverage[kind]);
    };
    const none = 'county_not_covered';
    assert.deepEqual(await coverageOf('other spelling'), ['covered', 'covered', none]);
    assert.deepEqual(await coverageOf('another city is only partly covered if the list is of one city'), [
      'covered',
      'partly_covered',
      none,
    ]);
    assert.deepEqual(await coverageOf('a debt without a ZIP does not match outside its county'), [none, none, none]);
  });
});
