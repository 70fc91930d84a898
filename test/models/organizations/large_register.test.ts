/** Builds a day of a register that is several times larger than the memory of the build. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { buildModels } from '../../../models/build.ts';
import { loadModels } from '../../../models/index.ts';
import { createInputs } from '../build_models.ts';

const FILINGS = 100_000;
const NEEDED = ['registers', 'stg_registrations', 'stg_superseded', 'stg_amendments', 'int_filings_before', 'filings'];
const ROW = { source: 'colorado_sos', register: 'colorado_sos', page_row: 0, filing_date: '2026-11-01' };

test('a day of a large register needs memory for its own filings alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-large-'));
  t.after(() => rm(folder, { recursive: true }));
  const duck = await openDuck(join(folder, 'build.duckdb'), { memoryLimit: '140MB', isTemporary: true });
  try {
    const { connection } = duck;
    const models = await createInputs(
      connection,
      (await loadModels()).filter(({ name }) => NEEDED.includes(name)),
      {
        staged_registration: [1, 2, FILINGS + 1].map((i) => ({
          ...ROW,
          document_number: `${i}`,
          business_name_raw: `Corrected ${i}`,
          agent_name: `Agent ${i % 5000}`,
        })),
      },
    );
    await connection.run(`INSERT INTO previous_filings BY NAME
      SELECT
        uuid() AS id,
        CAST(i AS VARCHAR) AS document_number,
        'Business ' || hash(i) || ' of the county of ' || hash(i + 1) AS business_name,
        business_name AS business_name_raw,
        DATE '2026-11-01' - CAST(i % 9000 AS INTEGER) AS filing_date,
        'Agent ' || (i % 5000) AS registered_agent_name,
        'available' AS registered_agent_status,
        hash(i + 2) || ' Main Street' AS agent_addr1,
        'domestic_llc' AS entity_type,
        'not_collected_by_source' AS naics_status,
        'colorado_sos' AS source,
        'CO' AS source_state,
        'https://register.example/' || i AS source_url,
        TIMESTAMP '2026-11-20 12:00:00' AS first_seen,
        first_seen AS last_seen,
        first_seen AS last_updated,
        'added' AS change_kind,
        sha256(CAST(i AS VARCHAR)) AS page_sha256,
        CAST(i AS INTEGER) AS page_row
      FROM range(${FILINGS}) AS t(i)`);
    await buildModels(connection, models);
    const [found] = await rowsOf(
      connection,
      `SELECT count(*) AS rows, count_if(change_kind = 'changed') AS changed,
        count_if(business_name LIKE 'Corrected%') AS corrected FROM filings`,
    );
    assert.deepEqual(found, { rows: '3', changed: '2', corrected: '3' });
  } finally {
    duck.close();
  }
});
