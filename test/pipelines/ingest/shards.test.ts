/** A read is split into shards by its pages alone, and a large CSV file is cut between its records. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ReadPage } from '../../../pipelines/ingest/reads.ts';
import { cutPart, splitIntoShards } from '../../../pipelines/ingest/stage/stage_shard.ts';
import type { Page, SourceSpec } from '../../../sources/contract.ts';
import { csvCuts, streamCsv } from '../../../sources/csv/csv.ts';
import colorado from '../../../sources/register/colorado_sos/source.ts';
import { pageOf } from '../../sources/recorded.ts';

const pageOfSize = (size: number, kind = 'list'): ReadPage => ({
  kind,
  size,
  url: `https://example.org/${size}`,
  context: {},
  sha256: '',
  observedAt: '2026-11-20T12:00:00Z',
  open: () => assert.fail('a page is opened where it is parsed'),
});

/** Sizes of the pages of each shard, or the part of a divided one. */
const shown = (spec: SourceSpec, pages: readonly ReadPage[]): unknown[] =>
  splitIntoShards(spec, pages, 100).map((parts) =>
    parts.map(({ page, number, of }) => (of === 1 ? page.size : `${number} of ${of}`)),
  );

describe('shards', () => {
  test('are groups of neighboring pages up to a size; a large page is one of its own', () => {
    assert.deepEqual(
      shown(
        colorado,
        [60, 40, 1, 250, 30, 70].map((size) => pageOfSize(size)),
      ),
      [[60, 40], [1], [250], [30, 70]],
    );
    assert.deepEqual(shown(colorado, []), []);
  });

  test('of a large page of a kind that its source divides are its parts', () => {
    assert.deepEqual(shown(colorado, [pageOfSize(20), pageOfSize(250, 'export'), pageOfSize(90, 'export')]), [
      [20],
      ['0 of 3'],
      ['1 of 3'],
      ['2 of 3'],
      [90],
    ]);
  });

  test('of files of several suppliers are one, because they are compared with each other', () => {
    const spec: SourceSpec = { ...colorado, dropFolders: { ask: 'Send another file.' } };
    assert.deepEqual(
      shown(
        spec,
        [90, 90].map((size) => pageOfSize(size)),
      ),
      [[90, 90]],
    );
  });

  test('have at most 500 pages', () => {
    const pages = Array.from({ length: 501 }, () => pageOfSize(0));
    assert.deepEqual(
      splitIntoShards(colorado, pages).map(({ length }) => length),
      [500, 1],
    );
  });
});

/** A cell as CSV, quoted where it must be. */
const written = (cell: string): string => (/[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const cell = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', '\r', ' '), maxLength: 8 }));

test('the parts of a CSV file have its records, in their order, whatever their number', () => {
  const files = fc.record({
    rows: fc.array(fc.tuple(fc.constantFrom('1', '22'), cell, cell), { maxLength: 12 }),
    ends: fc.infiniteStream(fc.constantFrom('\n', '\r\n', '\r')),
    isEnded: fc.boolean(),
    parts: fc.integer({ min: 2, max: 9 }),
  });
  fc.assert(
    fc.property(files, ({ rows, ends, isEnded, parts }) => {
      const lines = [['id', 'say "name"', 'note'], ...rows].map((cells) => cells.map(written).join(','));
      const text = lines.map((line, at) => line + (isEnded || at + 1 < lines.length ? ends.next().value : '')).join('');
      const page = pageOf(Buffer.from(text), { kind: 'export', url: 'file:///x.csv' });
      const recordsOf = (part: Page): unknown[] => [...streamCsv(part)].map(({ cells, raw }) => ({ cells, raw }));
      const [head, ...records] = recordsOf(page);
      const spec: SourceSpec = { ...colorado, divides: { kinds: ['export'], cuts: csvCuts } };
      const found: unknown[] = [];
      for (let number = 0; number < parts; number += 1) {
        const [again, ...own] = recordsOf(cutPart(spec, { page, number, of: parts }));
        assert.deepEqual(again, head);
        found.push(...own);
      }
      assert.deepEqual(found, records);
    }),
  );
});
