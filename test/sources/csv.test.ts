/** The CSV reader: as another reader reads it, whole or as a stream, with any line ends. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { Draw } from '../../sandbox/world/random.ts';
import { readCsv, streamCsv, type CsvOptions, type CsvRow } from '../../sources/csv/csv.ts';
import { decodeText } from '../../sources/fetch/page.ts';
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
  'two\rlines',
  '\n',
  '\ufeff',
  'x'.repeat(3000),
];
const CELLS = [...PLAIN, ...UNUSUAL];
const LINE_ENDS = ['\r\n', '\n', '\r'];

/** A file of several parts, about 400 kB, with quoted, short and long records, each ended by one of the line ends. */
function fileOf(seed: number, lineEnds: readonly string[]): string {
  const draw = new Draw('csv', seed);
  const records = Array.from({ length: 1000 }, () =>
    Array.from({ length: draw.chance(0.05) ? 3 : 6 }, () => quoted(draw.pick(CELLS))).join(','),
  );
  return ['one,two,three,four,five,six', ...records].map((record) => record + draw.pick(lineEnds)).join('');
}

type Records = readonly Pick<CsvRow, 'cells' | 'raw'>[];
const stream = (bytes: Uint8Array): Records =>
  [...streamCsv(pageOf(bytes, { kind: 'export', url: URL }))].map(({ cells, raw }) => ({ cells, raw }));
const whole = (text: string): Records => readCsv(text, URL).rows.map(({ cells, raw }) => ({ cells, raw }));

/** Records as csv-parse reads them, with every kind of line end. */
const byCsvParse = (text: string): unknown[] =>
  (
    parse(text, {
      bom: true,
      raw: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: LINE_ENDS,
    }) as unknown as { record: string[]; raw: string }[]
  ).map(({ record, raw }) => ({ cells: record, raw: raw.replace(/^[\r\n]+|[\r\n]+$/gu, '') }));

test('the records, their cells and their raw text are those of csv-parse, whole or as a stream', () => {
  for (const [seed, lineEnds] of [
    [1, ['\n']],
    [2, ['\r\n']],
    [3, ['\r']],
    [4, LINE_ENDS],
    [5, LINE_ENDS],
  ] as const) {
    const text = `${seed === 3 ? '\ufeff' : ''}${fileOf(seed, lineEnds)}`.slice(0, seed === 1 ? -1 : undefined);
    const streamed = stream(Buffer.from(text));
    assert.deepEqual(streamed, byCsvParse(text));
    assert.deepEqual(whole(text), streamed.slice(1));
    assert.ok(streamed.length > 900);
  }
});

test('only a line that is not UTF-8 is read as Windows-1252', () => {
  const lines = fileOf(4, ['\n']).split('\n');
  const bytes = Buffer.concat(
    lines.map((line, index) =>
      Buffer.from(`${line}\n`, index % 500 === 7 && !/[^ -ÿ]/u.test(line) ? 'latin1' : 'utf8'),
    ),
  );
  const [, ...rows] = stream(bytes);
  assert.deepEqual(rows, whole(decodeText(bytes, 'windows-1252', URL)));
});

/** The message of the quarantine of a text, whole and as a stream. */
function refusal(text: string): string {
  const messages: string[] = [];
  for (const read of [() => readCsv(text, URL), () => stream(Buffer.from(text))])
    assert.throws(read, (error: unknown) => {
      messages.push((error as Error).message);
      return quarantined('malformed_page')(error);
    });
  assert.equal(messages[0], messages[1]);
  return messages[0] ?? '';
}

test('a broken file is quarantined with the line of the broken record', () => {
  const text = fileOf(5, LINE_ENDS);
  const lines = text.match(/\r\n|\n|\r/gu)?.length ?? 0;
  const at = new RegExp(`at line ${lines + 1}$`, 'u');
  assert.match(refusal(`${text}Den"ver,2,3\n${text}`), at, 'a quote mark in a cell');
  assert.match(refusal(`${text}"Den"ver,2,3\n${text}`), at, 'text after the closing quote mark');
  assert.match(refusal(`${text}"Denver,2,3\n`), at, 'a quote mark that nothing closes');
  assert.throws(() => stream(Buffer.from(text, 'utf16le')), quarantined('malformed_page', /UTF-16/u));
});

test('an unclosed quote mark is an error before the whole file is in memory', () => {
  const bytes = Buffer.from(`one,two\n1,"open\n${'1,2\n'.repeat(500_000)}`);
  assert.throws(() => stream(bytes), quarantined('malformed_page', /more than 1000000 characters.*line 2/u));
});

const records = (text: string, options?: CsvOptions): unknown =>
  readCsv(text, URL, options).rows.map(({ cells, line }) => [line, ...cells]);

test('CSV records keep their text and their line, at any length', () => {
  const { header, rows } = readCsv('\ufeffa ,b\r\n1,"x, y"\r\n\r\n"two\nlines",2,3\r\n', URL);
  assert.deepEqual(header, ['a', 'b']);
  assert.deepEqual(rows, [
    { cells: ['1', 'x, y'], raw: '1,"x, y"', line: 2 },
    { cells: ['two\nlines', '2', '3'], raw: '"two\nlines",2,3', line: 5 },
  ]);
  assert.throws(() => readCsv('', URL), quarantined('empty_body'));
});

test('loose quote marks are kept as published', () => {
  assert.deepEqual(records('a|b\nTHE "A" TEAM|1\n"A ""B"" C"|2\n"A" TEAM|3', { looseQuotes: true, delimiter: '|' }), [
    [2, 'THE "A" TEAM', '1'],
    [3, 'A "B" C', '2'],
    [4, '"A" TEAM', '3'],
  ]);
});

test('line by line, an unclosed quote damages its own line only', () => {
  assert.deepEqual(records('a,b\r\n"x,1\r "p, q"  ,2\n \nO"HARA,3\r\n"y" z,4\n\u001a', { byLine: true }), [
    [2, '"x,1'],
    [3, 'p, q', '2'],
    [5, 'O"HARA', '3'],
    [6, '"y" z,4'],
  ]);
});
