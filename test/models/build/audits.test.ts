/** Every audit passes tables without errors, and fails for an error of its kind. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { DRIFT, type Audit } from '../../../models/contract.ts';
import { loadModels, type Model } from '../../../models/index.ts';
import { ACTIVE, addMany, FAILURES, set } from './audit_failures.ts';
import { PASSING } from './audit_inputs.ts';
import { sharedColumns } from '../../pipelines/some_tables.ts';
import { build, builtBefore } from '../build_models.ts';

/** Audits that warn without blocking publication: a real change, or a publisher's figure, can cause them. */
const WARNINGS = /\.(?:fell|rose|sources_agree|contract_within_gross|noi_adds_up|statement_in_order)$/u;

/** Columns of views under the names of the tables in which they are audited, or of what is made from them there. */
const RENAMED: Readonly<Record<string, string>> = {
  filing_id: 'id',
  signal_id: 'id',
  register: 'source',
  observed_at: 'last_seen',
  parts: 'address_key',
  steps: 'recompute',
  mail_kind: 'owner_location',
  mail_house: 'owner_location',
  mail_street_key: 'owner_location',
};

/** Audits that follow from a record or from the head of a model's SQL. */
const FROM_COLUMNS = /\.(?:grain_unique|no_silent_null|\w+_closed|\w+_absent_as_said)$/u;

const isFromColumns = ({ name }: Audit): boolean => FROM_COLUMNS.test(name) && FAILURES[name] === undefined;

describe('audits', () => {
  let models: Model[] = [];
  const built = builtBefore(() => build(PASSING));
  before(async () => {
    models = await loadModels();
  });

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
    const declared = models.flatMap(({ audits }) => audits.filter((audit) => !isFromColumns(audit)));
    // None that was declared is missing.
    assert.deepEqual(Object.keys(FAILURES).sort(), declared.map(({ name }) => name).sort());
    for (const audit of declared) {
      const statements = FAILURES[audit.name] ?? assert.fail(`FAILURES has no ${audit.name}`);
      assert.ok((await countFailing(audit, statements)) > 0, `${audit.name} passes after ${statements.join('; ')}`);
      assert.equal(audit.blocking, !WARNINGS.test(audit.name), audit.name);
    }
  });

  it('of columns fail for a repeated key, a null without a reason or vice versa, and an unknown value', async () => {
    let tried = 0;
    for (const { name, audits } of models) {
      const [count] = await rowsOf(built.connection, `SELECT count(*) AS n FROM ${name}`);
      if (Number(count?.['n']) === 0) continue;
      const types = new Map((await sharedColumns()).get(name)?.map((column) => [column.name, column.sql]));
      for (const audit of audits.filter(isFromColumns)) {
        const statement = columnFailure(name, audit, types);
        assert.ok((await countFailing(audit, [statement])) > 0, `${audit.name} passes after ${statement}`);
        assert.ok(audit.blocking, audit.name);
        tried += 1;
      }
    }
    assert.ok(tried > 100, `${tried} audits of columns`);
  });

  it('of every table check its key, and those of a view run in the table that reads it', async () => {
    const columns = await sharedColumns();
    const namesOf = (model: string): string[] => columns.get(model)?.map(({ name }) => name) ?? assert.fail(model);
    for (const { name, audits, auditedIn } of models)
      if (auditedIn === undefined)
        assert.ok(
          audits.some((audit) => audit.unique?.every((column) => namesOf(name).includes(column))),
          `${name} has no key`,
        );
      else
        assert.deepEqual(
          namesOf(name).filter(
            (column) => !namesOf(auditedIn).some((one) => one === column || one === RENAMED[column]),
          ),
          [],
          name,
        );
    assert.equal(models.filter(({ auditedIn }) => auditedIn !== undefined).length, 5);
  });

  it('measure no drift of a small table, nor of a source that was removed', async () => {
    const audit = models.flatMap(({ audits }) => audits).find((a) => a.name === 'deals.all_but_gone') ?? assert.fail();
    const tooFew = `INSERT INTO previous_deals BY NAME
      SELECT 'previous' || i AS id, ${ACTIVE} FROM range(${DRIFT.leastRows - 1}) AS t(i)`;
    assert.equal(await countFailing(audit, [tooFew]), 0);
    const removed = addMany('deals', "'active' AS listing_status, 'retired' AS source");
    assert.equal(await countFailing(audit, [removed]), 0);
  });
});

/** A statement for which an audit of columns fails: a null becomes a value, and a value a null. */
function columnFailure(table: string, { name, condition = '' }: Audit, types: ReadonlyMap<string, string>): string {
  const audit = name.slice(table.length + 1);
  if (audit === 'grain_unique') return `INSERT INTO ${table} SELECT * FROM ${table} LIMIT 1`;
  if (audit === 'no_silent_null') return set(table, `${/^"\w+"/u.exec(condition)?.[0] ?? ''} = NULL`);
  const column = audit.replace(/_(?:closed|absent_as_said)$/u, '');
  if (audit.endsWith('_closed')) return set(table, `"${column}" = 'not in the list'`);
  const values = ['1', '2020-01-01'].map((text) => `TRY_CAST('${text}' AS ${types.get(column) ?? 'VARCHAR'})`);
  return set(table, `"${column}" = CASE WHEN "${column}" IS NULL THEN coalesce(${values.join()}) END`);
}
