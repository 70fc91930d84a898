/** Which public records say that a building is condemned, vacant or has a serious fault, and for how long. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildTables, CUYAHOGA, listingRow, recordRow, type Built, type InputRow } from '../build_models.ts';

const TODAY = { source_url: 'https://city.example/list' };

interface Case {
  readonly name: string;
  /** Records at the address of the deal, unless they name another. */
  readonly records: readonly (readonly [type: string, given?: InputRow])[];
  readonly expected: string;
  readonly on?: string;
  /** How a record matches that is a candidate only. */
  readonly candidate?: string;
}

/** The day of the snapshot is 2026-11-21. */
const CASES: readonly Case[] = [
  { name: 'without a record have none', records: [], expected: 'none' },
  {
    name: 'condemned since a day have the record, its day and its page',
    records: [['condemned', { filed_on: '2026-10-01' }]],
    expected: 'condemned',
    on: '2026-10-01',
  },
  {
    name: 'registered as vacant three years ago to the day are vacant',
    records: [['vacant_building', { filed_on: '2023-11-21' }]],
    expected: 'vacant_building',
    on: '2023-11-21',
  },
  {
    name: 'registered as vacant three years and one day ago are not',
    records: [['vacant_building', { filed_on: '2023-11-20' }]],
    expected: 'none',
  },
  {
    name: 'registered long ago, with an event since, are vacant',
    records: [['vacant_building', { filed_on: '2019-01-01', last_activity_on: '2024-01-01' }]],
    expected: 'vacant_building',
    on: '2019-01-01',
  },
  {
    name: 'condemned long ago are condemned as long as the list says so',
    records: [['condemned', { filed_on: '2015-01-01', state_raw: 'Yes' }]],
    expected: 'condemned',
    on: '2015-01-01',
  },
  {
    name: 'condemned long ago are not if the meaning of the state is unknown',
    records: [['condemned', { filed_on: '2015-01-01', state_raw: 'Inspected', record_state: 'unknown' }]],
    expected: 'none',
  },
  {
    name: 'whose registration the list calls closed are not vacant',
    records: [['vacant_building', { filed_on: '2026-10-01', state_raw: 'Closed', record_state: 'closed' }]],
    expected: 'none',
  },
  {
    name: 'registered without a day are vacant while the list has them',
    records: [['vacant_building']],
    expected: 'vacant_building',
  },
  {
    name: 'in a range of numbers of the record are not matched',
    records: [['condemned', { street: '108-112 OAK ST', filed_on: '2026-10-01' }]],
    expected: 'none',
    candidate: 'address_range',
  },
  {
    name: 'of a record without a ZIP are not matched',
    records: [['condemned', { zip: null, filed_on: '2026-10-01' }]],
    expected: 'none',
    candidate: 'address_exact_place_unknown',
  },
  {
    name: 'whose parcel the record names without an address are matched by the parcel',
    records: [['condemned', { street: null, zip: null, parcel_raw: '001-01-012', filed_on: '2026-10-02' }]],
    expected: 'condemned',
    on: '2026-10-02',
  },
  {
    name: 'which a code case orders to be vacated are to be vacated',
    records: [['code_violation', { description: 'Order to VACATE the premises', filed_on: '2026-09-09' }]],
    expected: 'order_to_vacate',
    on: '2026-09-09',
  },
  {
    name: 'with a vacation of a street in a case are not',
    records: [['code_violation', { description: 'Vacated alley overgrown' }]],
    expected: 'none',
  },
  {
    name: 'with a code case on a roof have a serious case',
    records: [['code_violation', { description: 'Housing: Roof in disrepair', filed_on: '2026-08-08' }]],
    expected: 'code_case',
    on: '2026-08-08',
  },
  {
    name: 'with a code case on weeds have none',
    records: [['code_violation', { description: 'High grass and weeds' }]],
    expected: 'none',
  },
  {
    name: 'with a fine for a roof, which is no case, have none',
    records: [['blight_judgment', { description: 'Roof in disrepair', amount: '250.00', amount_basis: 'balance_due' }]],
    expected: 'none',
  },
  {
    name: 'with several records have the gravest, and of those the newest',
    records: [
      ['code_violation', { description: 'Unsafe stairs', filed_on: '2026-11-11' }],
      ['vacant_building', { filed_on: '2026-11-10' }],
      ['condemned', { filed_on: '2026-01-01', record_number: 'OLD' }],
      ['condemned', { filed_on: '2026-02-02', record_number: 'NEW' }],
    ],
    expected: 'condemned',
    on: '2026-02-02',
  },
];

