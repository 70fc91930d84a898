/**
 * Saves the pages of a probe for a bug report, in the form of an adapter's `recorded/` folder. Names of persons are
 * replaced: in a page that the adapter could parse, every word of its personal fields; in any other, every letter and
 * digit.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, SourceSpec } from '../../sources/contract.ts';
import type { Values } from '../ingest/stage/check_rows.ts';

/** File endings of the kinds of text that can be saved. */
const ENDINGS = { json: 'json', html: 'html', csv: 'csv' } as const;
type Text = keyof typeof ENDINGS;

/** Replaces text of a value. */
type Mask = (text: string) => string;

/** What kind of text a page is; null for a workbook, an archive or a PDF. */
function kindOfText(page: Page): Text | null {
  const start = page.text('windows-1252').trimStart().slice(0, 1);
  if (page.bytes.includes(0)) return null;
  if (start === '{' || start === '[') return 'json';
  if (start === '<') return 'html';
  return page.contentType?.includes('csv') ? 'csv' : null;
}

/** Every letter becomes x or X and every digit 9, so that only the format stays. */
const formOnly: Mask = (text) =>
  text
    .replace(/\p{Lu}/gu, 'X')
    .replace(/\p{L}/gu, (line) => (line === 'X' ? line : 'x'))
    .replace(/\d/gu, '9');

/** Words of the personal fields of the rows become as many X. */
function withoutNames(spec: SourceSpec, rows: readonly Values[]): Mask {
  const personal = spec.row.columns.filter((column) => column.personal).map(({ name }) => name);
  const words = new Set(
    rows.flatMap((row) =>
      personal.flatMap(
        (name) =>
          String(row[name] ?? '')
            .toUpperCase()
            .match(/\p{L}{2,}/gu) ?? [],
      ),
    ),
  );
  return (text) =>
    text.replace(/\p{L}{2,}/gu, (word) => (words.has(word.toUpperCase()) ? 'X'.repeat(word.length) : word));
}

/** The values of a JSON document, but not its keys. */
function maskedJson(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedJson(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedJson(item, mask)]));
}

/** Text between the tags, and the values of attributes. */
const maskedHtml = (html: string, mask: Mask): string =>
  html.replace(/(<[^>]*>)|[^<]+/gu, (part, tag: string | undefined) =>
    tag === undefined ? mask(part) : tag.replace(/="[^"]*"/gu, mask),
  );

const MASKED: Readonly<Record<Text, (text: string, mask: Mask) => string>> = {
  json: (text, mask) => `${JSON.stringify(maskedJson(JSON.parse(text), mask), null, 1)}\n`,
  html: maskedHtml,
  csv: (text, mask) => mask(text),
};

export interface Kept {
  readonly folder: string;
  readonly files: readonly string[];
  /** Addresses of pages that are not text, so that their names cannot be replaced. */
  readonly left: readonly string[];
}

/**
 * Write the pages of a probe. What the folder held before is removed.
 * @param rows rows that the adapter read from them; none if it could not
 */
export async function keepPages(
  folder: string,
  spec: SourceSpec,
  pages: readonly Page[],
  rows: readonly Values[],
): Promise<Kept> {
  const mask = rows.length > 0 ? withoutNames(spec, rows) : formOnly;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const cases: Record<string, unknown> = {};
  const left: string[] = [];
  for (const [index, page] of pages.entries()) {
    const text = kindOfText(page);
    // A masked CSV file without known columns would show nothing: leave it out.
    if (text === null || (text === 'csv' && rows.length === 0)) {
      left.push(page.url);
      continue;
    }
    const name = `${String(index + 1).padStart(2, '0')}_${page.kind}`;
    const file = `${name}.${ENDINGS[text]}`;
    await writeFile(join(folder, file), MASKED[text](page.text('windows-1252'), mask));
    const { kind, url, context, contentType, observedAt } = page;
    cases[`page_${name}`] = { kind, url, context, contentType, observedAt, file };
  }
  await writeFile(join(folder, 'pages.json'), `${JSON.stringify(cases, null, 1)}\n`);
  return { folder, files: Object.keys(cases), left };
}
