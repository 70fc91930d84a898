/** Rows of one property in each county, by parcel number and by address: made pairs, and recorded numbers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { skip } from '../sources/real_cells.ts';
import { accuracyByCounty, judgePairs, type CountyAccuracy, type JudgedPair } from './county_accuracy.ts';
import { filingsOfOneKey, recordedCounts } from './recorded_parcels.ts';

const FIGURES = parse<Record<string, string>>(
  readFileSync(new URL('../../models/reference/identity_by_county.csv', import.meta.url), 'utf8'),
  { columns: true },
);

describe('pairs of rows of a county', () => {
  let judged: JudgedPair[] = [];
  let accuracy: CountyAccuracy[] = [];
  before(async () => {
    judged = await judgePairs();
    accuracy = accuracyByCounty(judged);
  });

  it('are at least 200 in each of 19 counties', () => {
    assert.equal(accuracy.length, 19);
    assert.deepEqual(
      accuracy.filter(({ pairs }) => Number(pairs) < 200),
      [],
    );
  });
  it('are joined with a precision of at least 0.999 and a recall of at least 0.98', () => {
    assert.deepEqual(
      accuracy.filter(({ precision, recall }) => Number(precision) < 0.999 || Number(recall) < 0.98),
      [],
    );
  });
  it('are missed only where the number is printed in part', () => {
    const missed = judged.filter(({ truth, isJoined }) => truth === 'same' && !isJoined).map(({ rule }) => rule);
    assert.deepEqual([...new Set(missed)], ['one parcel, in a form that says less than the number']);
  });
  it('have the figures of the reference table', () => {
    const published = FIGURES.map(({ county_fips, county, pairs, same, joined, right, precision, recall }) => ({
      county_fips,
      county,
      pairs,
      same,
      joined,
      right,
      precision,
      recall,
    }));
    assert.deepEqual(accuracy, published);
  });
});

describe('recorded parcel numbers', { skip }, () => {
  it('have a key as often as the reference table says', async () => {
    const published = FIGURES.filter(({ recorded }) => recorded !== '').map(
      ({ county_fips, recorded, recorded_keys }) => ({ county_fips, recorded, recorded_keys }),
    );
    assert.deepEqual(await recordedCounts(), published);
  });
  it('of foreclosure filings in Allegheny have one key as pin and as block and lot', async () => {
    assert.deepEqual(await filingsOfOneKey(), [263, 263]);
  });
});
