/** `make county` makes a folder that is an adapter already, and whose test fails until pages are recorded. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Quarantine } from '../../sources/contract.ts';
import { sourcesIn } from '../../sources/index.ts';
import { newCounty } from '../../sources/new_county.ts';
import { readCases, unshown } from './fleet_checks.ts';
import { candidatesOf } from './parsed.ts';
import { bodyOf, pageOf } from './recorded.ts';

const SOURCES = fileURLToPath(new URL('../../sources/', import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'dealfeed-new-county-'));
after(() => rm(root, { recursive: true }));
for (const shared of ['families', 'contract.ts', 'values.ts']) await symlink(join(SOURCES, shared), join(root, shared));

const MADE = [
  { NAME: 'oh_wood_tax', FAMILY: 'county_list_file', FIPS: '39173' },
  { NAME: 'oh_van_wert_tax', FAMILY: 'arcgis_parcels', FIPS: '39161' },
  { NAME: 'oh_van_wert_sheriff', FAMILY: 'realauction', FIPS: '39161' },
];
for (const settings of MADE) await newCounty(root, settings);
const found = await sourcesIn(pathToFileURL(`${root}/`));

test('each family gives an adapter of the named county that is found by its folder', () => {
  assert.deepEqual(
    found.map(({ spec }) => [spec.name, spec.county?.name, spec.county?.fips]),
    [
      ['oh_van_wert_sheriff', 'Van Wert County', '39161'],
      ['oh_van_wert_tax', 'Van Wert County', '39161'],
      ['oh_wood_tax', 'Wood County', '39173'],
    ],
  );
});

test('it has a case of each kind; those that need no page of the county pass already', async () => {
  for (const { spec, folder } of found) {
    const recorded = new URL('recorded/', folder);
    let held = 0;
    for (const [name, each] of Object.entries(await readCases(recorded))) {
      if (each.file !== undefined) continue;
      const page = pageOf((await bodyOf(each, recorded)).bytes, each);
      if (each.quarantine === undefined) continue;
      await assert.rejects(
        candidatesOf(spec, [page]),
        (error: unknown) => error instanceof Quarantine && error.reason === each.quarantine,
        `${spec.name} ${name}`,
      );
      held += 1;
    }
    assert.ok(held > 0, spec.name);
  }
});

test('its test fails until pages are recorded, and the README lists the missing pages', async () => {
  for (const source of found) {
    await assert.rejects(unshown(source), /ENOENT/);
    assert.match(await readFile(new URL('recorded/README.md', source.folder), 'utf8'), /Nothing is recorded yet/);
  }
});

test('an invalid request is refused by name, and nothing is overwritten', async () => {
  const refused = (settings: Record<string, string>, says: RegExp): Promise<void> =>
    assert.rejects(newCounty(root, settings), says);
  await refused(
    { NAME: 'oh_wood_tax', FAMILY: 'county_list_file', FIPS: '39173' },
    /NAME is "oh_wood_tax", expected the name of a new source/,
  );
  await refused({ NAME: 'wood', FAMILY: 'realauction', FIPS: '39173' }, /NAME is "wood"/);
  await refused({ NAME: 'oh_ross_tax', FAMILY: 'realauction', FIPS: '39141' }, /ends in _sheriff/);
  await refused({ NAME: 'oh_ross_tax', FAMILY: 'html', FIPS: '39141' }, /FAMILY is "html", expected realauction/);
  await refused({ NAME: 'oh_ross_tax', FAMILY: 'county_list_file', FIPS: '18001' }, /FIPS is "18001"/);
});
