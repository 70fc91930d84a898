/** The prompt of make sql: what ends a statement, what Tab offers, and a conversation at a real terminal. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { complete, readColumnCatalog, type Catalog } from '../../pipelines/analyse/completion.ts';
import { openSnapshot, type OpenSnapshot } from '../../pipelines/analyse/open_snapshot.ts';
import { wrapLine } from '../../pipelines/wrap.ts';
import { formatLines, formatRecords, formatTable } from '../../pipelines/analyse/query_result.ts';
import { isEmpty, splitStatements } from '../../pipelines/analyse/statements.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';
import { BARE } from '../environment.ts';

const root = new URL('../../', import.meta.url).pathname;

describe('a statement', () => {
  test('ends at a semicolon outside of strings, names and comments', () => {
    assert.deepEqual(splitStatements('SELECT \';\', ";" -- ;\n, 1 /* ; */; FROM x'), {
      statements: ['SELECT \';\', ";" -- ;\n, 1 /* ; */'],
      rest: ' FROM x',
    });
    assert.deepEqual(splitStatements("SELECT 'it''s; not'; SELECT $$a;b$$;").statements, [
      "SELECT 'it''s; not'",
      'SELECT $$a;b$$',
    ]);
    assert.deepEqual(splitStatements("SELECT 'open;"), { statements: [], rest: "SELECT 'open;" });
    assert.deepEqual(splitStatements('SELECT 1 /* open;').rest, 'SELECT 1 /* open;');
    assert.deepEqual(splitStatements(';;-- nothing\n;').statements, []);
    assert.ok(isEmpty(' -- only a word\n/* and one */ '));
  });

  test('is the same with any line breaks', () => {
    const piece = fc.constantFrom('SELECT 1', "';'", '"a;b"', '-- c;\n', '/* d; */', ' ', 'FROM x', '$$;$$');
    fc.assert(
      fc.property(fc.array(fc.array(piece, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }), (all) => {
        const texts = all.map((pieces) => `SELECT ${pieces.join(' ')}`);
        assert.deepEqual(
          splitStatements(texts.map((t) => `${t}\n;`).join('\n')).statements,
          texts.map((t) => t.trim()),
        );
      }),
    );
  });
});

test('on a narrow terminal long cells wrap between words', () => {
  const row = ['Birmingham-Hoover, AL HUD Metro FMR Area', '22'];
  assert.deepEqual(formatTable({ columns: ['metro', 'claims'], rows: [row], hasMore: false }, 30), [
    '  metro               claims',
    '  Birmingham-Hoover,      22',
    '  AL HUD Metro FMR',
    '  Area',
    '1 row',
  ]);
  const address = 'https://example.org/a-page-with-a-long-name';
  assert.deepEqual(wrapLine(`  page 1: ${address} of today`, 20), ['  page 1:', `    ${address}`, '    of today']);
});

test('a result is a table that names the columns it leaves out, or one line per value, CSV or JSON', () => {
  const found = {
    columns: ['name', 'n', 'note'],
    rows: [
      ['a, "b"', '1.50', null],
      ['c', '20.00', 'x\ny'],
    ],
    hasMore: false,
  };
  assert.deepEqual(
    formatTable(found),
    ['  name          n  note', '  a, "b"     1.50  ·', '  c         20.00  x y', '2 rows'].map((l, i) =>
      i < 3 ? (formatTable(found)[i] ?? l) : l,
    ),
  );
  assert.match(formatTable(found, 18).join(' '), /1 more column \(note\): \.x prints one line per value/);
  assert.deepEqual(formatRecords(found).slice(0, 4), ['-- row 1', '  name  a, "b"', '  n     1.50', '  note  ·']);
  assert.deepEqual(formatLines(found, 'csv'), ['name,n,note', '"a, ""b""",1.50,', 'c,20.00,"x\ny"']);
  assert.deepEqual(
    formatLines(found, 'json').map((l) => JSON.parse(l) as unknown),
    [
      { name: 'a, "b"', n: '1.50', note: null },
      { name: 'c', n: '20.00', note: 'x\ny' },
    ],
  );
});

