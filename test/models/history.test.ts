/**
 * What is carried from day to day: price cuts, delisting, relisting, cured debts, sales that pass, filings that
 * change. All stories are told in one series of builds, each on the snapshot of the day before, each story at a
 * house of its own.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { loadModels } from '../../models/index.ts';
import { build, type GivenRow } from './given.ts';

type Row = Record<string, unknown>;
type Family = 'listing' | 'tax_parcel' | 'sheriff_sale' | 'registration';

const DAYS = [
  '2026-08-01',
  '2026-08-02',
  '2026-11-10',
  '2026-11-12',
  '2026-11-18',
  '2026-11-19',
  '2026-11-21',
] as const;
type Day = (typeof DAYS)[number];

/** A row as a source shows it on some days. `stale` sources are read on the first day of a row alone. */
interface Shown {
  readonly family: Family;
  readonly days: readonly Day[];
  readonly row: GivenRow;
}
const at = (day: string): string => `${day}T12:00:00Z`;
const PLAIN: Readonly<Record<Family, GivenRow>> = {
  listing: {
    source: 'site',
    listing_url: 'https://site.example/',
    city: 'Cleveland',
    state: 'OH',
    zip: '44102',
    availability: 'for_sale',
    units: 4,
    list_price: '200000.00',
  },
  tax_parcel: { source: 'county', county_fips: '39035', county: 'Cuyahoga County, OH', amount: '100.00', zip: '44102' },
  sheriff_sale: {
    source: 'sheriff',
    county_fips: '39035',
    county: 'Cuyahoga County, OH',
    state: 'OH',
    status: 'scheduled',
    zip: '44102',
  },
  registration: {
    source: 'colorado_sos',
    register: 'colorado_sos',
    entity_type_raw: 'DLLC',
    business_name_raw: 'Oak Street LLC',
    filing_date: '2026-11-17',
  },
};
/** Sources that were read well on every day, and those that were read on one day and could not be read since. Retired ones are no sources any more. */
const GOOD = ['site', 'other_site', 'county', 'sheriff', 'colorado_sos'];
const STALE: Readonly<Record<string, Day>> = { stale_site: '2026-11-18', stale_county: '2026-11-12' };

const rows: Shown[] = [];
const shown = (family: Family, days: readonly Day[], row: GivenRow): void => {
  rows.push({ family, days, row });
};
const listing = (days: readonly Day[], row: GivenRow): void => shown('listing', days, row);

