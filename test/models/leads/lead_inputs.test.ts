/** What a lead has from other records of its parcel: the kind of property and the unpaid taxes. Its points follow. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, CUYAHOGA, debtRow, recordRow, saleRow, type InputRow, type Inputs } from '../build_models.ts';

const debt = (number: number, row: InputRow = {}): InputRow =>
  debtRow(`100-${number}`, { street: `${number} OAK ST`, zip: '44102', amount: '5000.00', ...row });
const sale = (number: string, parcel_raw: string | null): InputRow =>
  saleRow(number, { parcel_raw, street: `${number} ELM ST` });
const lien = (number: string, amount: string, row: InputRow = {}): InputRow =>
  recordRow('tax_lien', number, { parcel_raw: '100-1', amount, amount_basis: 'lien', ...row });

/** Rows of these inputs by table; no audit fails. */
async function tablesOf(inputs: Inputs, tables: readonly string[]): Promise<Record<string, unknown>[][]> {
  using built = await buildTables(inputs, tables, LISTINGS);
  assert.deepEqual(built.failed, []);
  return await Promise.all(tables.map((table) => built.rows(table)));
}

test('each class of the reference table has the kind that it states, and an unknown kind its reason', async () => {
  const file = readFileSync(new URL('../../../models/reference/property_classes.csv', import.meta.url));
  const rules: Record<'example' | 'property_kind', string>[] = parse(file, { columns: true });
  const unknown = { class_not_mapped: 'CASTLE', not_published_by_county: null, class_too_broad: 'R' };
  const classes = [...rules.map(({ example }) => example), ...Object.values(unknown)];
  const [signals = []] = await tablesOf(
    { staged_tax_parcel: classes.map((property_class, i) => debt(200 + i, { property_class })) },
    ['signals'],
  );
  const found = signals.sort((a, b) => (String(a['parcel_id']) < String(b['parcel_id']) ? -1 : 1));
  assert.deepEqual(
    found.map((row) => (row['property_kind'] === 'unknown' ? row['property_kind_basis'] : row['property_kind'])),
    [
      ...rules.map(({ property_kind: kind }) => (kind === 'unknown' ? 'class_too_broad' : kind)),
      ...Object.keys(unknown),
    ],
  );
});

test('a sale has the class of its parcel from the tax list, else the layer, and owes the higher taxes', async () => {
  const [leads = []] = await tablesOf(
    {
      staged_auction: [sale('1', '100-1'), sale('2', '900-1'), sale('3', '900-2'), sale('4', null)],
      staged_tax_parcel: [debt(1, { property_class: '2-FAMILY PLATTED LOT' })],
      staged_parcel: [{ ...CUYAHOGA, source: 'layer', parcel_raw: '900-1', property_class: '401' }],
      staged_distress_record: [
        lien('1', '4000.00'),
        lien('2', '3000.00'),
        lien('3', '3000.00', { record_state: 'closed' }),
        lien('4', '3000.00', { parcel_raw: '100-2' }),
      ],
    },
    ['leads'],
  );
  const columns = ['case_number', 'property_class', 'property_kind', 'property_kind_basis', 'unpaid_taxes'];
  assert.deepEqual(
    leads.flatMap((lead) => (lead['auction_id'] === null ? [] : [columns.map((column) => lead[column])])).sort(),
    [
      ['1', '2-FAMILY PLATTED LOT', 'two_to_four', 'county_class', '7000.00'],
      ['2', '401', 'five_up', 'county_class', null],
      ['3', null, 'unknown', 'not_published_by_county', null],
      ['4', null, 'unknown', 'no_parcel_number', null],
    ],
  );
});

test('no score moves from 31 December to 1 January', async () => {
  const scoresOn = async (day: string): Promise<readonly unknown[]> => {
    const read = { observed_at: `${day}T09:00:00Z` };
    const [leads = []] = await tablesOf(
      {
        run: [{ as_of: day, observed_at: `${day}T12:00:00Z`, assumption_set_id: currentAssumptions().id }],
        staged_tax_parcel: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => debt(i + 1, { ...read, certified_year: 2019 + i })),
        staged_auction: [{ ...sale('9', null), ...read, sale_date: '2027-01-20' }],
      },
      ['leads'],
    );
    return leads.map((lead) => [lead['address'], lead['lead_score']]).sort();
  };
  const scores = await scoresOn('2026-12-31');
  assert.equal(scores.length, 9);
  assert.deepEqual(await scoresOn('2027-01-01'), scores);
});