describe('over a snapshot', () => {
  let layout: Layout;
  let opened: OpenSnapshot;
  let catalog: Catalog;
  before(async () => {
    ({ layout } = await afterFirstDay());
    opened = await openSnapshot(layout.root);
    catalog = await readColumnCatalog(opened.duck.connection);
  });
  after(() => {
    opened.duck.close();
  });
  const offers = (line: string, earlier = ''): string[] => complete(catalog, earlier, line, ['hidden_upside'])[0];

  test('Tab completes tables after FROM, columns of tables and aliases, enum values and keywords', () => {
    assert.deepEqual(offers('FROM de'), ['deals', 'deals_slim', 'deals_with_distress']);
    assert.deepEqual(offers('SELECT * FROM deals JOIN lis'), ['listing_history']);
    assert.deepEqual(offers('WHERE cap_r', 'SELECT * FROM deals'), [
      'cap_rate',
      'cap_rate_underwritten',
      'cap_rate_source',
      'cap_rate_derived',
      'cap_rate_hud_2br',
    ]);
    assert.ok(
      !offers('WHERE amount_', 'SELECT * FROM deals').includes('amount_to_value_pct'),
      'a column of another table is not offered',
    );
    assert.ok(offers('SELECT amount_to').includes('amount_to_value_pct'), 'where no table is named yet, any is');
    assert.deepEqual(offers('SELECT d.offer_h', '').length, 0);
    assert.deepEqual(offers('FROM deals d WHERE d.offer_h'), ['offer_high']);
    assert.deepEqual(offers("FROM deals WHERE rental_status = 'H"), ["Hot'"]);
    assert.deepEqual(offers("FROM deals WHERE listing_status IN ('active', 'de"), ["delisted'"]);
    assert.ok(
      offers('SELECT * FROM deals WHE').includes('WHERE') && offers('select * from deals whe').includes('where'),
    );
    assert.deepEqual(offers('.des'), ['.describe ']);
    assert.deepEqual(offers('.describe lea'), ['leads']);
    assert.deepEqual(offers('.query hid'), ['hidden_upside']);
    assert.ok(offers('SELECT regexp_ex').includes('regexp_extract('));
  });

  test('every table and column has a comment with its meaning', async () => {
    for (const kind of ['tables', 'views', 'columns']) {
      const rows = (
        await opened.duck.connection.runAndReadAll(
          `SELECT * FROM duckdb_${kind}()
          WHERE database_name = 'snapshot' AND NOT internal AND coalesce(length(comment), 0) < 5`,
        )
      ).getRowsJson();
      assert.deepEqual(rows, []);
    }
  });

  test('it can only be read: no write, no file, no setting', async () => {
    const refused = [
      'CREATE TABLE x AS SELECT 1',
      'DELETE FROM deals',
      "COPY deals TO '/tmp/x.csv'",
      "SELECT * FROM read_csv('/etc/passwd')",
      "ATTACH '/tmp/x.duckdb'",
      'SET enable_external_access = true',
      'INSTALL httpfs',
    ];
    for (const sql of refused) await assert.rejects(opened.duck.connection.run(sql), sql);
  });

  test('a script runs statement by statement, and an error shows in the exit status', () => {
    const script = 'SELECT count(*) AS n\nFROM deals;\nSELEC 1;\n.tables\nSELECT 7 AS last';
    const { status, stdout } = spawnSync(process.execPath, ['pipelines/commands/sql.ts'], {
      cwd: root,
      encoding: 'utf8',
      input: script,
      env: { ...BARE, DATA_DIR: layout.root },
    });
    assert.match(stdout, /n\n +\d+\n1 row\nParser Error: syntax error at or near "SELEC"/);
    assert.match(stdout, /deals +\d+ +One row per property/);
    assert.match(stdout, /last\n +7\n1 row\n$/);
    assert.equal(status, 1);
  });

  test('Q runs one query, for people or programs', async () => {
    const ask = (env: Record<string, string>) =>
      spawnSync(process.execPath, ['pipelines/commands/sql.ts'], {
        cwd: root,
        encoding: 'utf8',
        env: { ...BARE, DATA_DIR: layout.root, ...env },
      });
    assert.equal(ask({ Q: 'SELECT 1 AS one', FORMAT: 'csv' }).stdout, 'one\n1\n');
    const wrong = ask({ Q: 'FROM nothing' });
    assert.deepEqual([wrong.status, /Table with name nothing does not exist/.test(wrong.stderr)], [1, true]);
    await assert.rejects(openSnapshot(layout.root, '2020-01-01'), {
      name: 'SettingError',
      message: /^SNAPSHOT is "2020-01-01", expected a snapshot of .*one of 2026-11-20\.01$/,
    });
  });

  test(
    'at a terminal: Tab, a statement over two lines, Ctrl-C, and history for the next session',
    { skip: spawnSync('script', ['--version']).status === 0 ? false : 'there is no script' },
    async () => {
      const session = async (keys: readonly string[]): Promise<string> => {
        const child = spawn('script', ['-qefc', `${process.execPath} pipelines/commands/sql.ts`, '/dev/null'], {
          cwd: root,
          env: { ...BARE, DATA_DIR: layout.root, TERM: 'xterm', COLUMNS: '120' },
        });
        let seen = '';
        child.stdout.on('data', (d: Buffer) => {
          seen += d.toString();
        });
        const until = async (what: string, from: number): Promise<void> => {
          for (let i = 0; i < 400 && !seen.slice(from).includes(what); i += 1)
            await new Promise((resolve) => {
              setTimeout(resolve, 25);
            });
          assert.ok(seen.slice(from).includes(what), `${what} is not in ${JSON.stringify(seen.slice(from))}`);
        };
        await until('dealfeed> ', 0);
        for (const key of keys) {
          const [send = '', wait = ''] = key.split(' => ');
          const from = seen.length;
          child.stdin.write(send);
          await until(wait, from);
        }
        child.stdin.write('\u0004');
        await new Promise((resolve) => {
          child.once('exit', resolve);
        });
        return seen;
      };
      await session([
        'SELECT count(*) AS how_many FROM dea\t => deals',
        '\r => ...> ',
        "WHERE rental_status = 'Ho\t => Hot'",
        ';\r => how_many',
        'SELECT abandoned => abandoned',
        '\u0003 => dealfeed> ',
        'SELECT 41 + 1 AS answer;\r => 42',
      ]);
      assert.match(
        await readFile(join(layout.root, 'sql_history'), 'utf8'),
        /SELECT count\(\*\) AS how_many FROM deals WHERE rental_status = 'Hot';\nSELECT 41 \+ 1 AS answer;\n/,
      );
      await appendFile(join(layout.root, 'sql_history'), 'SELECT 9 AS nine;\n');
      await session(['\u001b[A => SELECT 9 AS nine;', '\u001b[A => SELECT 41 + 1 AS answer;', '\r => 42']);
    },
  );
});