// Listings, one house a story
listing(['2026-11-18', '2026-11-19'], { listing_id: 'cut', street: '1 Main St' });
listing(['2026-11-21'], { listing_id: 'cut', street: '1 Main St', list_price: '190000.00' });
listing(['2026-11-18'], { listing_id: 'gone', street: '2 Main St' });
listing(['2026-11-18', '2026-11-19', '2026-11-21'], { source: 'stale_site', listing_id: 'stale', street: '3 Main St' });
listing(['2026-11-10'], { listing_id: 'back', street: '4 Main St' });
listing(['2026-11-18', '2026-11-19', '2026-11-21'], {
  listing_id: 'back',
  street: '4 Main St',
  list_price: '180000.00',
});
listing(['2026-11-10'], { listing_id: 'old-number', street: '5 Main St' });
listing(['2026-11-12', '2026-11-18', '2026-11-19', '2026-11-21'], {
  listing_id: 'new-number',
  street: '5 MAIN STREET',
  list_price: '190000.00',
});
listing(['2026-08-01'], { listing_id: 'long-ago', street: '6 Main St' });
listing(['2026-11-21'], { listing_id: 'long-ago', street: '6 Main St', list_price: '180000.00' });
listing(['2026-11-18', '2026-11-19', '2026-11-21'], { listing_id: 'two-sites', street: '7 Main St' });
listing(['2026-11-18', '2026-11-19', '2026-11-21'], {
  source: 'other_site',
  listing_id: 'X7',
  street: '7 Main Street',
  list_price: '195000.00',
});
listing(['2026-11-21'], { listing_id: 'zip', street: '8 Main St' });
listing(['2026-11-21'], { listing_id: 'zip-other', street: '8 Main St', zip: '44103' });
listing(['2026-11-21'], { listing_id: 'zip-unit', street: '8 Main St Apt 1' });
listing(['2026-11-18'], { source: 'retired_site', listing_id: 'retired', street: '9 Main St' });
// Delinquencies
shown('tax_parcel', ['2026-11-18'], {
  source: 'retired_county',
  county_fips: '39153',
  parcel_raw: '9',
  street: '29 MAIN ST',
});
shown('tax_parcel', ['2026-11-10', '2026-11-12', '2026-11-19', '2026-11-21'], {
  parcel_raw: '001-01-001',
  street: '21 MAIN ST',
});
shown('tax_parcel', ['2026-11-12', '2026-11-18', '2026-11-19', '2026-11-21'], {
  source: 'stale_county',
  county_fips: '39049',
  parcel_raw: '002',
  street: '22 MAIN ST',
});
shown('tax_parcel', ['2026-11-21'], { parcel_raw: '001-01-003', street: '23 MAIN ST', amount: '0.00' });
shown('tax_parcel', ['2026-11-21'], { parcel_raw: '001-01-004', zip: null });
shown('tax_parcel', ['2026-11-21'], { parcel_raw: '001-01-005', zip: null });
// Sheriff sales
const mortgage = (number: string, row: GivenRow): GivenRow => ({
  case_number: number,
  parcel_raw: `${number}-1`,
  street: `${number.slice(2)} MAIN ST`,
  sale_kind: 'mortgage_foreclosure',
  sale_round: 1,
  appraised_value: '90000.00',
  sale_date: '2026-11-20',
  ...row,
});
shown('sheriff_sale', ['2026-11-18', '2026-11-19'], mortgage('CV31', {}));
shown('sheriff_sale', ['2026-11-21'], mortgage('CV31', { status: 'sold', sold_amount: '70000.00' }));
shown('sheriff_sale', ['2026-11-18', '2026-11-19'], mortgage('CV32', {}));
shown('sheriff_sale', ['2026-11-18'], mortgage('CV33', {}));
shown('sheriff_sale', ['2026-11-19'], mortgage('CV34', {}));
shown('sheriff_sale', ['2026-11-21'], mortgage('CV34', { status: 'unsold' }));
shown('sheriff_sale', ['2026-11-21'], mortgage('CV34', { sale_date: '2026-12-04', sale_round: 2 }));
shown(
  'sheriff_sale',
  ['2026-11-21'],
  mortgage('CV35', { parcel_raw: '00101004', street: '24 MAIN ST', sale_date: '2026-12-04' }),
);
shown('sheriff_sale', ['2026-11-18'], mortgage('CV36', {}));
shown('sheriff_sale', ['2026-11-19'], mortgage('CV36', { status: 'postponed' }));
shown('sheriff_sale', ['2026-11-19', '2026-11-21'], mortgage('CV36', { sale_date: '2026-12-11' }));
// Filings
shown('registration', ['2026-11-18'], { document_number: '1' });
shown('registration', ['2026-11-19'], {
  document_number: '1',
  entity_status_raw: 'Delinquent',
  business_name_raw: 'Oak Street LLC, Delinquent November 18, 2026',
});
shown('registration', ['2026-11-18'], { document_number: '2' });
shown('registration', ['2026-11-19'], { document_number: '3', filing_date: '2026-11-18' });
shown('registration', ['2026-11-19'], { document_number: '4', filing_date: '2026-11-10' });

const published = new Map<Day, Record<string, Row[]>>();

