/** Every layout of a listing file: its rows, its rejects, or the message that says what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../lib/time.ts';
import { type Page, Quarantine } from '../../sources/contract.ts';
import { COLUMNS_FILE } from '../../sources/csv/headed_table.ts';
import spec from '../../sources/listings/operator_files.ts';
import { HARD_LISTS, listFrom1904 } from './hard_lists.ts';
import { LAYOUTS, type Layout } from './listing_layouts.ts';
import { PORTAL_LAYOUTS } from './portal_layouts.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

/** A dropped file. A PDF matches no format, so its bytes are parsed as if it were named like a workbook. */
function pageOfFile({ file, body, columns }: Pick<Layout, 'file' | 'body' | 'columns'>): Page {
  const format = spec.drop?.find(({ pattern }) => pattern.test(file.replace('.pdf', '.xlsx')));
  assert.ok(format, `no format for ${file}`);
  return pageOf(typeof body === 'string' ? new TextEncoder().encode(body) : body, {
    kind: format.kind,
    url: `file:///drop/${spec.name}/acme/${file}`,
    context: { file, folder: 'acme', ...(columns ? { [COLUMNS_FILE]: JSON.stringify(columns) } : {}) },
  });
}

async function read(layout: Pick<Layout, 'file' | 'body' | 'columns'>): Promise<{ rows: string[]; rejects: string[] }> {
  const { rows, rejects } = await parsed(spec, [pageOfFile(layout)]);
  const fields = ['street', 'city', 'state', 'zip', 'list_price', 'units', 'availability'];
  return {
    rows: rows.map((row) => fields.map((field) => String(row[field] ?? '')).join(' | ')),
    rejects: rejects.map(({ reason }) => reason),
  };
}

for (const layout of [...LAYOUTS, ...PORTAL_LAYOUTS, ...HARD_LISTS]) {
  test(`a list: ${layout.name}`, async () => {
    const { refused } = layout;
    if (refused === undefined)
      assert.deepEqual(await read(layout), { rows: layout.rows ?? [], rejects: layout.rejects ?? [] });
    else await assert.rejects(read(layout), (error) => error instanceof Quarantine && refused.test(error.message));
  });
}

test('an optional cell that cannot be read is null and named; it does not cost the row', async () => {
  const body = [
    'Address,City,State,ZIP,Price,Units,Year Built,NOI,List Date',
    '12 Elm St,Akron,OH,44308,640000,8,c. 1924,48000,2026-10-02',
    '14 Elm St,Akron,OH,44308,640000,8,1924/1985,see OM,soon',
    '16 Elm St,Akron,OH,44308,640000,eight,24,,0001-01-01',
  ].join('\n');
  const { rows, rejects } = await parsed(spec, [pageOfFile({ file: 'list.csv', body })]);
  assert.deepEqual(rejects, []);
  const fields = ['year_built', 'noi', 'units', 'listed_on', 'unread_fields'];
  assert.deepEqual(
    rows.map((row) => fields.map((field) => row[field])),
    [
      [1924, '48000.00', 8, '2026-10-02', null],
      [1924, null, 8, null, 'noi listed_on'],
      [null, null, null, null, 'units year_built'],
    ],
  );
});

test('days of a workbook that counts from 1904 are read as such', async () => {
  const day = (Date.UTC(2026, 10, 2) - Date.UTC(1904, 0, 1)) / DAY_MS;
  const { rows } = await parsed(spec, [pageOfFile({ file: 'list.xlsx', body: listFrom1904(day) })]);
  assert.equal(rows[0]?.['listed_on'], '2026-11-02');
});
