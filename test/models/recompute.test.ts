/**
 * A sceptic with nothing but a published deal and the published assumptions arrives at every figure: whole-number
 * fractions of our own here, against the figures that the SQL published.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Column } from '../../lib/record.ts';
import { Report } from '../../models/marts/reports.ts';
import { Deal } from '../../models/marts/deals.ts';
import { Lead } from '../../models/marts/leads.ts';
import { evaluate, q } from './fractions.ts';
import { build, uuid5, type Built, type GivenRow } from './given.ts';
import { dealAgain, leadAgain, type Shown } from './sceptic.ts';

/** Columns of a deal that are read or told and follow from no other column: what a page shows, when, where, and in which words. */
const READ = new Set([
  'address',
  'city',
  'state',
  'zip',
  'source',
  'listing_url',
  'list_price',
  'units',
  'market_rent_2br',
  'last_verified',
  'listing_id',
  'listing_status',
  'delisted_on',
  'relisted',
  'also_listed',
  'property_type',
  'year_built',
  'listed_on',
  'first_seen',
  'last_seen',
  'first_price',
  'source_url',
  'observed_at',
  'page_sha256',
  'page_row',
  'cap_rate_source',
  'address_key',
  'street_key',
  'house_low',
  'house_high',
  'unit_key',
  'address_status',
  'rent_basis',
  'rent_area_code',
  'rent_area_name',
  'rent_fiscal_year',
  'rent_source_url',
  'rent_observed_at',
  'distress_coverage',
  'distress_matches',
  'distress_candidates',
  'provenance',
  'assumption_set_id',
  'why_this_is_interesting',
  'rental_rationale',
  'wholesale_rationale',
  'creative_finance_rationale',
]);
const AS_OF = '2026-11-21';

const DEALS = 400;
const samples = fc.sample(
  fc.record({
    perUnit: fc.integer({ min: 20_000, max: 260_000 }),
    odd: fc.integer({ min: 0, max: 9999 }),
    units: fc.integer({ min: 1, max: 70 }),
    year: fc.option(fc.integer({ min: 1900, max: 2025 })),
    cap: fc.option(fc.integer({ min: 300, max: 1200 })),
    noi: fc.option(fc.integer({ min: 100_000, max: 40_000_000 }), { freq: 2 }),
    hidden: fc.integer({ min: 1, max: 20 }),
    land: fc.integer({ min: 1, max: 30 }),
    cut: fc.option(fc.integer({ min: 1, max: 2000 }), { freq: 2 }),
    days: fc.integer({ min: 0, max: 250 }),
    debt: fc.option(fc.integer({ min: 1, max: 4_000_000 }), { freq: 3 }),
    saleIn: fc.option(fc.integer({ min: 0, max: 80 }), { freq: 3 }),
    age: fc.integer({ min: 0, max: 7 }),
    value: fc.option(fc.integer({ min: 4_000_000, max: 60_000_000 })),
    years: fc.option(fc.integer({ min: 0, max: 9 })),
    away: fc.constantFrom('1 FAR RD', null),
    awayState: fc.constantFrom('OH', 'FL'),
  }),
  { numRuns: DEALS, seed: 7 },
);
const CUYAHOGA = { county_fips: '39035', county: 'Cuyahoga County, OH' };
const daysAgo = (n: number): string => `${new Date(Date.UTC(2026, 10, 21 - n)).toISOString().slice(0, 10)}T09:00:00Z`;
const cents = (n: number): string => `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`;

