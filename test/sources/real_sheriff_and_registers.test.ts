/** Real recorded files through the adapters, where the folder that holds them is present. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { Page, SourceSpec } from '../../sources/contract.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
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
