/** The build order as it is read from the SQL, and what is said when it cannot be. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openDuck, type Duck } from '../../../lib/duck.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { GraphError, sortByDependency, tablesRead } from '../../../models/graph.ts';
import { loadModels } from '../../../models/index.ts';

let duck: Duck;
before(async () => {
  duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
});
after(() => duck.close());

describe('the SQL of a model', () => {
  const refused: readonly (readonly [what: string, sql: string, message: RegExp])[] = [
    ['a syntax error', 'SELEC 1', /its SQL does not parse: .*SELEC/],
    ['two statements', 'SELECT 1; SELECT 2', /2 statements, expected one SELECT/],
    ['a statement that is no SELECT', 'DROP TABLE a', /Only SELECT/],
    ['a file', "SELECT * FROM read_csv('/etc/passwd')", /calls read_csv\(\)/],
    ['another schema', 'SELECT * FROM information_schema.tables', /reads information_schema\.tables/],
  ];
  for (const [what, sql, message] of refused)
    it(`refuses ${what}`, () =>
      assert.rejects(tablesRead(duck.connection, sql), (e) => e instanceof GraphError && message.test(e.message)));
});

describe('the order of the models', () => {
  it('names the models of a cycle', () => {
    assert.throws(() => sortByDependency(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['a'] })), new Set()), {
      message: 'models read each other in a cycle: a -> b -> c -> a',
    });
  });
});

describe('the models', () => {
  it('create no binary float: no division, no float type', async () => {
    const models = await loadModels();
    const without = (sql: string): string => sql.replaceAll(/--.*$/gmu, '').replaceAll(/'(?:[^']|'')*'/gu, "''");
    const wrong = models.filter(({ sql }) =>
      /(?<!\/)\/(?!\/)|\b(?:float|double|real|avg|now|random|current_date|current_timestamp)\b/iu.test(without(sql)),
    );
    assert.deepEqual(
      wrong.map((m) => m.name),
      [],
    );
  });

  it('read only declared assumptions: an unknown key would silently be null', async () => {
    const declared = currentAssumptions().rows.map(({ key }) => key);
    const sql = (await loadModels()).flatMap((m) => [m.sql, ...m.audits.map((audit) => audit.sql)]).join('\n');
    const asked = new Set([...sql.matchAll(/\bassumption\('([^']*)'\)/gu)].map(([, key = '']) => key));
    assert.deepEqual(
      [...asked].filter((key) => !declared.includes(key)),
      [],
    );
    assert.ok(asked.size > 5, `${asked.size} keys`);
  });

  it('contain no copy of a number of the assumption set', async () => {
    const models = await loadModels();
    const without = (sql: string): string =>
      sql
        .replaceAll(/--.*$/gmu, '')
        .replaceAll(/'(?:[^']|'')*'/gu, "''")
        .replaceAll(/decimal\(\d+, \d+\)/giu, '');
    /** Numbers that are scales and positions and no choices of ours. */
    const plain = new Set(['0', '1', '2', '5', '100', '0.01', '0.5']);
    const found = models.flatMap(({ name, sql }) =>
      [...without(sql).matchAll(/(?<![\w.])\d+(?:\.\d+)?/gu)]
        .map(([n]) => n)
        .filter((n) => !plain.has(n))
        .map((n) => `${name}: ${n}`),
    );
    assert.deepEqual(found, []);
  });
});
