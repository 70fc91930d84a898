/**
 * `make listing` makes a folder that is an adapter already: it loads, typechecks and reads its made-up page. Its test
 * fails until pages and terms are reviewed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Quarantine } from '../../sources/contract.ts';
import { sourcesIn } from '../../sources/index.ts';
import { newListing } from '../../sources/new_listing.ts';
import { readCases, unshown } from './fleet_checks.ts';
import { candidatesOf } from './parsed.ts';
import { bodyOf, pageOf } from './recorded.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** A project whose shared files are ours, and whose sources are the new ones. */
const project = await mkdtemp(join(tmpdir(), 'dealfeed-new-listing-'));
after(() => rm(project, { recursive: true }));
const root = join(project, 'sources');
await mkdir(root);
for (const shared of ['lib', 'node_modules', 'package.json']) await symlink(join(ROOT, shared), join(project, shared));
for (const shared of await readdir(join(ROOT, 'sources')))
  if (shared !== 'listings') await symlink(join(ROOT, 'sources', shared), join(root, shared));

/** The listings of each family's made-up page: id, street, units, units of two bedrooms, annual taxes. */
const MADE = {
  cards: [['1001', '12 Example Ave', 8, 4, null]],
  file: [['1001', '12 Example Ave', 8, 4, '11240.00']],
  jsonld: [['1001', '12 Example Ave', 8, 4, '11240.00']],
  reso: [
    ['1001', '912 Example Ave', 2, null, '3412.50'],
    ['1002', '40 Example St', 24, null, null],
  ],
} as const;
for (const FAMILY of Object.keys(MADE))
  await newListing(root, { FAMILY, NAME: `new_${FAMILY}`, SITE: 'www.lakeside.example' });
const found = await sourcesIn(pathToFileURL(`${root}/`));

const ran = (program: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(join(ROOT, 'node_modules/.bin', program), args, { encoding: 'utf8' });

test('each family gives a listing source that is found by its folder', () => {
  assert.deepEqual(
    found.map(({ spec }) => [spec.name, spec.family, spec.terms.basis]),
    Object.keys(MADE).map((family) => [`new_${family}`, 'listings', 'permission']),
  );
  const reso = found.find(({ spec }) => spec.name === 'new_reso')?.spec;
  assert.deepEqual(reso?.secrets, ['NEW_RESO_TOKEN']);
  for (const name of ['new_cards', 'new_jsonld'])
    assert.deepEqual(found.find(({ spec }) => spec.name === name)?.spec.hosts, ['www.lakeside.example']);
});

test('it typechecks', async () => {
  const config = { extends: join(ROOT, 'tsconfig.json'), include: ['sources/listings'] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  const { status, stdout } = ran('tsc', '--noEmit', '-p', project);
  assert.equal(status, 0, stdout);
});

test('it is formatted', () => {
  const { status, stderr } = ran(
    'prettier',
    '--check',
    '--config',
    join(ROOT, '.prettierrc.json'),
    `${root}/listings/*/*.ts`,
  );
  assert.equal(status, 0, stderr);
});

test('it reads its made-up page, and shows a case of each kind', async () => {
  for (const source of found) {
    const recorded = new URL('recorded/', source.folder);
    const rows: unknown[] = [];
    for (const [name, each] of Object.entries(await readCases(recorded))) {
      const parse = async (): ReturnType<typeof candidatesOf> =>
        candidatesOf(source.spec, [pageOf((await bodyOf(each, recorded)).bytes, each)]);
      if (each.quarantine === undefined) {
        const columns = ['listing_id', 'street', 'units', 'units_2br', 'annual_taxes'];
        for (const c of await parse()) rows.push('values' in c ? columns.map((column) => c.values[column]) : c.reject);
        continue;
      }
      await assert.rejects(
        parse(),
        (error: unknown) => error instanceof Quarantine && error.reason === each.quarantine,
        `${source.spec.name} ${name}`,
      );
    }
    const family = Object.entries(MADE).find(([name]) => source.spec.name === `new_${name}`);
    assert.deepEqual(rows, family?.[1], source.spec.name);
    assert.deepEqual(await unshown(source), [], source.spec.name);
  }
});

test('its test fails until terms and pages are reviewed', async () => {
  for (const { spec, folder } of found) {
    assert.match(spec.terms.note, /\bSay here\b/u);
    assert.match(await readFile(new URL('recorded/README.md', folder), 'utf8'), /Nothing is recorded yet/u);
  }
});

test('an invalid request is refused by name, and nothing is overwritten', async () => {
  const refused = (settings: Record<string, string>, says: RegExp): Promise<void> =>
    assert.rejects(newListing(root, settings), says);
  await refused({ NAME: 'new_reso', FAMILY: 'reso' }, /NAME is "new_reso", expected the name of a new source/u);
  await refused({ NAME: 'Lakeside', FAMILY: 'cards' }, /NAME is "Lakeside", expected a name such as/u);
  await refused({ NAME: 'lakeside', FAMILY: 'html' }, /FAMILY is "html", expected reso/u);
  await refused({ NAME: 'lakeside', FAMILY: 'cards', SITE: 'https://a.example/' }, /SITE is .*expected the host/u);
});
