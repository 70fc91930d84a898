/** Sources that are files: which one is fetched, and what an archive may hold. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import { unzip, unzipParts, unzipStart } from '../../sources/csv/zip.ts';
import { effectiveOn } from '../../sources/readers/hud_releases.ts';
import hud from '../../sources/fmr/hud_fmr.ts';
import safmr from '../../sources/fmr/hud_safmr.ts';
import montgomery from '../../sources/tax/oh_montgomery_tax.ts';
import { zipOf } from './recorded.ts';
import { quarantined, readFrom } from './site_double.ts';

const nameOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
const workbook = new Uint8Array(5000).fill(0x50);

test("HUD's revision is taken from the day it takes effect", async () => {
  assert.equal(effectiveOn({ fiscalYear: 2026, revision: 'revised' }), '2026-05-21');
  const both = ({ pathname }: URL) => (/FY26_FMRs/u.test(pathname) ? workbook : undefined);
  assert.equal(nameOf((await readFrom(hud, both, '2026-05-20')).pages[0]?.url ?? ''), 'FY26_FMRs.xlsx');
  assert.equal(nameOf((await readFrom(hud, both, '2026-05-21')).pages[0]?.url ?? ''), 'FY26_FMRs_revised.xlsx');
});

test("HUD's ZIP rents are requested by both names, and a year without them is a good read", async () => {
  const index = '<h1>Small Area Fair Market Rents</h1><a href="../fmr2019/fy2019_safmrs_rev.xlsx">2019</a>';
  const list = ({ pathname }: URL): string | undefined =>
    pathname.endsWith('/smallarea/index.html') ? index : undefined;
  const { asked, pages } = await readFrom(safmr, list, '2026-05-20');
  assert.deepEqual(
    pages.map((page) => [page.kind, safmr.parse(page)]),
    [['index', []]],
  );
  assert.deepEqual(asked.map(nameOf), [
    'fy2026_safmrs.xlsx',
    'FY26_safmrs.xlsx',
    'fy2025_safmrs_revised.xlsx',
    'FY25_safmrs_revised.xlsx',
    'fy2025_safmrs.xlsx',
    'FY25_safmrs.xlsx',
    'index.html',
  ]);
  const named = await readFrom(safmr, ({ pathname }) =>
    pathname.endsWith('/fmr2027/FY27_safmrs.xlsx') ? workbook : undefined,
  );
  assert.deepEqual(
    named.pages.map((p) => [p.kind, nameOf(p.url)]),
    [['safmr', 'FY27_safmrs.xlsx']],
  );
});

test("HUD's newest workbook in force is read: a revision first, last year's if neither is posted", async () => {
  const posted = (...names: string[]) =>
    readFrom(hud, ({ pathname }) => (names.includes(nameOf(`https://x${pathname}`)) ? workbook : undefined));
  const { asked } = await posted('FY26_FMRs.xlsx');
  assert.deepEqual(
    asked.map((url) => new URL(url).pathname),
    [
      '/portal/datasets/fmr/fmr2027/FY27_FMRs_revised.xlsx',
      '/portal/datasets/fmr/fmr2027/FY27_FMRs.xlsx',
      '/portal/datasets/fmr/fmr2026/FY26_FMRs_revised.xlsx',
      '/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx',
      // The list of years, because these rents are of a year that is over.
      '/portal/datasets/fmr.html',
    ],
  );
  assert.deepEqual(
    (await posted('FY27_FMRs.xlsx', 'FY26_FMRs_revised.xlsx')).pages.map((p) => nameOf(p.url)),
    ['FY27_FMRs.xlsx'],
  );
  assert.deepEqual(
    (await posted('FY27_FMRs.xlsx', 'FY27_FMRs_revised.xlsx')).pages.map((p) => nameOf(p.url)),
    ['FY27_FMRs_revised.xlsx'],
  );
  await assert.rejects(
    posted('FY25_FMRs.xlsx'),
    (error) => error instanceof SourceUnavailable && error.reason === 'not_found',
  );
});

/** The Treasurer's page as it is written: no quotes around addresses, backslashes in them. */
const links = (...names: string[]): string =>
  `<html><body><table>${names
    .map((n) => `<tr><td><a href=data\\Delq\\${n} target=_blank>${n}</a></td></tr>`)
    .join('')}</table></body></html>`;