describe(`${DEALS} published deals`, () => {
  let built: Built;
  before(async () => {
    const page = { page_sha256: 'a'.repeat(64), observed_at: '2026-11-21T09:00:00Z' };
    built = await build({
      staged_fmr_area: [
        {
          source: 'hud_fmr',
          source_url: 'https://hud.example/',
          fips: '3903599999',
          county_fips: '39035',
          hud_area_code: 'METRO17410N17460',
          hud_area_name: 'Cleveland',
          fmr_2: '1279.00',
          fiscal_year: 2026,
          effective_on: '2025-10-01',
          revision: 'original',
          ...page,
        },
      ],
      source_reads: ['tax', 'sheriff'].map((family) => ({
        source: family,
        family,
        county_fips: '39035',
        last_good_at: '2026-11-21T09:00:00Z',
      })),
      // Seen before, at a higher price
      previous_listing_history: samples
        .map((s, i): GivenRow | null =>
          s.cut === null || s.hidden === 1
            ? null
            : {
                source: 'site',
                listing_id: `L${i}`,
                deal_id: uuid5(`deal|${i + 1} LINDEN AVE|44102`),
                version: 1,
                is_latest: true,
                change: 'added',
                relisted: false,
                street: `${i + 1} Linden Ave`,
                city: 'Cleveland',
                state: 'OH',
                zip: '44102',
                availability: 'for_sale',
                listing_url: 'https://site.example/',
                source_url: 'https://site.example/',
                page_sha256: 'a'.repeat(64),
                page_row: 0,
                list_price: cents(Math.round((s.perUnit * s.units * 100 + s.odd) * (1 + s.cut / 10_000))),
                first_price: cents(Math.round((s.perUnit * s.units * 100 + s.odd) * (1 + s.cut / 10_000))),
                version_first_seen: daysAgo(s.days),
                version_last_seen: daysAgo(0),
                listing_first_seen: daysAgo(s.days),
              },
        )
        .filter((row) => row !== null),
      staged_tax_parcel: samples.flatMap((s, i): GivenRow[] =>
        s.debt === null
          ? []
          : [
              {
                source: 'county',
                ...CUYAHOGA,
                source_url: 'https://county.example/',
                parcel_raw: `700-01-${String(i).padStart(3, '0')}`,
                street: `${i + 1} LINDEN AVE`,
                zip: '44102',
                amount: cents(s.debt),
                page_sha256: 'a'.repeat(64),
                county_value: s.value === null ? null : cents(s.value),
                years_delinquent: s.years,
                mail_street: s.away,
                mail_city: 'X',
                mail_state: s.away && s.awayState,
                mail_zip: '44120',
                observed_at: daysAgo(s.age),
              },
            ],
      ),
      staged_sheriff_sale: samples.flatMap((s, i): GivenRow[] =>
        s.saleIn === null
          ? []
          : [
              {
                source: 'sheriff',
                ...CUYAHOGA,
                source_url: 'https://sheriff.example/',
                case_number: `CV${i}`,
                parcel_raw: `700-01-${String(i).padStart(3, '0')}`,
                street: `${i + 1} LINDEN AVE`,
                zip: '44102',
                state: 'OH',
                status: 'scheduled',
                sale_kind: s.away === null ? 'mortgage_foreclosure' : 'tax_foreclosure',
                sale_round: s.away === null ? 1 + (i % 2) : null,
                sale_date: daysAgo(-s.saleIn).slice(0, 10),
                appraised_value: s.value === null ? null : cents(s.value),
                opening_bid: s.away === null ? null : cents(s.debt ?? 5_000),
                observed_at: daysAgo(s.age),
                page_sha256: 'a'.repeat(64),
              },
            ],
      ),
      staged_listing: samples.map((s, i): GivenRow => ({
        property_type: s.land === 1 ? 'Vacant land' : 'Multifamily',
        source: 'site',
        listing_id: `L${i}`,
        source_url: 'https://site.example/',
        listing_url: 'https://site.example/',
        street: `${i + 1} Linden Ave`,
        city: 'Cleveland',
        state: 'OH',
        zip: '44102',
        availability: 'for_sale',
        list_price: s.hidden === 1 ? null : cents(s.perUnit * s.units * 100 + s.odd),
        units: s.hidden === 2 ? null : s.units,
        year_built: s.year,
        cap_rate: s.cap === null ? null : cents(s.cap),
        noi: s.noi === null ? null : cents(s.noi),
        ...page,
      })),
    });
  });
  after(() => built.close());

  /** Rows of a table with their JSON columns parsed. */
  const shown = async (table: string, columns: readonly Column[]): Promise<Shown[]> =>
    (await built.rows(table)).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([k, v]) => [
          k,
          columns.some((c) => c.name === k && c.kind === 'json') ? (JSON.parse(String(v)) as unknown) : v,
        ]),
      ),
    );
  const assumed = async (): Promise<(key: string) => string> => {
    const assumptions = new Map((await built.rows('assumptions')).map((r) => [String(r['key']), String(r['value'])]));
    return (key) => assumptions.get(key) ?? assert.fail(`no assumption ${key}`);
  };
  const same = (row: Shown, made: Readonly<Record<string, unknown>>): void =>
    assert.deepEqual(Object.fromEntries(Object.keys(made).map((k) => [k, row[k]])), made);

  it('recompute from what they show, the assumptions and the day: every column that follows from others', async () => {
    const [deals, a] = [await shown('deals', Deal.columns), await assumed()];
    assert.equal(deals.length, DEALS);
    for (const deal of deals) {
      const made = dealAgain(deal, a, AS_OF);
      assert.deepEqual(
        Deal.columns.map((c) => c.name).filter((c) => c in made === READ.has(c)),
        [],
        'a column is either read or made again',
      );
      same(deal, made);
    }
    const count = (column: string, value: unknown): number => deals.filter((d) => d[column] === value).length;
    for (const [column, values] of Object.entries({
      underwrite_reliability: ['ok', 'proxy_out_of_range', 'unknown'],
      dscr_status: ['computed', 'insufficient_data', 'not_applicable'],
      distress_status: ['matched', 'none_found'],
      rental_status: ['Hot', 'Warm', 'Pass'],
      wholesale_status: ['Hot', 'Pass'],
      creative_finance_status: ['Hot', 'Warm', 'Pass'],
      offer_status: [
        'computed',
        'claimed_basis_unverified',
        'price_below_proxy_range',
        'insufficient_data',
        'not_applicable',
      ],
      claim_consistency: ['inconsistent', 'not_checkable'],
    }))
      for (const value of values) assert.ok(count(column, value) > 0, `no deal has ${column} ${value}`);
  });

  it('have leads that recompute the same way: every part of every score', async () => {
    const [leads, a] = [await shown('leads', Lead.columns), await assumed()];
    for (const lead of leads) {
      const made = leadAgain(lead, a, AS_OF);
      same(lead, made);
      const told = lead['score_rationale'] as Record<string, string>;
      for (const [part, points] of Object.entries(made['score_parts'] as Record<string, number>))
        assert.ok(told[part]?.startsWith(`+${points} points, `), `${part} of ${JSON.stringify(told)}`);
    }
    assert.ok(
      ['tax_delinquent', 'sheriff_sale_auction'].every(
        (type) => leads.filter((l) => l['lead_type'] === type).length > DEALS / 5,
      ),
    );
  });

  it('have reports whose every figure and every cell of the grid follows from the formula and the inputs beside it', async () => {
    const reports = (await built.rows('reports')).map((row) =>
      Report.schema.parse(
        Object.fromEntries(
          Object.entries(row).map(([k, v]) => [
            k,
            Report.columns.some((c) => c.name === k && c.kind === 'json') ? (JSON.parse(String(v)) as unknown) : v,
          ]),
        ),
      ),
    );
    assert.equal(reports.length, DEALS);
    const deals = new Map((await built.rows('deals')).map((d) => [String(d['id']), d]));
    const made = new Set<string>();
    let cells = 0;
    for (const { id, recompute: steps, sensitivity: grid } of reports) {
      for (const { figure, formula, inputs, result } of steps) {
        assert.ok(
          evaluate(formula, inputs).equals(q(result)),
          `${figure} = ${formula} of ${JSON.stringify(inputs)} is said to be ${result}`,
        );
        const published = deals.get(id)?.[figure];
        if (published !== undefined) assert.equal(String(published), result, figure);
        made.add(figure);
      }
      // A result is an input of later steps under the same name, with the same value.
      const results = new Map(steps.map((s) => [s.figure, s.result]));
      for (const s of steps)
        for (const [name, value] of Object.entries(s.inputs))
          if (value !== null && results.has(name)) assert.equal(value, results.get(name), `${name} in ${s.figure}`);
      assert.equal(grid.status === 'computed', grid.cells.length === 36);
      const made_ = (formula: string, inputs: Record<string, string | null>): string =>
        evaluate(grid.formulas[formula] ?? '', { ...grid.inputs, ...inputs }).rounded(2);
      for (const rate of grid.rates) {
        assert.equal(made_('monthly_payment', { monthly_factor: rate.monthly_factor }), rate.monthly_payment);
        assert.equal(made_('annual_debt_service', { monthly_payment: rate.monthly_payment }), rate.annual_debt_service);
      }
      for (const { rent_change, vacancy, expense_change, noi, cap_rate_pct, dscr } of grid.cells) {
        cells += 1;
        assert.equal(made_('noi', { rent_change, vacancy, expense_change }), noi);
        assert.equal(made_('cap_rate_pct', { noi }), cap_rate_pct);
        if (dscr)
          assert.deepEqual(
            grid.rates.map(({ annual_debt_service }) => made_('dscr', { noi, annual_debt_service })),
            dscr,
          );
        if (rent_change === '0.00' && vacancy === '0.07' && expense_change === '0.00')
          assert.equal(noi, deals.get(id)?.['noi_underwritten']);
      }
    }
    assert.ok(cells > 36 * 250 && made.size > 40, `${cells} cells, ${made.size} figures`);
    // Every figure of ours that follows from others is among them; days are counted from what this service saw.
    const own = [
      ...Deal.columns
        .filter(
          (c) =>
            ['money', 'percent', 'ratio', 'integer'].includes(c.kind) && !READ.has(c.name) && c.name !== 'days_on_feed',
        )
        .map((c) => c.name),
      'mao',
      'seller_coverage',
    ];
    assert.deepEqual(
      own.filter((f) => !made.has(f)),
      [],
    );
  });

  it('break no audit', () => assert.deepEqual(built.broken, []));
});
