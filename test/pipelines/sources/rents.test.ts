/** HUD's rents on deals, by each way there is to them: workbook, API with a token, ZIP workbook, ZIPs of the API. */
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
import { newLayout, published, runDay, TINY, type OneRun } from '../runs.ts';
import { COUNTY_RECORDS, JOIN_RATES } from '../some_tables.ts';
import { archivedTexts } from '../../lib/archive_files.ts';

const world = makeWorld(TINY);
const DAY = '2026-11-20';
const TOKEN = 'eyJ0b2tlbg-of-a-test.0123456789';

/** A site that shows its listings on few pages. */
const LISTINGS = 'buckeye_income_property';

/** A run over listings and rents alone. */
const run = (rest: Partial<OneRun> & Pick<OneRun, 'layout'>) =>
  runDay({
    world,
    day: DAY,
    only: ({ family, name }) => family === 'fmr' || name === LISTINGS,
    tables: ['deals'],
    empty: COUNTY_RECORDS,
    ...rest,
  });
type Result = Awaited<ReturnType<typeof run>>;

const stateOf = (result: Result, name: string) => {
  const found = result.sources.find((s) => s.row.source === name);
  assert.ok(found);
  return found;
};
/** Staged rents of areas, without where they were read. */
async function areaRents(layout: OneRun['layout'], { runId }: Result): Promise<Record<string, unknown>[]> {
  const duck = await openSmall();
  try {
    const file = literal(stagedParquet(layout, 'hud_fmr', runId));
    return await rowsOf(
      duck.connection,
      `SELECT fips, hud_area_code, fiscal_year, fmr_0, fmr_1, fmr_2, fmr_3, fmr_4
        FROM read_parquet(${file}) ORDER BY ALL`,
    );
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
    const expected = await areaRents(layouts.workbook, runs.workbook);
    assert.ok(expected.length > 0);
    assert.deepEqual(await areaRents(layouts.api, runs.api), expected);
    for await (const { path, text } of keptIn(layouts.api.root))
      assert.ok(!text.includes(TOKEN), `${path} holds the token`);
  });

  test('that HUD refuses is reported by the name of its setting, and the earlier rents stay', async () => {
    const layout = layouts.workbook;
    const refused = { layout, day: '2026-11-21', secrets: { HUD_TOKEN: 'expired' } };
    const result = await run({ ...refused, tables: ['sources'], empty: [JOIN_RATES] });
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
  test("that HUD does not post leave the area's rents: the source is good and has no rows", async () => {
    const layout = await newLayout();
    const result = await run({ layout, alter: withoutWorkbook });
    const { row } = stateOf(result, 'hud_safmr');
    assert.deepEqual([row.status, row.rows_in, row.reason], ['good', 0, null]);
    const deals = await published(layout, result.runId, 'deals');
    assert.ok(deals.length > 20 && deals.every((deal) => String(deal['rent_basis']).startsWith('metro')));
  });

  const expected = Map.groupBy(zipRents, ({ zip }) => zip);
  for (const by of ['workbook', 'api'] as const) {
    test(`stand on every deal when the ${by} has them, and the deal says so`, async () => {
      const result = runs[by];
      const { row } = stateOf(result, 'hud_safmr');
      assert.deepEqual([row.status, row.rows_out, row.rows_rejected], ['good', zipRents.length, 0], row.detail ?? '');
      const deals = await published(layouts[by], result.runId, 'deals');
      for (const deal of deals) {
        const areas = expected.get(String(deal['zip'])) ?? [];
        const lowest = areas.reduce((a, b) => ((b.rents[2] ?? 0) < (a.rents[2] ?? 0) ? b : a));
        assert.deepEqual(
          [deal['market_rent_2br'], deal['rent_basis'], deal['rent_area_code'], deal['rent_fiscal_year']],
          [`${lowest.rents[2]}.00`, areas.length > 1 ? 'zip_lowest_of_several' : 'zip', lowest.area.hudAreaCode, 2026],
        );
        assert.match(
          String(deal['rent_source_url']),
          by === 'api' ? /\/hudapi\/public\/fmr\/data\/METRO/u : /\/fy2026_safmrs\.xlsx$/u,
        );
        assert.equal((JSON.parse(String(deal['provenance'])) as { rent: { source: string } }).rent.source, 'hud_safmr');
      }
      assert.ok(deals.length > 20, `${deals.length} deals`);
    });
  }
});
