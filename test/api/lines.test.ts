/** Lines of more rows than are read at a time are in the order of the rows, and as many as there should be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lines } from '../../api/lines.ts';
import type { Column } from '../../lib/record.ts';
import { openDuck } from '../../lib/duck.ts';

const ROWS = 90_001;
const COLUMNS: readonly Column[] = [
  { name: 'n', kind: 'integer', sql: 'INTEGER', about: 'A number.' }, { name: 'said', kind: 'text', sql: 'VARCHAR', about: 'A text.', absent: 'never said' },
];
const SOURCE = `SELECT CAST(range AS INTEGER) AS n, CASE WHEN range % 3 = 0 THEN NULL ELSE 'row ' || range || chr(10) || '"],[' END AS said, range AS file_row_number FROM range(${ROWS})`;
const said = (row: number): string | null => (row % 3 === 0 ? null : `row ${row}\n"],[`);

test('each row has its own line', async () => {
  const duck = await openDuck();
  const lines = await Lines.read(duck.connection, COLUMNS, SOURCE, ROWS);
  for (let row = 0; row < ROWS; row += 1) assert.equal(lines.text(row, ['said', 'n']).toString(), JSON.stringify({ said: said(row), n: row }));
  for (const row of [-1, ROWS]) assert.throws(() => lines.text(row, ['n']), /there is no row/);
  assert.throws(() => lines.text(0, ['no column']), /there is no column no column/);
  duck.close();
});

test('another number of rows than there should be is an error', async () => {
  const duck = await openDuck();
  for (const rows of [ROWS + 1, 600]) await assert.rejects(Lines.read(duck.connection, COLUMNS, SOURCE, rows), /lines were expected/);
  duck.close();
});
