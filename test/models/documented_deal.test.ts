/** The models give every figure of the deal in docs/underwriting.md. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { WORKED } from '../../docs/generate/underwriting.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { buildTables, rentOfAll, uuid5, type InputRow } from './build_models.ts';

it('the models give every figure of the documented deal', async () => {
  const id = uuid5('deal|101 MAIN ST|44102');
  const site = {
    source: 'site',
    listing_id: 'L1',
    listing_url: 'https://site.example/',
    source_url: 'https://site.example/',
    page_sha256: 'a'.repeat(64),
    street: '101 Main St',
    city: 'Cleveland',
    state: 'OH',
    zip: '44102',
    availability: 'for_sale',
    ...WORKED.listing,
  };
  const earlierVersion: InputRow = {
    ...site,
    deal_id: id,
    version: 1,
    is_latest: true,
    change: 'added',
    relisted: false,
    page_row: 0,
    list_price: WORKED.first_price,
    first_price: WORKED.first_price,
    version_first_seen: '2026-11-20T09:00:00Z',
    version_last_seen: '2026-11-20T09:00:00Z',
    listing_first_seen: '2026-11-20T09:00:00Z',
  };
  const built = await buildTables(
    {
      declared_assumptions: currentAssumptions(new Map(), 'uw-2026.1').rows,
      staged_listing: [{ ...site, observed_at: '2026-11-21T09:00:00Z' }],
      previous_listing_history: [earlierVersion],
      int_market_rents: [{ id, ...rentOfAll(WORKED.rent), rent_basis: 'zip' }],
    },
    ['deals'],
  );
  try {
    assert.deepEqual(built.failed, []);
    const deal = await built.one('deals');
    assert.deepEqual(
      WORKED.steps.map(([figure]) => [figure, String(deal[figure])]),
      WORKED.steps.map(([figure, value]) => [figure, value]),
    );
  } finally {
    built.close();
  }
  const page = await readFile(new URL('../../docs/underwriting.md', import.meta.url), 'utf8');
  for (const [figure, value] of WORKED.steps) assert.ok(page.includes(`| \`${figure}\` | ${value} |`), figure);
});