before(async () => {
  const marts = (await loadModels()).filter((m) => m.contract.publish).map((m) => m.name);
  let previous: Record<string, Row[]> = {};
  for (const day of DAYS) {
    const of = (family: Family): GivenRow[] =>
      rows
        .filter((r) => r.family === family && r.days.includes(day))
        .map(({ row }) => {
          const source = String(row['source'] ?? PLAIN[family]['source']);
          return {
            source_url: `https://${source}.example/`,
            page_sha256: 'a'.repeat(64),
            observed_at: at(STALE[source] ?? day),
            ...PLAIN[family],
            ...row,
          };
        });
    const built = await build({
      run: [{ as_of: day, observed_at: at(day), assumption_set_id: 'uw-2026.1' }],
      source_reads: [...GOOD, ...Object.keys(STALE)].map((source) => ({
        source,
        every_days: 1,
        status: STALE[source] ? 'unavailable' : 'good',
        last_good_at: at(STALE[source] ?? day),
        age_days: 0,
      })),
      staged_listing: of('listing'),
      staged_tax_parcel: of('tax_parcel'),
      staged_sheriff_sale: of('sheriff_sale'),
      staged_registration: of('registration'),
      ...Object.fromEntries(marts.map((name) => [`previous_${name}`, previous[name] ?? []])),
    });
    try {
      assert.deepEqual(built.broken, [], `audits of ${day}`);
      previous = Object.fromEntries(
        await Promise.all(marts.map(async (name) => [name, await built.rows(name)] as const)),
      );
      published.set(day, previous);
    } finally {
      built.close();
    }
  }
});

/** Some columns of the one row of a table that holds on a day. */
function only(day: Day, table: string, where: GivenRow, columns: readonly string[]): unknown[] {
  const found = (published.get(day)?.[table] ?? []).filter((row) =>
    Object.entries(where).every(([k, v]) => row[k] === v),
  );
  assert.equal(found.length, 1, `rows of ${table} with ${JSON.stringify(where)} on ${day}`);
  return columns.map((c) => found[0]?.[c]);
}
const count = (day: Day, table: string, where: GivenRow): number =>
  (published.get(day)?.[table] ?? []).filter((row) => Object.entries(where).every(([k, v]) => row[k] === v)).length;
const versions = (listing_id: string): unknown[][] =>
  (published.get('2026-11-21')?.['listing_history'] ?? [])
    .filter((v) => v['listing_id'] === listing_id)
    .map((v) => [
      v['version'],
      v['change'],
      v['list_price'],
      v['is_latest'],
      String(v['version_last_seen']).slice(5, 10),
      v['gone_on'],
    ]);

