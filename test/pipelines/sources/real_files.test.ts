/** The real public files, put into the drop folder as an operator would, through to a published snapshot. */
import assert from 'node:assert/strict';
import { copyFile, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { verifySnapshot } from '../../../pipelines/snapshots.ts';
import { loadSources } from '../../../sources/index.ts';
import { runHere } from '../../jobs/here.ts';
import { newLayout, published } from '../runs.ts';
import { modelsOf } from '../some_tables.ts';

const REAL = new URL('../../../../shared/real/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

const FILES = {
  hud_fmr: 'hud/FY26_FMRs.xlsx',
  colorado_sos: 'colorado/Business-Entities-in-Colorado_2017_ditch_subset.csv',
  oh_montgomery_tax: 'tax/montgomery_dayton_reap_parcels.csv',
} as const;

test('the real files pass through the same adapters into a published snapshot without a loss', { skip }, async () => {
  const layout = await newLayout();
  for (const [source, file] of Object.entries(FILES)) {
    await mkdir(join(layout.drop, source), { recursive: true });
    await copyFile(new URL(file, REAL), join(layout.drop, source, basename(file)));
  }
  const result = await runHere(layout, {
    sandboxUrl: 'http://127.0.0.1:9',
    dataClock: 'live',
    sources: (await loadSources()).filter((s) => s.terms.basis !== 'sandbox_only'),
    due: (spec) => spec.name in FILES,
    models: await modelsOf(['filings', 'leads', 'sources']),
  });
  assert.deepEqual(
    result.blocked.map((b) => [b.name, b.failing]),
    [],
  );
  assert.ok(result.manifest);
  const counts = Object.fromEntries(
    result.sources
      .filter((s) => s.spec.name in FILES)
      .map(({ row }) => [row.source, [row.status, row.rows_in, row.rows_out, row.rows_rejected, row.rows_merged]]),
  );
  assert.deepEqual(counts, {
    hud_fmr: ['good', 4764, 4764, 0, 0],
    // 35 of the export's 899 rows are repeated in it, byte for byte.
    colorado_sos: ['good', 899, 864, 0, 35],
    oh_montgomery_tax: ['good', 609, 609, 0, 0],
  });
  const unread = result.sources.filter((s) => !(s.spec.name in FILES));
  assert.ok(unread.length > 0 && unread.every((s) => s.row.status === 'never_read' && s.row.last_good_at === null));
  assert.deepEqual(await verifySnapshot(layout, result.runId), []);

  const count = async (table: string, where = 'true'): Promise<number> =>
    (await published(layout, result.runId, table, `WHERE ${where}`)).length;
  assert.equal(await count('filings', "source = 'colorado_sos'"), 864);
  assert.equal(
    await count('filings', "business_name ~ ', (Delinquent|Dissolved) .*[0-9]{4}$'"),
    0,
    'status suffixes are off the names',
  );
  assert.equal(
    await count('signals', "county_fips = '39113' AND amount IS NULL"),
    609,
    'the list has no amounts, and none is made up',
  );
  assert.equal(await count('leads'), 0, 'no lead: the debts are unknown');
});
