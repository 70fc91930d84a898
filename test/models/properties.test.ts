/**
 * The fifteen properties of underwriting, scores and leads, on random deals through the real SQL. All deals of a test
 * are built at once: each base deal stands beside its variants, such as the same deal at a higher price. Every property
 * says to how many of them it applied, and fails where they are few. `make properties DEALS=10000` runs them on as many
 * deals and prints the table.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { readSettings } from '../../lib/settings.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { PROPERTIES } from '../../models/properties.ts';
import { build, type Built, type GivenRow } from './given.ts';

const { DEALS: BASES, SEED } = readSettings(
  z.object({
    DEALS: z.coerce.number('a whole number').int('a whole number').min(200, 'at least 200').default(2000),
    SEED: z.coerce.number('a whole number').int('a whole number').default(20261121),
  }),
);

/** What was held, and on how many deals. */
const proved: { readonly number: number; readonly property: string; readonly cases: number }[] = [];

/** A property by its number, or a part of it. `check` returns the cases to which it applied and fails where one breaks it. */
function property(number: number, part: string, check: () => number | Promise<number>): void {
  const name = `${PROPERTIES[number - 1] ?? assert.fail()}${part === '' ? '' : ` [${part}]`}`;
  it(`${number}. ${name}`, async () => {
    const cases = await check();
    assert.ok(cases >= BASES / 50, `only ${cases} cases of ${BASES} deals`);
    proved.push({ number, property: name, cases });
  });
}

after(() => {
  assert.deepEqual(
    [...new Set(proved.map((p) => p.number))].sort((a, b) => a - b),
    PROPERTIES.map((_, i) => i + 1),
    'every one of the fifteen was held',
  );
  if (process.env['DEALS'] === undefined) return;
  process.stdout.write(`${BASES} random deals, seed ${SEED}\n`);
  for (const p of proved.toSorted((a, b) => a.number - b.number))
    process.stdout.write(`  ${String(p.number).padStart(2)}  ${String(p.cases).padStart(8)} cases  ${p.property}\n`);
});

/** A deal as numbers: cents, hundredths of a percent, whole units and days. */
interface Deal {
  readonly price: number | null;
  readonly units: number | null;
  readonly rent: number | null;
  readonly year: number | null;
  readonly cap: number | null;
  readonly noi: number | null;
  readonly cut: number;
  readonly days: number;
  readonly debt: number | null;
  readonly saleIn: number | null;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>, missing: number): fc.Arbitrary<T | null> =>
  fc.oneof({ arbitrary: fc.constant(null), weight: missing }, { arbitrary, weight: 100 - missing });

/** Prices follow from rents, so that most deals lie in the band that HUD's rent can judge, and some at its edges. */
const deal: fc.Arbitrary<Deal> = fc
  .record({
    rent: maybe(fc.integer({ min: 500, max: 2900 }), 3),
    units: maybe(fc.oneof(fc.integer({ min: 2, max: 14 }), fc.integer({ min: 1, max: 90 })), 3),
    multiple: fc.oneof(
      { arbitrary: fc.integer({ min: 300, max: 1400 }), weight: 7 },
      { arbitrary: fc.integer({ min: 100, max: 3000 }), weight: 3 },
    ),
    odd: fc.integer({ min: 0, max: 99_999 }),
    priced: fc.integer({ min: 1, max: 100 }),
    year: maybe(fc.integer({ min: 1880, max: 2026 }), 20),
    cap: maybe(fc.integer({ min: 100, max: 1500 }), 40),
    noiPct: maybe(fc.integer({ min: -50, max: 1500 }), 60),
    cut: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2500 })),
    days: fc.integer({ min: 0, max: 400 }),
    debt: maybe(fc.integer({ min: 1, max: 9_000_000 }), 70),
    saleIn: maybe(fc.integer({ min: 0, max: 90 }), 80),
  })
  .map(({ rent, units, multiple, odd, priced, noiPct, ...rest }) => {
    const price = priced <= 3 ? null : Math.round((rent ?? 1200) * (units ?? 4) * multiple * 10) + odd;
    return {
      ...rest,
      rent,
      units,
      price,
      noi: noiPct === null || price === null ? null : Math.round((price * noiPct) / 10_000),
    };
  });

