/** Real recorded files through the adapters, where the folder that holds them is present. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { Page, SourceSpec } from '../../sources/contract.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import cuyahoga from '../../sources/sheriff/oh_cuyahoga_sheriff/source.ts';
import { parsed, type Parsed } from './parsed.ts';

const REAL = new URL('../../../shared/real/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';
const OBSERVED = '2026-11-20T12:00:00Z';

/** Parse a file as if the operator had dropped it. */
async function dropped(spec: SourceSpec, path: string): Promise<Parsed> {
  const name = path.split('/').at(-1) ?? '';
  const format = spec.drop?.find(({ pattern }) => pattern.test(name.toLowerCase()));
  assert.ok(format, `${spec.name} knows no file named ${name}`);
  const bytes = readFileSync(new URL(path, REAL));
  const page: Page = {
    kind: format.kind,
    url: `file:///drop/${spec.name}/${name}`,
    context: { file: name },
    bytes,
    sha256: '0'.repeat(64),
    contentType: null,
    observedAt: OBSERVED,
    text: (fallback) => new TextDecoder(fallback ?? 'utf-8').decode(bytes),
  };
  return parsed(spec, [page]);
}

test(
  "Colorado's export of 2017: every one of its 899 records is read; 35 of them are repeated word for word",
  { skip },
  async () => {
    const { rows, rejects, rowsIn, merged } = await dropped(
      colorado,
      'colorado/Business-Entities-in-Colorado_2017_ditch_subset.csv',
    );
    assert.deepEqual(
      { rowsIn, rows: rows.length, merged, rejects: rejects.length },
      { rowsIn: 899, rows: 864, merged: 35, rejects: 0 },
    );
  },
);

test(
  'Cuyahoga as another project scraped it: 69 rows, of which 13 lost their sale day to a status',
  { skip },
  async () => {
    const { rows, rejects, rowsIn, merged } = await dropped(
      cuyahoga,
      'sheriff/cuyahoga_realauction_scraped_2024-08.json',
    );
    assert.deepEqual({ rowsIn, rows: rows.length, merged }, { rowsIn: 69, rows: 56, merged: 0 });
    assert.deepEqual(new Set(rejects.map(({ reason }) => reason)), new Set(['sale_date_overwritten']));
    assert.deepEqual([...new Set(rows.map((row) => row['sale_date']))].sort(), [
      '2024-08-05',
      '2024-08-12',
      '2024-08-19',
      '2024-08-26',
    ]);
    assert.ok(rows.every((row) => row['city'] === null && /^\d+ [\w ]+$/u.test(String(row['street']))));
    assert.equal(rows.filter((row) => row['appraised_value'] === null).length, 3, 'appraised at $0.00');
    // Two thirds of the appraisal, rounded up to the dollar, except for a few later or tax sales.
    const twoThirds = rows.filter(
      (row) => Number(row['opening_bid']) === Math.ceil((Number(row['appraised_value']) * 2) / 3),
    );
    assert.equal(twoThirds.length, 51);
  },
);
