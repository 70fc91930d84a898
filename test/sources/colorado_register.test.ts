/** Increments of Colorado's register that are too large, or not what was asked for. Loads: registers.test.ts. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { SourceSpec } from '../../sources/contract.ts';
import colorado from '../../sources/register/colorado_sos.ts';
import { quarantined, readFrom } from './site_double.ts';

/** The register after a good read on this day. */
const later: SourceSpec = {
  ...colorado,
  fetch: (ctx) => (colorado.fetch ?? assert.fail())({ ...ctx, lastGoodOn: '2026-11-18' }),
};

const entity = (_: unknown, id: number): Readonly<Record<string, string>> => ({
  entityid: String(20_261_000_000 + id),
  entityname: `Entity ${id} LLC`,
  entityformdate: '2026-11-02T00:00:00.000',
});
/** A portal that counts so many entities and answers every other request with the same rows. */
const portal =
  (total: number, rows: number) =>
  ({ searchParams }: URL): string =>
    JSON.stringify(searchParams.has('$select') ? [{ total: String(total) }] : Array.from({ length: rows }, entity));

test('rows touched since ten days before the last good read are asked for; if too many, new ones', async () => {
  const { asked } = await readFrom(later, portal(3_050_000, 1));
  assert.deepEqual(
    asked.map((url) => new URL(url).searchParams.get('$where')),
    [
      ":updated_at >= '2026-11-08T00:00:00.000Z' OR entityformdate >= '2026-11-08T00:00:00.000'",
      "entityformdate >= '2026-09-19T00:00:00.000'",
    ],
  );
});

test('a portal that repeats a full page is quarantined', async () => {
  await assert.rejects(readFrom(later, portal(1000, 1000)), quarantined('template_changed'));
});
