/** Medians of the census and filings with the SEC in a run: what is counted, and that a fault keeps the last rows. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SourceReadRow } from '../../../pipelines/ingest/source_state.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { rents } from '../../../sandbox/world/rents.ts';
import { runDay } from '../runs.ts';
import { afterFirstDay, FIRST_RUN, publishedRun, type StartingPoint } from '../starting_points.ts';

const SOURCES = ['census_acs', 'sec_absee'];

/** Metropolitan areas and counties of the world's HUD areas. */
const AREAS = new Set(rents.map(({ hudAreaCode }) => hudAreaCode.slice(5, 10))).size + rents.length;

const METROS = 'metropolitan statistical area/micropolitan statistical area';

/** No median of any metro has an estimate, and the second trust's filing ends in the middle. */
const faults: Alter = ({ host, query, path }, response) => {
  if (host === 'api.census.gov' && response.status === 200 && query.get('for')?.startsWith(METROS)) {
    const [header, ...rows] = JSON.parse(new TextDecoder().decode(response.body)) as string[][];
    const none = rows.map((row) => row.map((cell, at) => (at === 0 || at === row.length - 1 ? cell : '-666666666')));
    return { ...response, body: new TextEncoder().encode(JSON.stringify([header, ...none])) };
  }
  if (host === 'www.sec.gov' && path.includes('/2110410/'))
    return { ...response, body: response.body.subarray(0, response.body.length / 2) };
  return undefined;
};

describe('the census and the filings', () => {
  let start: StartingPoint;
  before(async () => {
    start = await afterFirstDay();
  });

  const rowsOn = async (
    day: string,
    more: Pick<Parameters<typeof runDay>[0], 'alter' | 'secrets'>,
  ): Promise<(name: string) => SourceReadRow> => {
    const only = ({ name }: { readonly name: string }): boolean => SOURCES.includes(name);
    const { sources } = await runDay({ ...start, day, only, tables: [], ...more });
    return (name) => sources.find(({ row }) => row.source === name)?.row ?? assert.fail(name);
  };

  test('each area is a row; properties of other types and parts of portfolios are counted apart', async () => {
    const { manifest } = await publishedRun(start, FIRST_RUN);
    const of = (name: string) => manifest.sources.find(({ source }) => source === name) ?? assert.fail(name);
    const [census, filings] = [of('census_acs'), of('sec_absee')];
    assert.deepEqual([census.status, census.rows_in, census.rows_out], ['good', AREAS, AREAS]);
    assert.deepEqual([filings.status, filings.rows_in, filings.rows_out, filings.rows_rejected], ['good', 9, 4, 5]);
  });

  test('a table without estimates and a cut exhibit are quarantined; the rows of the day before stay', async () => {
    const of = await rowsOn('2026-11-21', { alter: faults });
    const [census, filings] = [of('census_acs'), of('sec_absee')];
    assert.deepEqual([census.status, census.reason, census.rows_out], ['quarantined', 'template_changed', AREAS]);
    assert.match(
      census.detail ?? '',
      /^21 of 21 areas have no median_gross_rent \(B25064_001E\), at most 20 % expected$/u,
    );
    assert.deepEqual([filings.status, filings.reason, filings.rows_out], ['quarantined', 'malformed_page', 4]);
    assert.match(filings.detail ?? '', /^the exhibit is truncated or damaged: <\w+> is not closed$/u);
    assert.match(
      filings.page_url ?? '',
      /^https:\/\/www\.sec\.gov\.sandbox\.example\/Archives\/edgar\/data\/2110410\//u,
    );
  });
});
