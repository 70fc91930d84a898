/** Names, types and standings of the registers in normal form, next to the published text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from '../build_models.ts';

const rows = async (
  registrations: readonly Readonly<Record<string, unknown>>[],
): Promise<Record<string, unknown>[]> => {
  using built = await build(
    {
      staged_registration: registrations.map((row, index) => ({
        register: 'colorado_sos',
        document_number: String(20_261_000_000 + index),
        business_name_raw: 'Oak Street LLC',
        filing_date: '2026-11-02',
        source: 'colorado_sos',
        source_url: 'https://data.colorado.gov/',
        observed_at: '2026-11-20T12:00:00Z',
        page_row: index,
        ...row,
      })),
    },
    ({ name }) => ['stg_registrations', 'stg_superseded'].includes(name),
  );
  return (await built.rows('stg_registrations')).sort((a, b) => Number(a['page_row']) - Number(b['page_row']));
};

test('only the standing that Colorado appends to a name is removed', async () => {
  const names: readonly (readonly [published: string, name: string])[] = [
    ['6301 State Farm LLC, Delinquent May 1, 2022', '6301 State Farm LLC'],
    ['SUNRISE DITCH, INC., Dissolved June 18, 2001', 'SUNRISE DITCH, INC.'],
    ['CONSOLIDATED DITCH COMPANY, Delinquency Cured January 06, 2014', 'CONSOLIDATED DITCH COMPANY'],
    ['Example Inc., Colorado Authority Relinquished March 3, 2020', 'Example Inc.'],
    ['Smith, Merged Lane LLC, Delinquent May 1, 2022', 'Smith, Merged Lane LLC'],
    ['Smith, Merged Lane LLC', 'Smith, Merged Lane LLC'],
    ['Dissolved Dreams LLC', 'Dissolved Dreams LLC'],
    ['Withdrawn May 1, 2022', 'Withdrawn May 1, 2022'],
    ['Revoked, Expired', 'Revoked, Expired'],
    ['Founders of May 1, 2022', 'Founders of May 1, 2022'],
    ['Class of, May 1, 2022', 'Class of, May 1, 2022'],
    ['Expired May 1, 2022 LLC', 'Expired May 1, 2022 LLC'],
    [', Dissolved June 18, 2001', ', Dissolved June 18, 2001'],
  ];
  const found = await rows(
    names.map(([published]) => ({ business_name_raw: published, entity_status_raw: 'Delinquent' })),
  );
  assert.deepEqual(
    found.map((row) => [row['business_name_raw'], row['business_name']]),
    names,
  );
  const [ohio] = await rows([
    { register: 'ohio_sos', source: 'ohio_sos', business_name_raw: 'OAK LLC, DISSOLVED JUNE 18, 2001' },
  ]);
  assert.equal(ohio?.['business_name'], 'OAK LLC, DISSOLVED JUNE 18, 2001', 'Ohio appends no standing');
});

test('each known type and standing of Colorado has a normal form; an unknown one is other', async () => {
  const types =
    'DLLC FLLC DPC FPC DNC FNC DLP FLP DLLP FLLP DLLLP FLLLP DPC-PBC DLCA DLCA-PBC FLCA DLPA FLPA DT GP WC CU FCOOP ' +
    'DC55 DC55-PBC DC56 DC56-PBC SL UNA';
  const standings = [
    'Good Standing',
    'Exists',
    'Delinquent',
    'Noncompliant',
    'Administratively Dissolved',
    'Voluntarily Dissolved',
    'Dissolved (Term Expired)',
    'Revoked',
    'Withdrawn',
    'Merged',
    'Consolidated',
    'Converted',
    'Registered Agent Resigned',
  ];
  const byType = await rows(types.split(' ').map((type) => ({ entity_type_raw: type })));
  assert.ok(
    byType.every((row) => !['other', 'not_stated'].includes(String(row['entity_type']))),
    JSON.stringify(byType.find((row) => row['entity_type'] === 'other')),
  );
  assert.equal(
    byType.find((row) => row['entity_type_raw'] === 'DT')?.['entity_type'],
    'ditch_company',
    'the real file has it for ditch companies',
  );
  const byStanding = await rows(standings.map((standing) => ({ entity_status_raw: standing.toUpperCase() })));
  assert.deepEqual(
    byStanding.map((row) => row['entity_status']),
    standings,
  );
  // IC, FO, CS and SP are not documented.
  const odd = await rows([
    ...['IC', 'FO', 'CS', 'SP', 'XYZ'].map((type) => ({ entity_type_raw: type })),
    { entity_type_raw: null, entity_status_raw: 'Asleep' },
    { entity_status_raw: null },
  ]);
  assert.deepEqual(
    odd.map((row) => [row['entity_type'], row['entity_type_raw'], row['entity_status'], row['entity_status_raw']]),
    [
      ...['IC', 'FO', 'CS', 'SP', 'XYZ'].map((type) => ['other', type, null, null]),
      ['not_stated', null, 'Other', 'Asleep'],
      ['not_stated', null, null, null],
    ],
  );
});
