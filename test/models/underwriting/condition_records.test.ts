/** Which public records say that a building is condemned, vacant or has a serious fault, and for how long. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  buildTables,
  CUYAHOGA,
  listingRow,
  recordRow,
  builtBefore,
  type Built,
  type InputRow,
} from '../build_models.ts';

const TODAY = { source_url: 'https://city.example/list' };

const since = (filed_on: string, given: InputRow = {}): InputRow => ({ filed_on, ...given });
const about = (description: string): InputRow => ({ description });

type Records = readonly (readonly [type: string, given?: InputRow])[];
const VACANT = 'vacant_building';
const CASE = 'code_violation';

/** What records at the address of a deal say of its condition on 2026-11-21, the day of that, and a weaker match. */
const CASES: readonly (readonly [name: string, Records, expected: string, on?: string | null, candidate?: string])[] = [
  ['without a record have none', [], 'none'],
  ['condemned on a day have that day and page', [['condemned', since('2026-10-01')]], 'condemned', '2026-10-01'],
  ['registered as vacant three years ago to the day are vacant', [[VACANT, since('2023-11-21')]], VACANT, '2023-11-21'],
  ['registered as vacant three years and one day ago are not', [[VACANT, since('2023-11-20')]], 'none'],
  [
    'registered long ago, with an event since, are vacant',
    [[VACANT, since('2019-01-01', { last_activity_on: '2024-01-01' })]],
    VACANT,
    '2019-01-01',
  ],
  [
    'condemned long ago are condemned as long as the list says so',
    [['condemned', since('2015-01-01', { state_raw: 'Yes' })]],
    'condemned',
    '2015-01-01',
  ],
  [
    'condemned long ago are not if the meaning of the state is unknown',
    [['condemned', since('2015-01-01', { state_raw: 'Inspected', record_state: 'unknown' })]],
    'none',
  ],
  [
    'whose registration the list calls closed are not vacant',
    [[VACANT, since('2026-10-01', { state_raw: 'Closed', record_state: 'closed' })]],
    'none',
  ],
  ['registered without a day are vacant while the list has them', [[VACANT]], VACANT],
  [
    'whose number is in a range of the record are not matched',
    [['condemned', since('2026-10-01', { street: '108-112 OAK ST' })]],
    'none',
    null,
    'address_range',
  ],
  [
    'of a record without a ZIP are not matched',
    [['condemned', since('2026-10-01', { zip: null })]],
    'none',
    null,
    'address_exact_place_unknown',
  ],
  [
    'whose parcel the record names without an address are matched by the parcel',
    [['condemned', since('2026-10-02', { street: null, zip: null, parcel_raw: '001-01-012' })]],
    'condemned',
    '2026-10-02',
  ],
  ['whose case orders to vacate have that order', [[CASE, about('Order to VACATE it')]], 'order_to_vacate'],
  ['whose case vacates an alley have no such order', [[CASE, about('Vacated alley overgrown')]], 'none'],
  ['with a code case on a roof have a serious case', [[CASE, about('Housing: Roof in disrepair')]], 'code_case'],
  ['with a code case on weeds have none', [[CASE, about('High grass and weeds')]], 'none'],
  [
    'with a fine for a roof, but no case, have none',
    [['blight_judgment', { ...about('Roof in disrepair'), amount: '250.00', amount_basis: 'balance_due' }]],
    'none',
  ],
  [
    'with several records have the most severe, and of those the newest',
    [
      [CASE, since('2026-11-11', about('Unsafe stairs'))],
      [VACANT, since('2026-11-10')],
      ['condemned', since('2026-01-01', { record_number: 'OLD' })],
      ['condemned', since('2026-02-02', { record_number: 'NEW' })],
    ],
    'condemned',
    '2026-02-02',
  ],
];

/** The tenth case is at 110 Oak St. */
const streetOf = (i: number): string => `${101 + i} OAK ST`;

describe('deals', () => {
  const dealAt = (i: number): Promise<Record<string, unknown>> => built.one('deals', `listing_id = 'L${i}'`);
  const built = builtBefore(() =>
    buildTables(
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
        staged_distress_record: CASES.flatMap(([, records], i) =>
          records.map(([type, given], n) =>
            recordRow(type, `R${i}-${n}`, { ...TODAY, street: streetOf(i), zip: '44102', ...given }),
          ),
        ),
      },
      ['deals'],
    ),
  );

  for (const [i, [name, , expected, on = null, candidate]] of CASES.entries())
    it(name, async () => {
      const deal = await dealAt(i);
      assert.deepEqual([deal['condition_record'], deal['condition_record_on']], [expected, on]);
      assert.equal(deal['condition_record_url'], expected === 'none' ? null : TODAY.source_url);
      if (candidate !== undefined) assert.ok(String(deal['distress_candidates']).includes(`"${candidate}"`));
    });
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
    using first = await tables({
      staged_distress_record: SOURCES.map(({ source, street }) =>
        recordRow('condemned', `${source} 1`, { ...RECORD, source, street }),
      ),
    });
    const previous_signals = await first.rows('signals');
    using built = await tables({
      previous_signals,
      source_reads: SOURCES.map(({ source, last_good_at }) => ({ source, last_good_at })),
      staged_distress_record: SOURCES.map(({ source }) => recordRow('condemned', `${source} 2`, { ...LISTED, source })),
    });
    for (const deal of await built.rows('deals')) conditions.set(deal['listing_id'], deal['condition_record']);
  });

  it('is no longer in force once a newer list was read in full, and until then it is', () =>
    assert.deepEqual(
      SOURCES.map(({ source }) => conditions.get(source)),
      SOURCES.map(({ expected }) => expected),
    ));
});
