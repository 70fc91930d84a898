/** Filings with the SEC: which are requested, which rows of an exhibit count, and how a damaged one is reported. */
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { type Page, SourceUnavailable } from '../../sources/contract.ts';
import absee from '../../sources/benchmarks/sec_absee/source.ts';
import { parsePercent } from '../../sources/benchmarks/sec_absee/assets.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';
import { readFrom, type Answer } from './site_double.ts';

const RECORDED = new URL('../../sources/benchmarks/sec_absee/recorded/', import.meta.url);
const filing = await readFile(new URL('filing.txt', RECORDED), 'utf8');
const exhibit = await readFile(new URL('exhibit.xml', RECORDED), 'utf8');

const dropped = (xml: string): Page =>
  pageOf(new TextEncoder().encode(xml), {
    kind: 'exhibit',
    url: 'file:///drop/sec_absee/Made-up%20Trust%202.xml',
    context: { file: 'Made-up Trust 2.xml' },
  });

/** A trust's list of filings, newest first. */
const listOf = (cik: string, ...filings: readonly (readonly [form: string, filedOn: string, accession: string])[]) =>
  JSON.stringify({
    name: `Trust ${cik}`,
    filings: {
      recent: {
        form: filings.map(([form]) => form),
        filingDate: filings.map(([, filedOn]) => filedOn),
        accessionNumber: filings.map(([, , accession]) => accession),
      },
    },
  });

/** A site on which every trust has filed three forms. */
const site = ({ pathname }: URL): Answer => {
  const cik = /^\/submissions\/CIK(\d{10})\.json$/u.exec(pathname)?.[1];
  if (cik === undefined) return filing;
  return listOf(
    cik,
    ['10-D', '2026-11-16', '0001111111-26-000003'],
    ['ABS-EE', '2026-12-28', '0001111111-26-000009'],
    ['ABS-EE', '2026-10-28', '0001111111-26-000002'],
    ['ABS-EE', '2026-09-28', '0001111111-26-000001'],
  );
};

test('the newest filing of each trust up to the day is read, with the name from its list', async () => {
  const { asked, pages, unreadable } = await readFrom(absee, site);
  assert.deepEqual(asked.slice(0, 2), [
    'https://data.sec.gov/submissions/CIK0001706060.json',
    'https://www.sec.gov/Archives/edgar/data/1706060/0001111111-26-000002.txt',
  ]);
  assert.equal(pages.length, asked.length / 2);
  assert.deepEqual(pages[0]?.context, { trust: 'Trust 0001706060', filed_on: '2026-10-28' });
  assert.deepEqual(unreadable, []);
});

test('a trust without such a filing is skipped; one that cannot be read keeps its rows', async () => {
  const ofOne = (answer: Answer) => (url: URL) => (url.pathname.includes('CIK0001706060') ? answer : site(url));
  const without = await readFrom(absee, ofOne(listOf('0001706060', ['10-D', '2026-10-28', '0001111111-26-000003'])));
  const all = await readFrom(absee, site);
  assert.deepEqual([without.pages.length, without.unreadable.length], [all.pages.length - 1, 0]);
  const changed = await readFrom(absee, ofOne('{"filings":[]}'));
  assert.deepEqual(
    changed.unreadable.map(({ key }) => key),
    [{ trust: 'UBS Commercial Mortgage Trust 2017-C1' }],
  );
  assert.equal(changed.pages.length, all.pages.length - 1);
  await assert.rejects(
    readFrom(absee, () => 403),
    (error) => error instanceof SourceUnavailable && error.status === 403,
  );
});

test('a statement of 350 to 380 days covers a full year, another is flagged', async () => {
  const periods = async (startsOn: string, endsOn: string) => {
    const xml = exhibit.replaceAll('07-01-2025', startsOn).replaceAll('06-30-2026', endsOn);
    const { rows } = await parsed(absee, [dropped(xml)]);
    return rows.map((row) => row['recent_period']);
  };
  assert.deepEqual((await periods('07-01-2025', '06-30-2026')).slice(0, 4), [
    'full_year',
    'full_year',
    'other_period',
    null,
  ]);
  for (const [startsOn, endsOn, period] of [
    ['01-01-2025', '12-15-2025', 'other_period'],
    ['01-01-2025', '12-16-2025', 'full_year'],
    ['01-01-2025', '01-15-2026', 'full_year'],
    ['01-01-2025', '01-16-2026', 'other_period'],
  ] as const)
    assert.equal((await periods(startsOn, endsOn))[0], period, `${startsOn} to ${endsOn}`);
});

test('fractions become percentages without rounding errors', () => {
  assert.deepEqual(
    ['.06055000', '0.06394', '1', '0', '.0000000049', '.0000000050'].map((text) => parsePercent('rate', text, 6)),
    ['6.055000', '6.394000', '100.000000', '0.000000', '0.000000', '0.000001'],
  );
  assert.equal(parsePercent('occupancy', '.93755', 2), '93.76');
  assert.equal(parsePercent('occupancy', undefined, 2), null);
  for (const text of ['6.15', '-0.06', '6 %', '.'])
    assert.throws(() => parsePercent('rate', text, 6), /expected a fraction from 0 to 1\.5/u, text);
});
