/** The example calls of catalogs and OpenAPI work: each finds something in the sandbox's world. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleCall, paramExample } from '../../../api/docs/examples.ts';
import { SAMPLE_PARAMS } from '../../../api/docs/sample_records.ts';
import { paramFacts, readParams } from '../../../api/routes/params.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';
import { buyerWith } from '../support/buyers.ts';
import { withStarted } from '../support/test_app.ts';

test('the example call of every priced endpoint is answered and billed', async () => {
  const { layout } = await afterFirstDay();
  await withStarted(layout.root, {}, async ({ app, url }) => {
    const buyer = buyerWith();
    for (const route of app.routes.filter((r) => r.price !== null)) {
      const entries = Object.entries(exampleCall(route)).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const path = route.path.replace(':id', String(SAMPLE_PARAMS['id']));
      const call = `${path}?${new URLSearchParams(entries).toString()}`;
      const response = await buyer.fetch(url + call);
      await response.arrayBuffer();
      assert.equal(response.status, 200, call);
      for (const [name, schema] of Object.entries(route.params)) {
        const value = String(paramExample(name, paramFacts(schema)));
        readParams({ [name]: schema }, new URLSearchParams({ [name]: value }).toString());
      }
    }
  });
});
