/** A CSV file read as a stream gives the same records as one read at once. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Draw } from '../../sandbox/world/random.ts';
import { streamCsv } from '../../sources/csv/stream_csv.ts';
import { decodeText } from '../../sources/fetch/http/decode.ts';
import { readCsv } from '../../sources/csv/csv.ts';
import { pageOf } from './recorded.ts';
import { quarantined } from './site_double.ts';

const URL = 'file:///drop/register.csv';
const quoted = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const PLAIN = ['', ' ', 'Denver', 'two  spaces', ' padded ', "O'Brien", 'back\\slash', 'tab\there', '—', 'Ñandú'];
const UNUSUAL = [
  'a "quoted" word',
  '"',
  '""',
  'a, comma',
  'two\nlines',
  'two\r\nlines',
  '\n',
  '\ufeff',
  'x'.repeat(3000),
];
const CELLS = [...PLAIN, ...UNUSUAL];

/** A file of several parts, about 400 kB, with quoted, short and long records. */
function fileOf(seed: number, lineEnd: string): string {
  const draw = new Draw('stream_csv', seed);
  const records = Array.from({ length: 1000 }, () =>
    Array.from({ length: draw.chance(0.05) ? 3 : 6 }, () => quoted(draw.pick(CELLS))).join(','),
  );
  return ['one,two,three,four,five,six', ...records].join(lineEnd);
}

async function stream(bytes: Uint8Array): Promise<unknown[]> {
  return Array.fromAsync(streamCsv(pageOf(bytes, { kind: 'export', url: URL })));
}

/** The same from the text as a whole. */
function whole(bytes: Uint8Array): unknown[] {
  const { header, rows } = readCsv(decodeText(bytes, 'windows-1252', URL), URL);
  return [header, ...rows.map(({ cells, raw }) => ({ cells, raw }))];
}

test('the records, their cells and their raw text are the same', async () => {
  for (const [seed, lineEnd] of [
    [1, '\n'],
    [2, '\r\n'],
    [3, '\n'],
  ] as const) {
    const bytes = Buffer.from(`${seed === 3 ? '\ufeff' : ''}${fileOf(seed, lineEnd)}${seed === 1 ? '' : lineEnd}`);
    const [header, ...rows] = await stream(bytes);
    assert.deepEqual([(header as { cells: unknown }).cells, ...rows], whole(bytes));
    assert.ok(rows.length > 900);
  }
});

test('only a line that is not UTF-8 is read as Windows-1252', async () => {
  const lines = fileOf(4, '\n').split('\n');
  const bytes = Buffer.concat(
    lines.map((line, index) =>
      Buffer.from(`${line}\n`, index % 500 === 7 && !/[^ -ÿ]/u.test(line) ? 'latin1' : 'utf8'),
    ),
  );
  const [, ...rows] = await stream(bytes);
  const [, ...expected] = whole(bytes);
  assert.deepEqual(rows, expected);
});

test('a broken file is quarantined with the same message', async () => {
  const text = fileOf(5, '\n');
  const broken = `${text}\nDen"ver,2,3\n${text}`;
  await assert.rejects(
    stream(Buffer.from(broken)),
    (error: unknown) =>
      quarantined('malformed_page')(error) &&
      assert.throws(() => readCsv(broken, URL), { message: (error as Error).message }) === undefined,
  );
  await assert.rejects(stream(Buffer.from(text, 'utf16le')), quarantined('malformed_page', /UTF-16/u));
});

test('an unclosed quote mark is an error before the whole file is in memory', async () => {
  const bytes = Buffer.from(`one,two\n1,"open\n${'1,2\n'.repeat(500_000)}`);
  await assert.rejects(stream(bytes), quarantined('malformed_page', /Max Record Size/u));
});