/** The tenth case is at 110 Oak St. */
const streetOf = (i: number): string => `${101 + i} OAK ST`;

describe('deals', () => {
  let built: Built;
  const dealAt = (i: number): Promise<Record<string, unknown>> => built.one('deals', `listing_id = 'L${i}'`);
  before(async () => {
    built = await buildTables(
      {
        staged_listing: CASES.map((_, i) => listingRow(`L${i}`, { street: streetOf(i) })),
        staged_parcel: CASES.map((_, i) => ({
          ...CUYAHOGA,
          source: 'layer',
          parcel_raw: `001-01-${String(i + 1).padStart(3, '0')}`,
          street: streetOf(i),
          city: 'CLEVELAND',
          zip: '44102',
        })),
        staged_distress_record: CASES.flatMap(({ records }, i) =>
          records.map(([type, given], n) =>
            recordRow(type, `R${i}-${n}`, { ...TODAY, street: streetOf(i), zip: '44102', ...given }),
          ),
        ),
      },
      ['deals'],
    );
  });
  after(() => built.close());

  for (const [i, { name, expected, on = null, candidate }] of CASES.entries())
    it(name, async () => {
      const deal = await dealAt(i);
      assert.deepEqual([deal['condition_record'], deal['condition_record_on']], [expected, on]);
      assert.equal(deal['condition_record_url'], expected === 'none' ? null : TODAY.source_url);
      if (candidate !== undefined) assert.ok(String(deal['distress_candidates']).includes(`"${candidate}"`));
    });

  it('pass every audit', () => assert.deepEqual(built.failed, []));
});

describe('a record that the newest list lacks', () => {
  const RECORD = { zip: '44102', filed_on: '2026-10-01' };
  const LISTED = { observed_at: '2026-11-22T09:00:00Z', street: '900 ELM ST', zip: '44102' };
  /** By source: its record of yesterday, and when its newest list was read in full. */
  const SOURCES = [
    { source: 'read_today', street: '101 OAK ST', last_good_at: '2026-11-22T09:00:00Z', expected: 'none' },
    { source: 'not_read', street: '102 OAK ST', last_good_at: '2026-11-21T09:00:00Z', expected: 'condemned' },
  ];
  const conditions = new Map<unknown, unknown>();
  before(async () => {
    const tables = async (given: Readonly<Record<string, readonly InputRow[]>>): Promise<Built> =>
      buildTables({ staged_listing: SOURCES.map(({ source, street }) => listingRow(source, { street })), ...given }, [
        'deals',
        'signals',
      ]);
    const first = await tables({
      staged_distress_record: SOURCES.map(({ source, street }) =>
        recordRow('condemned', `${source} 1`, { ...RECORD, source, street }),
      ),
    });
    const previous_signals = await first.rows('signals');
    first.close();
    const built = await tables({
      previous_signals,
      source_reads: SOURCES.map(({ source, last_good_at }) => ({ source, last_good_at })),
      staged_distress_record: SOURCES.map(({ source }) => recordRow('condemned', `${source} 2`, { ...LISTED, source })),
    });
    for (const deal of await built.rows('deals')) conditions.set(deal['listing_id'], deal['condition_record']);
    built.close();
  });

  it('is no longer in force once a newer list was read in full, and until then it is', () =>
    assert.deepEqual(
      SOURCES.map(({ source }) => conditions.get(source)),
      SOURCES.map(({ expected }) => expected),
    ));
});