describe('listings over days', () => {
  it('a price cut is measured from the first price seen, and days are counted', () => {
    const columns = [
      'list_price',
      'first_price',
      'price_reduction_pct',
      'days_on_feed',
      'motivation_price_cut',
      'listing_status',
    ];
    assert.deepEqual(only('2026-11-18', 'deals', { listing_id: 'cut' }, columns), [
      '200000.00',
      '200000.00',
      '0.00',
      0,
      0,
      'active',
    ]);
    assert.deepEqual(only('2026-11-21', 'deals', { listing_id: 'cut' }, columns), [
      '190000.00',
      '200000.00',
      '5.00',
      3,
      30,
      'active',
    ]);
    assert.deepEqual(versions('cut'), [
      [1, 'added', '200000.00', false, '11-19', null],
      [2, 'price_cut', '190000.00', true, '11-21', null],
    ]);
  });

  it('a listing that its site no longer shows is delisted, and its days stop', () => {
    const columns = ['listing_status', 'delisted_on', 'days_on_feed', 'last_verified', 'list_price'];
    const gone = ['delisted', '2026-11-19', 1, '2026-11-18 12:00:00', '200000.00'];
    assert.deepEqual(only('2026-11-19', 'deals', { listing_id: 'gone' }, columns), gone);
    assert.deepEqual(only('2026-11-21', 'deals', { listing_id: 'gone' }, columns), gone);
  });

  it('a site that could not be read proves nothing: its listings stay, and show their age', () => {
    assert.deepEqual(
      only('2026-11-21', 'deals', { listing_id: 'stale' }, ['listing_status', 'last_verified', 'days_on_feed']),
      ['active', '2026-11-18 12:00:00', 3],
    );
  });

  it('nor does a site that is no longer a source', () => {
    assert.deepEqual(only('2026-11-21', 'deals', { listing_id: 'retired' }, ['listing_status', 'last_verified']), [
      'active',
      '2026-11-18 12:00:00',
    ]);
  });

  it('a listing that comes back goes on with its days and its first price', () => {
    assert.deepEqual(
      only('2026-11-21', 'deals', { listing_id: 'back' }, [
        'listing_status',
        'relisted',
        'days_on_feed',
        'price_reduction_pct',
        'delisted_on',
      ]),
      ['active', true, 11, '10.00', null],
    );
    assert.deepEqual(versions('back'), [
      [1, 'added', '200000.00', false, '11-10', '2026-11-12'],
      [2, 'relisted', '180000.00', true, '11-21', null],
    ]);
  });

  it('so does the same property under a new number on the same site', () => {
    assert.deepEqual(
      only('2026-11-21', 'deals', { address_key: '5 MAIN ST' }, [
        'listing_id',
        'relisted',
        'days_on_feed',
        'price_reduction_pct',
      ]),
      ['new-number', true, 11, '5.00'],
    );
  });

  it('after more than the declared days it is a new listing', () => {
    assert.deepEqual(
      only('2026-11-21', 'deals', { listing_id: 'long-ago' }, ['relisted', 'days_on_feed', 'price_reduction_pct']),
      [false, 0, '0.00'],
    );
  });

  it('two sites make one deal, and a lower price on the other is no price cut', () => {
    const [cut, others] = only('2026-11-21', 'deals', { address_key: '7 MAIN ST' }, [
      'price_reduction_pct',
      'also_listed',
    ]);
    assert.equal(cut, '0.00');
    assert.equal((JSON.parse(String(others)) as unknown[]).length, 1);
  });

  it('the same street and number in another ZIP, or a unit of it, is another property', () => {
    assert.equal(count('2026-11-21', 'deals', { house_low: 8 }), 3);
  });
});

describe('delinquencies over days', () => {
  const columns = ['signal_state', 'state_reason', 'state_since', 'last_seen'];
  it('one that leaves its list is removed with the day, and listed again when it is back', () => {
    const parcel = { parcel_key: '00101001' };
    assert.deepEqual(only('2026-11-18', 'signals', parcel, columns), [
      'removed',
      'not_on_latest_list',
      '2026-11-18',
      '2026-11-12 12:00:00',
    ]);
    assert.equal(count('2026-11-18', 'leads', parcel), 0);
    assert.deepEqual(only('2026-11-21', 'signals', parcel, [...columns, 'first_seen']), [
      'listed',
      'on_the_list',
      '2026-11-19',
      '2026-11-21 12:00:00',
      '2026-11-10 12:00:00',
    ]);
    assert.equal(count('2026-11-21', 'leads', parcel), 1);
  });
  it('one whose list could not be read stays listed, and is no lead after seven days', () => {
    assert.deepEqual(only('2026-11-21', 'signals', { parcel_key: '002' }, columns), [
      'listed',
      'on_the_list',
      '2026-11-12',
      '2026-11-12 12:00:00',
    ]);
    assert.deepEqual(
      [count('2026-11-19', 'leads', { parcel_key: '002' }), count('2026-11-21', 'leads', { parcel_key: '002' })],
      [1, 0],
    );
  });
  it('one whose county is no longer a source is neither listed nor removed, and no lead', () => {
    assert.deepEqual(only('2026-11-21', 'signals', { county_fips: '39153' }, columns), [
      'unknown',
      'source_not_read',
      '2026-11-19',
      '2026-11-18 12:00:00',
    ]);
    assert.equal(count('2026-11-19', 'leads', { county_fips: '39153' }), 0);
  });
  it('one that is paid is removed though it is still printed', () => {
    assert.deepEqual(only('2026-11-21', 'signals', { parcel_key: '00101003' }, columns.slice(0, 2)), [
      'removed',
      'balance_zero',
    ]);
    assert.equal(count('2026-11-21', 'leads', { parcel_key: '00101003' }), 0);
  });
  it('a parcel without a street gets that of a sheriff sale of the same parcel, else it awaits a lookup', () => {
    const address = ['address', 'address_basis', 'address_status', 'has_address'];
    assert.deepEqual(only('2026-11-21', 'signals', { parcel_key: '00101004' }, address), [
      '24 MAIN ST',
      'sheriff_sale',
      'available',
      true,
    ]);
    assert.deepEqual(only('2026-11-21', 'signals', { parcel_key: '00101005' }, address), [
      null,
      null,
      'pending_parcel_lookup',
      false,
    ]);
  });
});

