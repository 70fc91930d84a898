/** Every published column can be explained: by a formula, by the model that computes it, or by its page. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { rowsOf } from '../../lib/duck.ts';
import { loadMarts } from '../../models/index.ts';
import { Deal } from '../../models/marts/deals.ts';
import { findProducer, producerText } from '../../pipelines/analyse/explain/explain.ts';
import { openSnapshot, type OpenSnapshot } from '../../pipelines/analyse/open_snapshot.ts';
import { EXPLAINABLE } from '../../pipelines/analyse/settings.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';

/** Figures of a deal without a formula of their own: read under another name, counted, or looked up in a table. */
const WITHOUT_FORMULA = `market_rent_2br rent_fiscal_year first_price days_on_feed loan_rate_age_days
  assessed_market_value distress_signals_count expense_typical_pct noi_range_n
  upfront_repairs_per_unit`
  .split(/\s+/u)
  .sort();

let snapshot: OpenSnapshot;
before(async () => {
  snapshot = await openSnapshot((await afterFirstDay()).layout.root);
});
after(() => snapshot.duck.close());

it('a column of every explainable table has a model whose SQL or columns name it', async () => {
  const models = new Map((await loadMarts()).map((model) => [model.name, model]));
  for (const table of EXPLAINABLE)
    for (const { name } of models.get(table)?.contract.record.columns ?? []) {
      const model = await findProducer(snapshot.duck.connection, table, name);
      assert.ok(model, `${table}.${name} has no explanation`);
      assert.match(`${producerText(model)}\n${model.sql}`, new RegExp(`\\b${name}\\b|\\*`, 'u'), `${table}.${name}`);
    }
});

it('names the model that computes a column, not one that copies it', async () => {
  const nameOf = async (table: string, column: string): Promise<string | undefined> =>
    (await findProducer(snapshot.duck.connection, table, column))?.name;
  assert.equal(await nameOf('deals', 'offer_status'), 'int_offers');
  assert.equal(await nameOf('deals', 'county_basis'), 'int_deal_places');
  assert.equal(await nameOf('deals', 'property_type'), 'stg_listings');
  assert.equal(await nameOf('auctions', 'party_status'), 'auctions');
  assert.equal(await nameOf('deals', 'no_such_column'), undefined);
});

it('every computed figure of a deal has a formula, except the declared ones', async () => {
  const steps = await rowsOf(
    snapshot.duck.connection,
    "SELECT DISTINCT unnest(CAST(recompute AS JSON[])) ->> 'figure' AS figure FROM reports",
  );
  const figures = new Set(steps.map(({ figure }) => figure));
  const without: string[] = [];
  for (const { name, kind } of Deal.columns) {
    if (!['money', 'percent', 'ratio', 'degrees', 'integer'].includes(kind) || figures.has(name)) continue;
    if ((await findProducer(snapshot.duck.connection, 'deals', name))?.layer !== 'staging') without.push(name);
  }
  assert.deepEqual(without.sort(), WITHOUT_FORMULA);
});
