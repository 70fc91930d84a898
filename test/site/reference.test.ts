/** The reference over HTTP: complete, from routes and records; short; and its links work. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { PROBLEMS } from '../../api/http/problem.ts';
import { templateOf } from '../../api/routes/define.ts';
import { FIELD_GROUPS } from '../../api/routes/list/field_groups.ts';
import { paramFacts } from '../../api/routes/params.ts';
import { priceText } from '../../lib/prices.ts';
import { allPages } from '../../api/site/pages/all.ts';
import { endpointPath } from '../../api/site/pages/reference.ts';
import { TABLES } from '../../models/serving/tables.ts';
import { noteOf } from '../../lib/record.ts';
import { rowsOfTable } from '../api/support/snapshot_fixtures.ts';
import { PUBLIC_URL, sharedApp } from '../api/support/test_app.ts';
import { idsIn, plainText } from './markup.ts';

const MAX_BYTES = 60_000;

describe('the reference', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 3), reports: rowsOfTable('reports', 3) });
  /** Markup of every page of the site, by path. */
  const pages = new Map<string, string>();
  const routes = () => shared.app.app.routes;
  const pageAt = (path: string): string => pages.get(path) ?? assert.fail(`there is no page ${path}`);
  const isReference = (path: string): boolean => path.startsWith('/reference');

  before(async () => {
    for (const { path } of allPages(routes())) {
      const response = await fetch(shared.app.url + path, { headers: { Accept: 'text/html' } });
      assert.equal(response.status, 200, path);
      pages.set(path, await response.text());
    }
  });
  it('has a page for each call with its price, parameters, example and statuses', () => {
    for (const route of routes()) {
      const text = plainText(pageAt(endpointPath(route.name)));
      const inMenu = `${templateOf(route)} ${route.price === null ? 'free' : `$${route.price}`} `;
      assert.ok(text.includes(inMenu), inMenu);
      assert.ok(text.includes(` ${templateOf(route)} `) && text.includes(`GET, ${priceText(route)}`), route.name);
      assert.ok(text.includes(`curl -i '${PUBLIC_URL}${templateOf(route).split('{')[0]}`), route.name);
      for (const [name, schema] of Object.entries({ ...route.pathParams, ...route.params }))
        assert.ok(text.includes(`${name} `) && text.includes(paramFacts(schema).about), `${route.name}: ${name}`);
      for (const reason of route.reasons ?? []) assert.ok(text.includes(reason), `${route.name}: ${reason}`);
    }
    assert.match(plainText(pageAt('/reference/collect')), /SIGN-IN-WITH-X|sign_in_required/u);
  });

  it('has each field of each record with its unit, values, meaning and absence rule', () => {
    for (const table of Object.keys(FIELD_GROUPS) as (keyof typeof FIELD_GROUPS)[]) {
      const { name, columns } = TABLES[table];
      const page = pageAt(`/reference/records/${name}`);
      for (const column of columns) {
        assert.ok(idsIn(page).includes(column.name), `${name}.${column.name}`);
        assert.ok(plainText(page).includes(noteOf(column)), `${name}.${column.name}`);
      }
    }
  });

  it('lists every reason of an error', () => {
    const ids = idsIn(pageAt('/reference'));
    for (const reason of Object.keys(PROBLEMS)) assert.ok(ids.includes(reason), reason);
  });

  it(`has no page above ${MAX_BYTES} bytes, and no anchor twice`, () => {
    for (const [path, markup] of pages) {
      if (!isReference(path)) continue;
      const bytes = Buffer.byteLength(markup);
      assert.ok(bytes <= MAX_BYTES, `${path} has ${bytes} bytes`);
      const ids = idsIn(markup);
      assert.deepEqual(
        ids.filter((id, i) => ids.indexOf(id) !== i),
        [],
        path,
      );
    }
  });
});
