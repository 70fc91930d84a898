/** Classes of recorded county rows and the kinds that the models give them, where the folder of real files is here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, cellsOf, skip } from '../../sources/real_cells.ts';
import { buildTables } from '../build_models.ts';

/** Names of the class in the layers of nine counties. */
const CLASS_FIELDS = ['CLASSCD', 'USECD', 'usecd', 'LUC', 'CLASS', 'tax_luc', 'SDE.WEB_CAMA.LUC'];

interface Layers {
  readonly 'recorded_2026-10-03': Readonly<Record<string, string | readonly Readonly<Record<string, unknown>>[]>>;
}

test('the classes of recorded rows of ten Ohio counties have kinds', { skip }, async () => {
  const layers = JSON.parse(new TextDecoder().decode(bytesOf('live/county_rows/ohio_layers_rows.json'))) as Layers;
  const codes = Object.values(layers['recorded_2026-10-03'])
    .flatMap((rows) => (typeof rows === 'string' ? [] : rows))
    .flatMap((row) => CLASS_FIELDS.map((field) => row[field]).filter((code) => typeof code === 'string'));
  const words = cellsOf('live/hamilton/geomarker_apt_complex_parcel_ids.csv').map((row) => row['land_use'] ?? '');
  const classes = [...new Set([...codes, ...words])].filter(Boolean).sort();
  const built = await buildTables(
    {
      staged_tax_parcel: classes.map((property_class, i) => ({
        county_fips: '39061',
        county: 'Hamilton County, OH',
        source: 'county',
        parcel_raw: `1-${i}`,
        amount: '1.00',
        property_class,
      })),
    },
    ['signals'],
  );
  try {
    const kinds = await built.rows('signals');
    assert.deepEqual(Object.fromEntries(kinds.map((row) => [row['property_class'], row['property_kind']]).sort()), {
      '400': 'vacant_lot',
      '510': 'one_family',
      '520': 'two_to_four',
      '550': 'one_family',
      '553': 'one_family',
      '5100': 'one_family',
      '5200': 'two_to_four',
      '520  ': 'two_to_four',
      '510  ': 'one_family',
      'apartment, 20-39 units': 'five_up',
      'apartment, 4-19 units': 'five_up',
      'apartment, 40+ units': 'five_up',
      'condominium unit': 'one_family',
      'metropolitan housing authority': 'other',
      'single family dwelling': 'one_family',
    });
  } finally {
    built.close();
  }
});
