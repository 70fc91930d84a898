/** Adding a county is one folder: a declaration of a few lines, its recorded pages, and nothing else edited. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { sourcesIn } from '../../sources/index.ts';
import { fleetTests, readCases, unshown } from './fleet_checks.ts';

const SOURCES = fileURLToPath(new URL('../../sources/', import.meta.url));
/** A folder of adapters like ours, whose shared files are ours. */
const root = await mkdtemp(join(tmpdir(), 'dealfeed-counties-'));
after(() => rm(root, { recursive: true }));
for (const shared of ['families', 'contract.ts', 'values.ts']) await symlink(join(SOURCES, shared), join(root, shared));

/** A county whose parcel layer has the debts: its URL, the condition of a debt, and the names of its fields. */
const LORAIN = `import { arcgisParcels } from '../../families/arcgis/adapter.ts';
import { money, optional } from '../../values.ts';
export default arcgisParcels({
  name: 'oh_lorain_tax', title: 'Lorain County tax delinquency',
  county: { fips: '39093', name: 'Lorain County', state: 'OH' },
  layer: 'https://gis.lorain.example/rest/services/Parcels/FeatureServer/0', where: 'DUE > 0',
  terms: { basis: 'public_record', note: 'Made up for a test.' }, everyDays: 7,
  politeness: { minIntervalMs: 2000, concurrency: 1 }, expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.3 },
  parcel: 'PIN', needed: ['PIN', 'OWNER', 'STREET', 'DUE'],
  values: (a) => ({ owner_name: optional(a.OWNER), street: optional(a.STREET), amount: money('DUE', a.DUE) }),
});
`;
const layer = (fields: readonly string[], features: readonly Record<string, unknown>[]): string =>
  JSON.stringify({
    fields: fields.map((name) => ({ name, type: 'esriFieldTypeString' })),
    features: features.map((attributes) => ({ attributes })),
  });
const FIELDS = ['OBJECTID', 'PIN', 'OWNER', 'STREET', 'DUE'];
const page = { kind: 'features', url: 'https://gis.lorain.example/rest/services/Parcels/FeatureServer/0/query?f=json' };
const FROM = 'Made by us in the form of an ArcGIS query answer.';
const lorain = join(root, 'tax/oh_lorain_tax');
await mkdir(join(lorain, 'recorded'), { recursive: true });
const good = layer(FIELDS, [{ OBJECTID: 1, PIN: '01-00-1', OWNER: 'A SAMPLE', STREET: '1 SAMPLE ST', DUE: 1200.5 }]);
for (const [file, content] of Object.entries({
  'source.ts': LORAIN,
  'recorded/pages.json': JSON.stringify({
    from: FROM,
    features: { ...page, text: good },
    last_page: { ...page, text: layer(FIELDS, []) },
    blocked_login_page: { ...page, text: '<html>Sign in</html>', quarantine: 'malformed_page' },
    cut_off: { ...page, text: good, cutTo: 90, quarantine: 'malformed_page' },
    without_a_field: {
      ...page,
      text: layer(
        FIELDS.filter((f) => f !== 'DUE'),
        [],
      ),
      quarantine: 'missing_column',
    },
  }),
  'recorded/features.expected.json': JSON.stringify([
    {
      values: {
        county_fips: '39093',
        county: 'Lorain County, OH',
        parcel_raw: '01-00-1',
        owner_name: 'A SAMPLE',
        street: '1 SAMPLE ST',
        amount: '1200.50',
      },
      sourceUrl:
        'https://gis.lorain.example/rest/services/Parcels/FeatureServer/0/query' +
        '?where=PIN%3D%2701-00-1%27&outFields=*&returnGeometry=false&f=html',
    },
  ]),
  'recorded/last_page.expected.json': '[]',
}))
  await writeFile(join(lorain, file), content);

const found = await sourcesIn(pathToFileURL(`${root}/`));

await fleetTests(found);

test('the folder is found, a declaration of under twenty lines', async () => {
  assert.deepEqual(
    found.map(({ spec }) => spec.name),
    ['oh_lorain_tax'],
  );
  for (const { folder } of found) {
    const lines = (await readFile(new URL('source.ts', folder), 'utf8')).split('\n').filter((line) => line.trim());
    assert.ok(lines.length < 20, `${lines.length} lines`);
  }
});

test('the missing recorded pages are listed, with how to record them', async (t) => {
  const bare = await mkdtemp(join(root, '.bare-'));
  t.after(() => rm(bare, { recursive: true }));
  await mkdir(join(bare, 'recorded'));
  await writeFile(join(bare, 'recorded/pages.json'), JSON.stringify({ from: FROM, features: { ...page, text: good } }));
  const [first] = found;
  assert.ok(first);
  assert.deepEqual(
    (await unshown({ spec: first.spec, folder: pathToFileURL(`${bare}/`) })).map((line) => line.split(':')[0]),
    ['empty', 'blocked', 'malformed', 'changed template'],
  );
});

test('recorded pages that do not say where they come from are refused', async (t) => {
  const bare = await mkdtemp(join(root, '.bare-'));
  t.after(() => rm(bare, { recursive: true }));
  for (const from of [undefined, 'Made by us.']) {
    await writeFile(join(bare, 'pages.json'), JSON.stringify({ from, features: { ...page, text: good } }));
    await assert.rejects(readCases(pathToFileURL(`${bare}/`)), /"from"/u);
  }
});