describe('sheriff sales over days', () => {
  it('one that is sold says so and for how much', () => {
    assert.deepEqual(
      only('2026-11-21', 'auctions', { case_number: 'CV31' }, ['sale_status', 'status_since', 'sold_amount']),
      ['sold', '2026-11-21', '70000.00'],
    );
  });
  it('one whose day passes without a word has an unknown result', () => {
    assert.deepEqual(only('2026-11-21', 'auctions', { case_number: 'CV32' }, ['sale_status', 'opening_bid']), [
      'result_unknown',
      '60000.00',
    ]);
  });
  it('one that is taken off the calendar before its day is removed, and no lead', () => {
    assert.deepEqual(only('2026-11-19', 'auctions', { case_number: 'CV33' }, ['sale_status']), ['removed']);
    assert.deepEqual(
      [count('2026-11-18', 'leads', { case_number: 'CV33' }), count('2026-11-19', 'leads', { case_number: 'CV33' })],
      [1, 0],
    );
  });
  it('one that is postponed stays as it was called off, is linked with the day it was put to, and its lead goes there with it', () => {
    const [id] = only('2026-11-18', 'leads', { case_number: 'CV36' }, ['id']);
    assert.deepEqual(
      only('2026-11-21', 'auctions', { case_number: 'CV36', sale_date: '2026-11-20' }, [
        'sale_status',
        'status_since',
        'last_seen',
        'next_sale_date',
      ]),
      ['postponed', '2026-11-19', '2026-11-19 12:00:00', '2026-12-11'],
    );
    assert.deepEqual(
      only('2026-11-21', 'auctions', { case_number: 'CV36', sale_date: '2026-12-11' }, [
        'sale_status',
        'previous_sale_date',
        'opening_bid_basis',
      ]),
      ['scheduled', '2026-11-20', 'two_thirds_of_appraisal'],
    );
    assert.deepEqual(only('2026-11-21', 'leads', { case_number: 'CV36' }, ['id', 'sale_date']), [id, '2026-12-11']);
  });
  it('the same case on a later day is another sale, and the same lead', () => {
    assert.equal(count('2026-11-21', 'auctions', { case_number: 'CV34' }), 2);
    const [id] = only('2026-11-19', 'leads', { case_number: 'CV34' }, ['id']);
    assert.deepEqual(only('2026-11-21', 'leads', { case_number: 'CV34' }, ['id', 'opening_bid_basis', 'sale_date']), [
      id,
      'no_minimum_second_sale',
      '2026-12-04',
    ]);
  });
});

describe('filings over days', () => {
  it('stay, are dated when they change, and are late when the feed had passed their day', () => {
    const columns = ['business_name', 'change_kind', 'first_seen', 'last_updated'];
    const of = (document_number: string): unknown[] => only('2026-11-21', 'filings', { document_number }, columns);
    assert.deepEqual(of('1'), ['Oak Street LLC', 'changed', '2026-11-18 12:00:00', '2026-11-19 12:00:00']);
    assert.deepEqual(of('2'), ['Oak Street LLC', 'added', '2026-11-18 12:00:00', '2026-11-18 12:00:00']);
    assert.deepEqual(of('3'), ['Oak Street LLC', 'added', '2026-11-19 12:00:00', '2026-11-19 12:00:00']);
    assert.deepEqual(of('4'), ['Oak Street LLC', 'late', '2026-11-19 12:00:00', '2026-11-19 12:00:00']);
  });
});
