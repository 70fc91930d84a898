/**
 * HUD's rents by each way there is to them: workbook, API with a token, ZIP workbook, ZIPs of the API. What deals make
 * of them is in test/models/underwriting/rents.test.ts.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { stagedParquet } from '../../../pipelines/ingest/reads.ts';
import { ZIP_WORKBOOK } from '../../../sandbox/pages/hud.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { zipRents } from '../../../sandbox/world/zip_rents.ts';
import { newLayout, runDay, TINY, type OneRun } from '../runs.ts';
import { archivedTexts } from '../../lib/archive_files.ts';

const world = makeWorld(TINY);
const DAY = '2026-11-20';
const TOKEN = 'eyJ0b2tlbg-of-a-test.0123456789';

/** A run over rents alone. */
const run = (rest: Partial<OneRun> & Pick<OneRun, 'layout'>) =>
  runDay({ world, day: DAY, only: ({ family }) => family === 'fmr', tables: [], ...rest });
type Result = Awaited<ReturnType<typeof run>>;

const stateOf = (result: Result, name: string) => {
  const found = result.sources.find((s) => s.row.source === name);
  assert.ok(found);
  return found;
};
/** Staged rents, without where they were read, and the paths of the pages. */
async function rentsOf(layout: OneRun['layout'], { runId }: Result, source: string) {
  const duck = await openSmall();
  try {
    const from = `FROM read_parquet(${literal(stagedParquet(layout, source, runId))})`;
    const rents = `* EXCLUDE (source_url, observed_at, page_sha256, page_row)`;
    return {
      rows: await rowsOf(duck.connection, `SELECT ${rents} ${from} ORDER BY ALL`),
      urls: await rowsOf(duck.connection, `SELECT DISTINCT source_url AS url ${from}`),
    };
  } finally {
    await duck.close();
  }
}

/** Every byte that a run keeps, as text. */
async function* keptIn(folder: string): AsyncGenerator<{ path: string; text: string }> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    yield { path, text: (await readFile(path)).toString('latin1') };
  }
  for (const text of await archivedTexts(folder)) yield { path: 'the archive', text };
}

/** HUD posts no workbook of rents by ZIP. */
const withoutWorkbook: Alter = ({ host, path }, response) => {
  if (host !== 'www.huduser.gov' || response.status === 202) return undefined;
  const isList = path === '/portal/datasets/fmr/smallarea/index.html';
  return path === ZIP_WORKBOOK || isList
    ? {
        ...response,
        status: isList ? 200 : 404,
        body: new TextEncoder().encode('<h1>Small Area Fair Market Rents</h1>'),
      }
    : undefined;
};

/** One run of each way: both workbooks, and the API with a token for both. */
const layouts = { workbook: await newLayout(), api: await newLayout() };
const runs = {
  workbook: await run({ layout: layouts.workbook }),
  api: await run({ layout: layouts.api, alter: withoutWorkbook, secrets: { HUD_TOKEN: TOKEN } }),
};

describe("HUD's API with a token", () => {
  test('gives the rents of the workbook, and the token is stored nowhere', async () => {
    const { row, latest } = stateOf(runs.api, 'hud_fmr');
    assert.deepEqual([row.status, row.rows_rejected], ['good', 0], row.detail ?? '');
    // Its rents are of last year, so the list of years is read too.
    assert.ok(latest && latest.pages.length > 1);
    assert.deepEqual([...new Set(latest.pages.map((p) => p.kind))], ['statedata', 'years']);
    const { rows } = await rentsOf(layouts.workbook, runs.workbook, 'hud_fmr');
    assert.ok(rows.length > 0);
    const shown = ({ hud_area_code, fips, fiscal_year, fmr_0, fmr_4 }: Record<string, unknown>): string =>
      [fips, hud_area_code, fiscal_year, fmr_0, fmr_4].join(' ');
    const ofApi = await rentsOf(layouts.api, runs.api, 'hud_fmr');
    assert.deepEqual(ofApi.rows.map(shown).sort(), rows.map(shown).sort());
    for await (const { path, text } of keptIn(layouts.api.root))
      assert.ok(!text.includes(TOKEN), `${path} holds the token`);
  });

  test('that HUD refuses is reported by the name of its setting, and the earlier rents stay', async () => {
    const layout = layouts.workbook;
    const refused = { layout, day: '2026-11-21', secrets: { HUD_TOKEN: 'expired' } };
    const result = await run(refused);
    const { row, standing } = stateOf(result, 'hud_fmr');
    assert.deepEqual([row.status, row.reason], ['unavailable', 'refused']);
    assert.equal(row.detail, 'HUD rejects the token in HUD_TOKEN (401): it is not valid');
    assert.deepEqual(
      [row.rows_out, standing?.run_id],
      [stateOf(runs.workbook, 'hud_fmr').row.rows_out, runs.workbook.runId],
    );
  });
});

describe('rents by ZIP', () => {
  for (const [by, page] of [
    ['workbook', /\/fy2026_safmrs\.xlsx$/u],
    ['api', /\/hudapi\/public\/fmr\/data\/METRO/u],
  ] as const)
    test(`are those of HUD, in its ${by}`, async () => {
      const { row } = stateOf(runs[by], 'hud_safmr');
      assert.deepEqual([row.status, row.rows_out, row.rows_rejected], ['good', zipRents.length, 0], row.detail ?? '');
      const { rows, urls } = await rentsOf(layouts[by], runs[by], 'hud_safmr');
      assert.deepEqual(
        rows
          .map(({ zip, hud_area_code, rent_2, fiscal_year }) =>
            [zip, hud_area_code, Number(rent_2), fiscal_year].join(),
          )
          .sort(),
        zipRents.map(({ zip, area, rents }) => [zip, area.hudAreaCode, rents[2], 2026].join()).sort(),
      );
      for (const { url } of urls) assert.match(String(url), page);
    });
});
