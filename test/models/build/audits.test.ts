/** Every audit passes tables without errors, and fails for an error of its kind. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { auditsOfRecord, type Audit } from '../../../models/contract.ts';
import { DRIFT } from '../../../models/drift.ts';
import { loadModels, type Model } from '../../../models/index.ts';
import { ACTIVE, addMany, FAILURES, set } from './audits/failures.ts';
import { PASSING } from './audits/passing_inputs.ts';
import { build, type Built } from '../build_models.ts';

/** Audits that warn without blocking publication: a real change, or a publisher's figure, can cause them. */
const WARNINGS = /\.(?:fell|rose|sources_agree|contract_within_gross|noi_adds_up|statement_in_order)$/u;

/** Views, and the table whose audits cover their columns. */
const TABLE_OF_VIEW: Readonly<Record<string, string>> = {
  int_distress_signals: 'signals',
  int_earlier_signals: 'signals',
  int_layer_addresses: 'stg_parcels',
  int_tax_signals: 'signals',
  stg_registrations: 'filings',
};

describe('audits', () => {
  let built: Built;
  let models: Model[] = [];
  before(async () => {
    built = await build(PASSING);
    models = await loadModels();
  });
  after(() => built.close());

  /** Number of failing rows after some statements, which are then rolled back. */
  async function countFailing(audit: Audit, statements: readonly string[]): Promise<number> {
    await built.connection.run('BEGIN');
    try {
      for (const statement of statements) await built.connection.run(statement);
      return Number((await rowsOf(built.connection, `SELECT count(*) AS n FROM (${audit.sql})`))[0]?.['n']);
    } finally {
      await built.connection.run('ROLLBACK');
    }
  }

  it('pass tables without errors', () => {
    const failed = built.results.flatMap((r) => r.audits).filter((a) => a.failing > 0);
    assert.deepEqual(failed, []);
  });

  it('of the models fail for their error; all but drift block publication', async () => {
    const declared = models.flatMap((m) => m.contract.audits);
    assert.ok(declared.length > 85);
    for (const audit of declared) {
      const statements = FAILURES[audit.name] ?? assert.fail(`FAILURES has no ${audit.name}`);
      assert.ok((await countFailing(audit, statements)) > 0, `${audit.name} passes after ${statements.join('; ')}`);
      assert.equal(audit.blocking, !WARNINGS.test(audit.name), audit.name);
    }
  });

  it('of the records fail for a repeated key, an unexplained null and a value outside its list', async () => {
    let tried = 0;
    for (const { name, contract } of models.filter((m) => m.contract.view !== true)) {
      const [count] = await rowsOf(built.connection, `SELECT count(*) AS n FROM ${name}`);
      if (Number(count?.['n']) === 0) continue;
      const required = contract.record.columns.find((c) => c.absent === undefined)?.name;
      for (const audit of auditsOfRecord(name, contract.record)) {
        const statement = recordFailure(name, audit.name.slice(name.length + 1), required);
        assert.ok((await countFailing(audit, [statement])) > 0, `${audit.name} passes after ${statement}`);
        assert.ok(audit.blocking, audit.name);
        tried += 1;
      }
    }
    assert.ok(tried > 100, `${tried} audits of records`);
  });

  it('of the table that reads a view cover the view', () => {
    const recordOf = (model: string): Model['contract']['record'] =>
      models.find(({ name }) => name === model)?.contract.record ?? assert.fail(model);
    const views = models.filter(({ contract }) => contract.view).map(({ name }) => name);
    assert.deepEqual(views.toSorted(), Object.keys(TABLE_OF_VIEW).toSorted());
    const renamed: Readonly<Record<string, string>> = { filing_id: 'id', register: 'source', observed_at: 'last_seen' };
    for (const [view, table] of Object.entries(TABLE_OF_VIEW)) {
      for (const { name, absent, values } of recordOf(view).columns) {
        const columns = recordOf(table).columns.filter((c) => c.name === name || c.name === renamed[name]);
        const [column = assert.fail(`${view}.${name}`)] = columns;
        assert.deepEqual([column.absent === undefined, column.values], [absent === undefined, values], name);
      }
    }
  });

  it('measure no drift of a small table, nor of a source that was removed', async () => {
    const audit =
      models.flatMap((m) => m.contract.audits).find((a) => a.name === 'deals.all_but_gone') ?? assert.fail();
    const tooFew = `INSERT INTO previous_deals BY NAME
      SELECT 'previous' || i AS id, ${ACTIVE} FROM range(${DRIFT.leastRows - 1}) AS t(i)`;
    assert.equal(await countFailing(audit, [tooFew]), 0);
    const removed = addMany('deals', "'active' AS listing_status, 'retired' AS source");
    assert.equal(await countFailing(audit, [removed]), 0);
  });
});

/** A statement for which an audit of a record fails. */
function recordFailure(table: string, audit: string, required: string | undefined): string {
  if (audit === 'grain_unique') return `INSERT INTO ${table} SELECT * FROM ${table} LIMIT 1`;
  if (audit === 'no_silent_null') return set(table, `"${required}" = NULL`);
  return set(table, `"${audit.replace(/_closed$/u, '')}" = 'not in the list'`);
}
