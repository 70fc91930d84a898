/** Adapters are found by their path, and a file that declares another name or family is refused. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import '../environment.ts';
import { findSources, loadSources, sourcesIn } from '../../sources/index.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const TERMS = { basis: 'open_data', note: 'Made up for this test.' };

/** A folder of adapters: path of each, and what it declares. */
async function folderOf(
  adapters: Readonly<Record<string, { name: string; family: string; terms?: unknown } | null>>,
): Promise<URL> {
  const root = memoryFolder('adapters-');
  for (const [path, spec] of Object.entries(adapters)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(
      join(root, `${path}.ts`),
      spec
        ? `export default { ...${JSON.stringify({ terms: TERMS, ...spec })}, parse: () => [] };\n`
        : 'export const nothing = 1;\n',
    );
  }
  return pathToFileURL(`${root}/`);
}

test('a file that contradicts its path is refused by name', async () => {
  const refused = async (adapters: Parameters<typeof folderOf>[0], message: RegExp): Promise<void> =>
    assert.rejects(sourcesIn(await folderOf(adapters)), message);
  await refused({ 'tax/a': { name: 'b', family: 'tax' } }, /tax\/a\.ts: declares the name b, expected a$/u);
  await refused({ 'tax/a': { name: 'a', family: 'fmr' } }, /declares the family fmr, expected tax/u);
  await refused(
    { 'tax/a': { name: 'a', family: 'tax' }, 'fmr/a': { name: 'a', family: 'fmr' } },
    /the name a is taken by .*fmr\/a/u,
  );
  await refused({ 'tax/a': null }, /no default export/u);
});

test('a site without a stated permission is refused at start-up, by name', async () => {
  for (const terms of [
    null,
    {},
    { basis: 'permission', note: ' ' },
    { basis: 'robots_txt_allows_it', note: 'Nobody forbids it.' },
    { note: 'Ask first.' },
    { basis: 'open_data', note: 'Nobody has read them.', resale: 'allowed' },
  ]) {
    const root = await folderOf({ 'listings/a_site': { name: 'a_site', family: 'listings', terms } });
    await assert.rejects(
      sourcesIn(root),
      /^Error: source a_site: terms is .*, expected a basis .*, a note on the terms .*, and a quote of them/u,
      JSON.stringify(terms),
    );
  }
});

test("this repository's adapters load, those of a table and of EXTRA_SOURCES too", async (t) => {
  const own = (await findSources()).map(({ spec }) => spec.name);
  assert.deepEqual(own, own.toSorted());
  for (const name of ['hud_fmr', 'oh_cuyahoga_tax', 'oh_warren_sheriff', 'fl_orange_tax_deed', 'colorado_sos'])
    assert.ok(own.includes(name), name);
  const before = process.env['EXTRA_SOURCES'];
  t.after(() => {
    process.env['EXTRA_SOURCES'] = before;
  });
  process.env['EXTRA_SOURCES'] = 'sandbox/sources';
  const withSandbox = (await loadSources()).map(({ name }) => name);
  assert.deepEqual(
    withSandbox.filter((name) => !own.includes(name)),
    ['buckeye_income_property', 'crescent_brokerage', 'heartland_multifamily', 'reso_sandbox_mls'],
  );
  process.env['EXTRA_SOURCES'] = 'sandbox/no_such_folder';
  await assert.rejects(loadSources(), /^SettingError: EXTRA_SOURCES is ".*", expected a folder of sources: ENOENT$/u);
});

test('every adapter that replaces its rows limits their drop, except where an operator may withdraw', async () => {
  const unlimited = (await findSources())
    .filter(
      ({ spec }) => spec.reads !== 'increments' && spec.family !== 'corrections' && !(spec.expect.maxDropShare < 1),
    )
    .map(({ spec }) => spec.name);
  assert.deepEqual(unlimited, []);
});