test("Montgomery's newest file is found behind backslashes and missing quotes", async () => {
  const archive = zipOf({ 'Delq.csv': new Uint8Array(2000).map((_, i) => (i * i * 31) >> 3) });
  const read = (html: string, asOf?: string) =>
    readFrom(montgomery, ({ pathname }) => (pathname.endsWith('.cfm') ? html : archive), asOf);
  const page = links('Delq_20260930.zip', 'Delq_20261031.zip', 'TR_20261101.zip', 'Delq_20260831.zip');
  assert.deepEqual((await read(page)).asked, [
    'https://go.mcohio.org/applications/treasurer/search/fdpopup.cfm?dtype=DQ',
    'https://go.mcohio.org/applications/treasurer/search/data/Delq/Delq_20261031.zip',
  ]);
  assert.equal(nameOf((await read(page, '2026-10-15')).pages[0]?.url ?? ''), 'Delq_20260930.zip');
  await assert.rejects(read(links('TR_20261101.zip')), quarantined('template_changed'));
});

test('the start of an archive unpacks as far as it goes, if its first entry is the expected file', () => {
  const content = Buffer.from(Array.from({ length: 2000 }, (_, i) => `row ${i},${(i * i * 31) >> 3}\n`).join(''));
  const archive = zipOf({ 'data\\roll.csv': content, 'readme.txt': new Uint8Array(10) });
  const isCsv = (name: string): boolean => name.endsWith('.csv');
  const start = unzipStart(archive.subarray(0, archive.length / 2), 'https://x.example/', isCsv);
  assert.ok(start.length > content.length / 4 && start.length < content.length);
  assert.deepEqual(Buffer.from(start), content.subarray(0, start.length));
  assert.equal(unzipStart(archive, 'https://x.example/', isCsv).length, content.length);
  for (const [bytes, problem] of [
    [archive.subarray(0, 20), /it has no entry/],
    [Buffer.concat([archive.subarray(0, 60), Buffer.alloc(100, 0xff)]), /does not unpack/],
    [zipOf({ 'readme.txt': content }), /its first entry is readme\.txt, not the expected file/],
  ] as const)
    assert.throws(() => unzipStart(bytes, 'https://x.example/', isCsv), quarantined('malformed_page', problem));
});

test('an archive may not unpack to more than its limit', () => {
  const archive = zipOf({
    'a.csv': new Uint8Array(60_000),
    'b.csv': new Uint8Array(60_000),
    'c.txt': new Uint8Array(60_000),
  });
  assert.throws(
    () => unzip(archive, 'https://x.example/', () => true, 100_000),
    quarantined('body_too_large', /b\.csv/),
  );
  assert.deepEqual(
    [...unzip(archive, 'https://x.example/', (name) => name.endsWith('.txt'), 100_000).keys()],
    ['c.txt'],
  );
});

test('an entry is read in parts: the same bytes, under a limit, checked against its checksum', async () => {
  const content = new Uint8Array(300_000).map((_, i) => (i * i * 31) >> 3);
  const archive = zipOf({ 'readme.txt': new Uint8Array(10), 'data\\roll.csv': content });
  const read = (bytes: Uint8Array, maxBytes = 300_000): Promise<Uint8Array[]> =>
    Array.fromAsync(unzipParts(bytes, 'https://x.example/', (name) => name === 'data/roll.csv', maxBytes));
  const parts = await read(archive);
  assert.ok(parts.length > 1);
  assert.deepEqual(Buffer.concat(parts), Buffer.from(content));
  await assert.rejects(read(archive, 299_999), quarantined('body_too_large', /roll\.csv/));
  await assert.rejects(read(archive.subarray(0, archive.length - 50)), quarantined('truncated_download'));
  await assert.rejects(read(zipOf({ 'other.csv': content })), quarantined('malformed_page', /other\.csv/));
  const [start = 0] = [Buffer.from(archive).indexOf('data\\roll.csv') + 60];
  const damaged = archive.slice();
  damaged[start] = (damaged[start] ?? 0) ^ 255;
  await assert.rejects(read(damaged), quarantined('malformed_page', /roll\.csv/));
  // A directory that states another checksum, or less than the entry unpacks to
  const entry = Buffer.from(archive).lastIndexOf('data\\roll.csv') - 46;
  const changed = archive.slice();
  changed.set([1, 2, 3, 4], entry + 16);
  await assert.rejects(read(changed), quarantined('malformed_page', /checksum of data\/roll\.csv/));
  const lying = archive.slice();
  lying.set([1, 0, 0, 0], entry + 24);
  await assert.rejects(read(lying, 100_000), quarantined('body_too_large', /roll\.csv/));
});
