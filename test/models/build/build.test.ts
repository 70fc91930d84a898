/** What a build says of a model that breaks its contract, and of rows that break an audit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { defineRecord, integer, money, oneOf, text, type RecordDefinition } from '../../../lib/record.ts';
import { auditModels, type ModelResult } from '../../../models/audit.ts';
import { buildModels } from '../../../models/build.ts';
import { auditsOfRecord, never, readModelText, type Audit } from '../../../models/contract.ts';
import type { Mart, Model } from '../../../models/index.ts';

const record = defineRecord('thing', 'One row per thing.', ['id'], {
  id: text('Its id.'),
  kind: oneOf(['good', 'bad'], 'Its kind.'),
  price: money('Its price.', { absent: 'nobody asked' }),
  count: integer('How many.'),
});

const martOf = (name: string, sql: string, rows: RecordDefinition, audits: readonly Audit[] = []): Mart => ({
  name,
  layer: 'marts',
  path: `models/marts/${name}.sql`,
  sql,
  audits: [...auditsOfRecord(name, rows), ...audits],
  contract: { record: rows, audits, publish: { orderBy: ['id'] } },
});

const thing = (sql: string): Mart =>
  martOf('things', sql, record, [never('things', 'not_negative', 'counts are not negative', '"count" < 0')]);

async function built<T>(
  given: string | Model,
  look: (results: ModelResult[], say: (sql: string) => Promise<Record<string, unknown>[]>) => T | Promise<T>,
): Promise<T> {
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  try {
    await duck.connection.run(
      `CREATE TABLE given AS
        SELECT * FROM (VALUES ('a', 'good', 1.10, 1), ('b', 'bad', NULL, 2)) AS t(id, kind, price, n)`,
    );
    return await look(
      await auditModels(
        duck.connection,
        await buildModels(duck.connection, [typeof given === 'string' ? thing(given) : given]),
      ),
      (q) => rowsOf(duck.connection, q),
    );
  } finally {
    duck.close();
  }
}
const GOOD = 'SELECT id, kind, CAST(price AS DECIMAL(14, 2)) AS price, CAST(n AS INTEGER) AS "count" FROM given;';
const fails = (given: string | Model, message: RegExp): Promise<void> =>
  assert.rejects(
    built(given, () => undefined),
    (e) => e instanceof Error && message.test(e.message),
  );

describe('a contract', () => {
  it('names the model, the column, the expected and the actual type', async () => {
    await fails(
      'SELECT id, kind, price, CAST(n AS INTEGER) AS "count" FROM given',
      /^model things: column price is DECIMAL\(3,2\), expected DECIMAL\(14,2\)$/u,
    );
    await fails('SELECT id, kind FROM given', /^model things: Binder Error: .*"price" not found/su);
    await fails(
      'SELECT id, kind, price / n AS price, CAST(n AS INTEGER) AS "count" FROM given',
      /^model things: column price is DOUBLE, expected DECIMAL\(14,2\)\. .*use quotient\(\)/u,
    );
  });
  it('refuses a column that is computed and not published', async () => {
    const extra = GOOD.replace(' FROM', ', n + 1 AS extra FROM').replace(';', '');
    for (const sql of [extra, `${extra} UNION ALL BY NAME SELECT * FROM given LIMIT 0`])
      await fails(sql, /^model things: it computes the column extra, which its record lacks/u);
  });
  it('takes its columns, in its order, from a SELECT that may return more', () =>
    built(
      'SELECT CAST(n AS INTEGER) AS "count", CAST(price AS DECIMAL(14, 2)) AS price, * EXCLUDE (price) FROM given',
      async (_, say) =>
        assert.deepEqual(Object.keys((await say('FROM things'))[0] ?? {}), ['id', 'kind', 'price', 'count']),
    ));
  it('names the model whose SQL fails', async () => {
    await fails('SELECT nothing_of_the_kind FROM given', /^model things: .*nothing_of_the_kind/su);
    await fails(
      GOOD.replace('CAST(n AS INTEGER)', "CAST(kind || '!' AS INTEGER)"),
      /^model things: .*Could not convert/su,
    );
    await fails('SELECT * FROM elsewhere', /^model things reads elsewhere, which is neither/u);
  });
});

describe('the SQL file of a model that is not a mart', () => {
  const model = (file: string): Model => ({
    name: 'things',
    layer: 'staging',
    path: 'models/staging/things.sql',
    ...readModelText('things', file),
  });

  it('names its key, columns that are never null, and its audits', () => {
    const file = `-- One row per thing.
-- Key: kind, price?
-- Not null: n
select 'bad' as kind, id, price, nullif(n, 2) as n from given union all select 'bad', 'c', null, 3;

-- audit small: counts are small; of things
select * from things
where n > 2;

-- warning known: the good are known
select * from things where kind = 'good'`;
    return built(model(file), (results) => {
      const audits = results[0]?.audits.map(({ name, about, failing, blocking }) => [name, about, failing, blocking]);
      assert.deepEqual(audits, [
        ['things.grain_unique', 'no two rows have the same key', 1, true],
        ['things.no_silent_null', 'the named columns are never null', 1, true],
        ['things.small', 'counts are small; of things', 1, true],
        ['things.known', 'the good are known', 0, false],
      ]);
    });
  });

  it('may not divide to a binary float', () =>
    fails(
      model('-- Key: id\nselect id, price / n as share from given'),
      /^model things: column share is DOUBLE.*quotient/u,
    ));
});

describe('audits', () => {
  it('return the rows that the model forbids', () =>
    built(GOOD.replace('CAST(n', 'CAST(-n'), (results) => {
      const audit = results[0]?.audits.find((a) => a.name === 'things.not_negative');
      assert.equal(audit?.failing, 2);
      assert.deepEqual(
        audit?.rows.map((r) => r['count']),
        [-1, -2],
      );
    }));
});
