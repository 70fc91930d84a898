/** The example calls of catalogs and OpenAPI work: each finds something in the sandbox's world. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleUrl, paramExample } from '../../../api/docs/examples.ts';
import { paramFacts, readParams } from '../../../api/routes/params.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';
import { buyerWith } from '../support/buyers.ts';
import { withStarted } from '../support/test_app.ts';

test('the example call of every endpoint is answered, and billed if it has a price', async () => {
  const { layout } = await afterFirstDay();
  await withStarted(layout.root, {}, async ({ app, url }) => {
    const buyer = buyerWith();
    for (const route of app.routes) {
      const call = exampleUrl(route, url);
      const response = await buyer.fetch(call);
      await response.arrayBuffer();
      assert.equal(response.status, 200, call);
      assert.equal(response.headers.has('Receipt-Id'), route.price !== null, call);
      for (const [name, schema] of Object.entries(route.params)) {
        const value = String(paramExample(name, paramFacts(schema)));
        readParams({ [name]: schema }, new URLSearchParams({ [name]: value }).toString());
      }
    }
  });
});
