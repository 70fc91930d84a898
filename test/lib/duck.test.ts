/** Databases opened on a machine outside UTC. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';

const DUCK = new URL('../../lib/duck.ts', import.meta.url).href;
const INSTANT = '2026-01-01 00:30:00+00';
const SQL = `SELECT
  current_setting('TimeZone') AS zone,
  TIMESTAMPTZ '${INSTANT}' AS instant,
  CAST(TIMESTAMPTZ '${INSTANT}' AS VARCHAR) AS text,
  CAST(TIMESTAMPTZ '${INSTANT}' AS DATE) AS day`;
const IN_UTC = { zone: 'UTC', instant: INSTANT, text: INSTANT, day: '2026-01-01' };

// A process of its own: DuckDB and its client read the machine's time zone when they are loaded.
const SCRIPT = `
  const { openDuck, openSmall, rowsOf } = await import('${DUCK}');
  const duck = await openDuck();
  const connections = [duck.connection, await duck.instance.connect(), (await openSmall()).connection];
  const rows = [];
  for (const connection of connections) rows.push(...(await rowsOf(connection, ${JSON.stringify(SQL)})));
  console.log(JSON.stringify({ hour: new Date('2026-01-01T00:30:00Z').getHours(), rows }));`;

it('DuckDB reads and writes instants in UTC on every connection', () => {
  const env = { ...process.env, TZ: 'America/Denver' };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { env, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(printed), { hour: 17, rows: [IN_UTC, IN_UTC, IN_UTC] });
});