const fixed = (hundredths: number | null): string | null => {
  if (hundredths === null) return null;
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const hundredths = (text: unknown): number | null => (text === null ? null : Math.round(Number(text) * 100));

type Result = Record<string, unknown>;
const MODELS = ['int_underwriting', 'int_scores', 'int_paths', 'int_offers'];

/**
 * Underwrite deals. @returns for each the columns of the four models together
 * @param turned rows and fields in the opposite order, in a session of another time zone
 */
async function underwrite(
  deals: readonly Deal[],
  assumptions = currentAssumptions().rows,
  turned = false,
): Promise<Result[]> {
  const id = (i: number): string => String(i).padStart(6, '0');
  const turn = (rows: readonly GivenRow[]): GivenRow[] =>
    turned ? rows.map((row) => Object.fromEntries(Object.entries(row).reverse())).reverse() : [...rows];
  const given = {
    declared_assumptions: assumptions,
    int_properties: deals.map((d, i): GivenRow => ({
      id: id(i),
      list_price: fixed(d.price),
      units: d.units,
      cap_rate: fixed(d.cap),
      noi: fixed(d.noi),
      year_built: d.year,
      is_income_property: true,
      price_reduction_pct: d.price === null ? null : fixed(d.cut),
      days_on_feed: d.days,
      as_of: '2026-11-21',
      last_verified: '2026-11-20T12:00:00Z',
    })),
    int_market_rents: deals.map((d, i): GivenRow => ({
      id: id(i),
      market_rent_2br: d.rent === null ? null : `${d.rent}.00`,
      rent_basis: d.rent === null ? 'unknown' : 'zip',
    })),
    int_distress: deals.map((d, i): GivenRow => ({
      id: id(i),
      tax_amount: fixed(d.debt),
      tax_records: d.debt === null ? 0 : 1,
      sale_records: d.saleIn === null ? 0 : 1,
      sale_in_days: d.saleIn,
    })),
  };
  const built = await build(
    Object.fromEntries(Object.entries(given).map(([table, rows]) => [table, turn(rows)])),
    ({ name }) => MODELS.includes(name),
    turned ? ["SET TimeZone = 'Pacific/Auckland'"] : [],
  );
  try {
    assert.deepEqual(built.broken, []);
    const tables = await Promise.all(MODELS.map((m) => built.rows(m)));
    const byId = new Map<unknown, Result>();
    for (const rows of tables) for (const row of rows) byId.set(row['id'], { ...byId.get(row['id']), ...row });
    return deals.map((_, i) => byId.get(id(i)) ?? assert.fail(`deal ${i} is missing`));
  } finally {
    built.close();
  }
}

const STATUSES = ['rental_status', 'wholesale_status', 'creative_finance_status'];
const rankOf = (status: unknown): number => ['Pass', 'Warm', 'Hot'].indexOf(String(status));
const number = (row: Result, column: string): number => Number(row[column]);
const isOk = (row: Result): boolean => row['underwrite_reliability'] === 'ok';

/** Base deals, their results, and the results of a variant of each. */
const bases = fc.sample(fc.tuple(deal, fc.integer({ min: 2, max: 60 })), { numRuns: BASES, seed: SEED });
const VARIANTS = {
  dearer: (d: Deal, by: number): Deal => ({
    ...d,
    price: d.price === null ? null : Math.round(d.price * (1 + by / 100)),
  }),
  higherRent: (d: Deal, by: number): Deal => ({ ...d, rent: d.rent === null ? null : d.rent + by }),
  noClaim: (d: Deal): Deal => ({ ...d, cap: null, noi: null }),
  moreCut: (d: Deal, by: number): Deal => ({ ...d, cut: d.cut + by * 10 }),
  longer: (d: Deal, by: number): Deal => ({ ...d, days: d.days + by }),
  moreDebt: (d: Deal, by: number): Deal => ({ ...d, debt: (d.debt ?? 0) + by * 1000 }),
  saleSooner: (d: Deal): Deal => ({ ...d, saleIn: Math.floor((d.saleIn ?? 60) / 2) }),
  tenfold: (d: Deal): Deal => ({
    ...d,
    price: d.price === null ? null : d.price * 10,
    rent: d.rent === null ? null : d.rent * 10,
    noi: d.noi === null ? null : d.noi * 10,
  }),
} as const;
type Variant = keyof typeof VARIANTS;

describe(`${BASES} random deals and their variants`, () => {
  let plain: Result[] = [];
  const varied = new Map<Variant, Result[]>();
  /** Claims at percents of the underwriting, for deals that HUD's rent fits. */
  let claims: { over: Result[][]; under: Result[][] } = { over: [], under: [] };
  let targetNine: Result[] = [];

  before(async () => {
    plain = await underwrite(bases.map(([d]) => d));
    const names = Object.keys(VARIANTS) as Variant[];
    const all_ = await underwrite(names.flatMap((name) => bases.map(([d, by]) => VARIANTS[name](d, by))));
    names.forEach((name, n) => varied.set(name, all_.slice(n * BASES, (n + 1) * BASES)));
    const claimed = async (shares: readonly number[]): Promise<Result[][]> => {
      const rows = await underwrite(
        bases.flatMap(([d], i) =>
          shares.map((share) => ({
            ...d,
            cap: null,
            noi: Math.round(((hundredths(plain[i]?.['noi_underwritten']) ?? 0) * share) / 100),
          })),
        ),
      );
      return bases.map((_, i) => rows.slice(i * shares.length, (i + 1) * shares.length));
    };
    claims = { over: await claimed([100, 101, 150, 900]), under: await claimed([-20, 0, 40, 80, 99, 100]) };
    targetNine = await underwrite(
      bases.map(([d]) => d),
      currentAssumptions().rows.map((r) => (r.key === 'target_cap_pct' ? { ...r, value: '9.00' } : r)),
    );
  });

  /** Hold a property on the base deals to which it applies, each beside its row of another result. @returns how many those are */
  function against(
    others: readonly Result[],
    applies: (base: Result, other: Result) => boolean,
    holds: (base: Result, other: Result) => boolean,
  ): number {
    let cases = 0;
    for (const [i, base] of plain.entries()) {
      const other = others[i] ?? assert.fail();
      if (!applies(base, other)) continue;
      cases += 1;
      if (!holds(base, other))
        assert.fail(`broken by ${JSON.stringify(bases[i])}: ${JSON.stringify(base)} beside ${JSON.stringify(other)}`);
    }
    return cases;
  }
  const each = (
    variant: Variant,
    applies: (base: Result, other: Result) => boolean,
    holds: (base: Result, other: Result) => boolean,
  ): number => against(varied.get(variant) ?? [], applies, holds);
  const all = (holds: (row: Result) => boolean, applies: (row: Result) => boolean = () => true): number =>
    against(plain, applies, holds);
  /** The same of several results a deal. @returns how many there were */
  function ofClaims(
    rows: readonly (readonly Result[])[],
    holds: (row: Result, i: number, n: number, list: readonly Result[]) => boolean,
  ): number {
    let cases = 0;
    for (const [i, base] of plain.entries()) {
      if (!isOk(base)) continue;
      for (const [n, row] of (rows[i] ?? []).entries()) {
        cases += 1;
        if (!holds(row, i, n, rows[i] ?? []))
          assert.fail(`broken by ${JSON.stringify(bases[i])}: ${JSON.stringify(row)}`);
      }
    }
    return cases;
  }
  const differs =
    (column: string) =>
    (a: Result, b: Result): boolean =>
      a[column] !== b[column];
  /** n / d in hundredths, half away from zero, of shown figures: whole numbers again. */
  const ratio = (n: unknown, d: unknown, by: bigint): bigint => {
    const [top, bottom] = [BigInt(hundredths(n) ?? 0) * by * 100n, BigInt(hundredths(d) ?? 0)];
    const size = (2n * (top < 0n ? -top : top) + bottom) / (2n * bottom);
    return top < 0n ? -size : size;
  };

  it('there are deals of every reliability and DSCR status among them', () => {
    const count = (column: string, value: string): number => plain.filter((r) => r[column] === value).length;
    for (const value of ['ok', 'proxy_out_of_range', 'unknown'])
      assert.ok(count('underwrite_reliability', value) > BASES / 50, value);
    for (const value of ['computed', 'insufficient_data', 'not_applicable'])
      assert.ok(count('dscr_status', value) > BASES / 50, value);
  });

  property(1, '', () =>
    all(
      (r) =>
        ['deal_score', 'motivation_score', 'distress_score'].every((c) => number(r, c) >= 0 && number(r, c) <= 100) &&
        number(r, 'confidence_score') >= 0 &&
        number(r, 'confidence_score') <= 1 &&
        number(r, 'deal_score') ===
          number(r, 'deal_score_yield') +
            number(r, 'deal_score_coverage') +
            number(r, 'deal_score_motivation') +
            number(r, 'deal_score_distress') &&
        number(r, 'motivation_score') === number(r, 'motivation_price_cut') + number(r, 'motivation_days') &&
        hundredths(r['confidence_score']) ===
          Object.values(JSON.parse(String(r['confidence_parts'])) as Record<string, string>).reduce(
            (sum, v) => sum + (hundredths(v) ?? 0),
            0,
          ),
    ),
  );

  property(2, 'gap', () =>
    all(
      (r) =>
        hundredths(r['cap_gap_pct']) ===
        (hundredths(r['cap_rate']) ?? 0) - (hundredths(r['cap_rate_underwritten']) ?? 0),
      (r) => r['cap_gap_pct'] !== null,
    ),
  );
  property(2, 'DSCR', () =>
    all(
      (r) => BigInt(hundredths(r['dscr']) ?? 0) === ratio(r['noi'], r['annual_debt_service'], 1n),
      (r) => r['dscr'] !== null,
    ),
  );

  property(3, '', () =>
    all(
      (r) =>
        (r['dscr'] === null) === (r['dscr_status'] !== 'computed') &&
        (r['dscr_reason'] === null) === (r['dscr_status'] === 'computed'),
    ),
  );

  property(4, 'fits', () =>
    each(
      'dearer',
      (a, b) => isOk(a) && isOk(b),
      (a, b) =>
        number(b, 'cap_rate_underwritten') <= number(a, 'cap_rate_underwritten') &&
        number(b, 'deal_score') <= number(a, 'deal_score') &&
        STATUSES.every((s) => rankOf(b[s]) <= rankOf(a[s])),
    ),
  );
  property(4, 'out of range', () =>
    each(
      'dearer',
      (a) => a['underwrite_reliability'] === 'proxy_out_of_range',
      (_, b) => b['underwrite_reliability'] === 'proxy_out_of_range',
    ),
  );

  property(5, '', () =>
    each(
      'higherRent',
      (a) => a['noi_underwritten'] !== null,
      (a, b) => number(b, 'noi_underwritten') >= number(a, 'noi_underwritten'),
    ),
  );

  property(6, '', () => {
    const silent = varied.get('noClaim') ?? [];
    return ofClaims(claims.over, (row, i) =>
      ['deal_score', 'noi_scoring', ...STATUSES, 'offer_status', 'offer_low', 'offer_high'].every(
        (c) => row[c] === silent[i]?.[c],
      ),
    );
  });

  property(7, '', () =>
    ofClaims(
      claims.under,
      (row, _, n, list) => n === 0 || number(row, 'deal_score') >= number(list[n - 1] ?? {}, 'deal_score'),
    ),
  );

  property(8, '', () =>
    all(
      (r) =>
        number(r, 'deal_score_yield') === 0 &&
        number(r, 'deal_score_coverage') === 0 &&
        STATUSES.every((s) => r[s] === 'Pass'),
      (r) => !isOk(r),
    ),
  );

  for (const [variant, what] of [
    ['moreCut', 'a deeper price cut'],
    ['longer', 'more days'],
    ['moreDebt', 'more tax debt'],
    ['saleSooner', 'a sooner sale'],
  ] as const) {
    property(9, what, () =>
      each(
        variant,
        () => true,
        (a, b) => number(b, 'deal_score') >= number(a, 'deal_score'),
      ),
    );
  }

  property(10, 'tenfold, to the rounding of a cent', () =>
    each(
      'tenfold',
      (a) => a['cap_rate_underwritten'] !== null,
      (a, b) =>
        a['underwrite_reliability'] === b['underwrite_reliability'] &&
        ['cap_rate', 'cap_rate_underwritten', 'cap_gap_pct'].every(
          (c) =>
            (a[c] === null) === (b[c] === null) && Math.abs((hundredths(a[c]) ?? 0) - (hundredths(b[c]) ?? 0)) <= 1,
        ),
    ),
  );

  property(11, 'order', () =>
    all(
      (r) => number(r, 'offer_low') <= number(r, 'offer_high') && number(r, 'offer_high') <= number(r, 'list_price'),
      (r) => r['offer_high'] !== null,
    ),
  );
  property(11, 'target', () =>
    against(
      targetNine,
      (a) => a['offer_high'] !== null,
      (a, b) => ['offer_low', 'offer_high'].every((c) => number(b, c) <= number(a, c)),
    ),
  );

  property(12, '', async () => {
    const turned = await underwrite(
      bases.map(([d]) => d),
      currentAssumptions().rows,
      true,
    );
    return against(
      turned,
      () => true,
      (a, b) => {
        assert.deepEqual(b, a);
        return true;
      },
    );
  });
  it('and the variants are no copies: a cut or a rent does change what it should', () =>
    assert.ok(
      each('moreCut', differs('motivation_score'), () => true) > BASES / 4 &&
        each('higherRent', differs('noi_underwritten'), () => true) > BASES / 2,
    ));

  property(15, '', () =>
    all(
      (r) =>
        Object.values(r).every((v) => typeof v !== 'number' || Number.isInteger(v)) &&
        Object.entries(r).every(
          ([, v]) => typeof v !== 'string' || !/^-?\d*\.\d+$/u.test(v) || /^-?\d+\.\d{2}$/u.test(v),
        ),
    ),
  );
});

describe('random sheriff sales and debts', () => {
  const PAIRS = BASES;
  interface Sale {
    readonly appraised: number;
    readonly inDays: number;
    readonly age: number;
    readonly bidPct: number;
  }
  interface Debt {
    readonly amount: number;
    readonly value: number | null;
    readonly years: number | null;
    readonly age: number;
  }
  const sales = fc.sample(
    fc.record({
      appraised: fc.integer({ min: 100, max: 99_999_999 }),
      inDays: fc.integer({ min: 0, max: 70 }),
      age: fc.integer({ min: 0, max: 6 }),
      bidPct: fc.integer({ min: 1, max: 120 }),
    }),
    { numRuns: PAIRS, seed: SEED },
  );
  const debts = fc.sample(
    fc.record({
      amount: fc.integer({ min: 1, max: 9_000_000 }),
      value: maybe(fc.integer({ min: 100_000, max: 90_000_000 }), 40),
      years: maybe(fc.integer({ min: 0, max: 12 }), 40),
      age: fc.integer({ min: 0, max: 6 }),
    }),
    { numRuns: PAIRS, seed: SEED },
  );
  const day = (after_: number): string => new Date(Date.UTC(2026, 10, 21 + after_)).toISOString().slice(0, 10);

  const saleVariants: Readonly<Record<string, (s: Sale) => Sale>> = {
    base: (s) => s,
    later: (s) => ({ ...s, inDays: s.inDays + 5 }),
    staler: (s) => ({ ...s, age: s.age + 1 }),
    lowerBid: (s) => ({ ...s, bidPct: Math.max(1, s.bidPct - 7) }),
  };
  const debtVariants: Readonly<Record<string, (d: Debt) => Debt>> = {
    base: (d) => d,
    moreYears: (d) => ({ ...d, years: (d.years ?? 0) + 1 }),
    moreOwed: (d) => ({ ...d, amount: d.amount + 50_000 }),
    staler: (d) => ({ ...d, age: d.age + 1 }),
  };
  let built: Built;
  const scores = new Map<string, number>();

  before(async () => {
    const where = {
      county_fips: '39035',
      county: 'Cuyahoga County, OH',
      source_url: 'https://county.example/',
      page_sha256: 'a'.repeat(64),
    };
    const saleRows = Object.entries(saleVariants).flatMap(([name, vary], v) =>
      sales.map((s, i) => {
        const { appraised, inDays, age, bidPct } = vary(s);
        return {
          ...where,
          source: 'sheriff',
          case_number: `S-${name}-${i}`,
          street: `${i + 1} SALE${v} ST`,
          zip: '44102',
          state: 'OH',
          status: 'scheduled',
          sale_kind: 'tax_foreclosure',
          sale_date: day(inDays),
          appraised_value: fixed(appraised),
          opening_bid: fixed(Math.max(1, Math.floor((appraised * bidPct) / 100))),
          observed_at: `${day(-age)}T09:00:00Z`,
        };
      }),
    );
    const firstSales = sales.map((s, i) => ({
      ...where,
      source: 'sheriff',
      case_number: `F-${i}`,
      status: 'scheduled',
      sale_kind: 'mortgage_foreclosure',
      sale_round: 1,
      sale_date: day(9),
      appraised_value: fixed(s.appraised),
      state: 'OH',
      observed_at: `${day(0)}T09:00:00Z`,
    }));
    const debtRows = Object.entries(debtVariants).flatMap(([name, vary], v) =>
      debts.map((d, i) => {
        const { amount, value, years, age } = vary(d);
        return {
          ...where,
          source: 'county',
          parcel_raw: `D-${name}-${i}`,
          street: `${i + 1} DEBT${v} ST`,
          zip: '44102',
          amount: fixed(amount),
          county_value: fixed(value),
          years_delinquent: years,
          observed_at: `${day(-age)}T09:00:00Z`,
        };
      }),
    );
    built = await build({ staged_sheriff_sale: [...saleRows, ...firstSales], staged_tax_parcel: debtRows });
    for (const lead of await built.rows('leads'))
      scores.set(String(lead['case_number'] ?? lead['parcel_id']), number(lead, 'lead_score'));
  });
  after(() => built.close());

  /** Hold a property on every base lead and one of its variants. @returns how many */
  const never = (kind: 'S' | 'D', variant: string, rises: boolean): number => {
    for (let i = 0; i < PAIRS; i += 1) {
      const [base, other] = [scores.get(`${kind}-base-${i}`), scores.get(`${kind}-${variant}-${i}`)];
      assert.ok(base !== undefined && other !== undefined, `lead ${i} of ${variant}`);
      assert.ok(
        rises ? other <= base : other >= base,
        `${variant}: ${base} becomes ${other} of ${JSON.stringify(kind === 'S' ? sales[i] : debts[i])}`,
      );
    }
    return PAIRS;
  };
  it('break no audit', () => assert.deepEqual(built.broken, []));
  property(13, '', async () => {
    const derived = await built.rows('auctions', 'opening_bid_derived');
    const broken = derived.filter((a) => {
      const [bid, appraised] = [hundredths(a['opening_bid']) ?? 0, hundredths(a['appraised_value']) ?? 0];
      return 3 * bid < 2 * appraised || 3 * (bid - 1) >= 2 * appraised;
    });
    assert.deepEqual(broken, []);
    return derived.length;
  });
  property(14, 'later sale', () => never('S', 'later', true));
  property(14, 'older verification', () => never('S', 'staler', true) + never('D', 'staler', true));
  property(14, 'lower bid', () => never('S', 'lowerBid', false));
  property(14, 'more years, more owed', () => never('D', 'moreYears', false) + never('D', 'moreOwed', false));
});
