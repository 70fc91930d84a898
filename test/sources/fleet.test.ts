/**
 * Every adapter against its own recorded pages. An adapter is covered by existing: nothing is listed here. Of a file
 * that declares SHARED_LAYOUT, those with recorded pages are covered, at least one.
 *
 * Beside `<name>.ts` is a folder `recorded/<name>/` with
 *
 *   pages.json            "from", where the pages come from: recorded from the site, or made by us in its format, and
 *                         the cases, by name in lower snake case
 *   <case>.expected.json  what parse makes of a case that it must accept
 *   any page files        each used by at least one case
 *
 * A case of pages.json is an object with
 *
 *   kind, url             as the page would have them
 *   context               optional object of strings, default {}
 *   contentType           optional, default null
 *   observedAt            optional, default 2026-11-20T12:00:00Z
 *   file | text | zip     the body, exactly one of: a file of this folder ("../twin/x.html" borrows one),
 *                         the text itself, or an object {entry name: file} packed into a ZIP archive
 *   cutTo                 optional, keep only so many bytes of the body: a truncated download
 *   quarantine            the reason that parse must give; without it the case must be accepted
 *
 * Every accepted body is also cut short and damaged in places (in `make prove` in more: thorough.ts): parse may then
 * give candidates or a Quarantine, and nothing else.
 *
 * Each adapter needs a case of each kind at least: good (an accepted row), empty (no row), blocked (a page that a site
 * shows instead of the requested one, named blocked_...), malformed, and a changed template. A missing expectation is
 * written from the result of parse, and the test fails: review it.
 */

import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { sha256 } from '../../lib/files.ts';
import { SANDBOX_SOURCES } from '../../sandbox/settings.ts';
import { type Candidate, defineSource, Quarantine } from '../../sources/contract.ts';
import { findSources, type FoundSource } from '../../sources/index.ts';
import { thorough } from '../thorough.ts';
import { candidatesOf } from './parsed.ts';
import { bodyOf, pageOf, parseRecorded, type RecordedPages } from './recorded.ts';

const withoutNulls = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** What of a candidate is held against the expectation: all but the row as published and the values that are null. */
const judged = (candidates: readonly Candidate[]): unknown =>
  JSON.parse(
    JSON.stringify(
      candidates.map((c) =>
        'values' in c
          ? { values: withoutNulls(c.values), ...(c.sourceUrl === undefined ? {} : { sourceUrl: c.sourceUrl }) }
          : { reject: c.reject, ...(c.key === undefined ? {} : { key: c.key }) },
      ),
    ),
  );

async function readCases(folder: URL): Promise<RecordedPages> {
  return parseRecorded(await readFile(new URL('pages.json', folder), 'utf8'));
}

function checkCandidate({ spec }: FoundSource, candidate: Candidate, where: string): void {
  assert.ok(candidate.raw.trim() !== '', `${where}: raw is empty`);
  if ('reject' in candidate) {
    assert.match(candidate.reject.reason, /^[a-z][a-z0-9_]*$/, `${where}: reason`);
    assert.ok(candidate.reject.detail.trim(), `${where}: detail is empty`);
    for (const column of Object.keys(candidate.key ?? {}))
      assert.ok(spec.row.key.includes(column), `${where}: ${column} is not part of the key`);
    return;
  }
  const checked = spec.row.schema.safeParse(candidate.values);
  assert.ok(checked.success, `${where}: ${checked.error?.message}\n${JSON.stringify(candidate.values)}`);
  if (candidate.sourceUrl !== undefined)
    assert.ok(URL.canParse(candidate.sourceUrl), `${where}: sourceUrl ${candidate.sourceUrl}`);
}

/** Cuts of a page, and copies with changed bytes. */
const [CUTS, CHANGED] = thorough([10, 10], [20, 60]);

/** The body cut short, and with three bytes changed at places that are always the same. */
function* damaged(bytes: Uint8Array): Generator<Uint8Array> {
  for (let part = 0; part < CUTS; part += 1) yield bytes.subarray(0, Math.floor((bytes.length * part) / CUTS));
  let place = 12_345;
  for (let copy = 0; copy < CHANGED && bytes.length > 0; copy += 1) {
    const spoilt = bytes.slice();
    for (let change = 0; change < 3; change += 1) {
      place = (place * 1_103_515_245 + 12_345) % 2_147_483_648;
      spoilt[place % spoilt.length] = (place >> 8) & 127;
    }
    yield spoilt;
  }
}

/** What an adapter's cases must show, each with how a case is recognised. */
const SHOWN: readonly (readonly [what: string, how: string])[] = [
  ['good', 'a page that gives an accepted row'],
  ['empty', 'a page without a row, accepted so or set aside as empty_body'],
  ['blocked', 'a page that a site shows in place of the one asked for; its name starts with blocked'],
  ['malformed', 'malformed_page or truncated_download'],
  ['changed template', 'template_changed, unknown_column or missing_column'],
];

/** What a case shows. @param rows accepted rows and refusals of a case that is not set aside */
function shows(name: string, quarantine: string | undefined, rows: { accepted: number; refused: number }): string[] {
  if (name.startsWith('blocked')) return quarantine === undefined ? [] : ['blocked'];
  if (quarantine === undefined) return rows.accepted > 0 ? ['good'] : rows.refused === 0 ? ['empty'] : [];
  if (quarantine === 'empty_body') return ['empty'];
  if (quarantine === 'malformed_page' || quarantine === 'truncated_download') return ['malformed'];
  return ['template_changed', 'unknown_column', 'missing_column'].includes(quarantine) ? ['changed template'] : [];
}

/** What of SHOWN no case of an adapter shows, each with how to show it. */
async function unshown({ spec, recorded }: FoundSource): Promise<string[]> {
  const shown = new Set<string>();
  for (const [name, each] of Object.entries(await readCases(recorded))) {
    const candidates =
      each.quarantine === undefined
        ? await candidatesOf(spec, [pageOf((await bodyOf(each, recorded)).bytes, each)])
        : [];
    const accepted = candidates.filter((c) => 'values' in c).length;
    for (const what of shows(name, each.quarantine, { accepted, refused: candidates.length - accepted }))
      shown.add(what);
  }
  return SHOWN.filter(([what]) => !shown.has(what)).map(([what, how]) => `${what}: ${how}`);
}

const sources = await findSources(SANDBOX_SOURCES);
/** Files that an adapter lends to a twin. */
const borrowed = new Set(
  (
    await Promise.all(
      sources.map(async (found) => {
        const folder = found.recorded;
        const cases = await readCases(folder).catch((): RecordedPages => ({}));
        return Object.values(cases)
          .flatMap((c) => [c.file, ...Object.values(c.zip ?? {})])
          .filter((name) => name?.startsWith('../'))
          .map((name) => fileURLToPath(new URL(name ?? '', folder)));
      }),
    )
  ).flat(),
);
for (const found of sources) {
  const { spec, recorded: folder } = found;
  if (found.sharesLayout && !existsSync(folder)) continue;
  test(`${spec.name} reads its recorded pages`, async (t) => {
    const cases = await readCases(folder);
    const used = new Set([fileURLToPath(new URL('pages.json', folder))]);
    let accepted = 0;

    for (const [name, recorded] of Object.entries(cases)) {
      await t.test(`${name} gives the reviewed rows`, async (c) => {
        const body = await bodyOf(recorded, folder);
        for (const file of body.used) used.add(fileURLToPath(file));
        const page = pageOf(body.bytes, recorded);
        const before = sha256(page.bytes);

        if (recorded.quarantine !== undefined) {
          await assert.rejects(candidatesOf(spec, [page]), (error: unknown) => {
            assert.ok(error instanceof Quarantine, `threw ${String(error)} rather than a Quarantine`);
            assert.equal(error.reason, recorded.quarantine, error.message);
            return true;
          });
          return;
        }

        c.mock.timers.enable({ apis: ['Date'], now: new Date('2026-11-20T12:00:00Z') });
        const candidates = await candidatesOf(spec, [page]);
        c.mock.timers.setTime(new Date('2031-02-03T04:05:06Z').getTime());
        const again = await candidatesOf(spec, [page]);
        assert.deepEqual(again, candidates, 'the same page gave other candidates at another time');
        c.mock.timers.reset();
        assert.equal(sha256(page.bytes), before, 'parse changed the page');

        for (const [index, candidate] of candidates.entries()) checkCandidate(found, candidate, `row ${index}`);
        accepted += candidates.filter((candidate) => 'values' in candidate).length;

        for (const bytes of damaged(page.bytes)) {
          try {
            await candidatesOf(spec, [pageOf(bytes, recorded)]);
          } catch (error) {
            assert.ok(
              error instanceof Quarantine,
              `a damaged page made parse throw ${error instanceof Error ? error.stack : String(error)}`,
            );
          }
        }

        const file = new URL(`${name}.expected.json`, folder);
        used.add(fileURLToPath(file));
        const expected = await readFile(file, 'utf8').catch(() => undefined);
        if (expected === undefined) {
          await writeFile(file, `${JSON.stringify(judged(candidates), null, 2)}\n`);
          assert.fail(`${fileURLToPath(file)} did not exist and was written: review it, then run again`);
        }
        assert.deepEqual(judged(candidates), JSON.parse(expected));
      });
    }

    assert.ok(accepted > 0, 'no recorded page gave an accepted row');
    assert.deepEqual(await unshown(found), [], 'no recorded page shows it');
    assert.equal(defineSource(spec), spec, 'it declares terms, cadence and expectations');
    const unused = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath.replace(/\/$/, '')}/${entry.name}`)
      .filter((path) => !used.has(path) && !borrowed.has(path));
    assert.deepEqual(
      unused.map((path) => basename(path)),
      [],
      'files that no case uses',
    );
  });
}

test('every folder of recorded pages belongs to an adapter, and every file of adapters has one', async () => {
  const kinds = new Set(sources.map(({ recorded }) => fileURLToPath(new URL('../', recorded))));
  assert.ok(kinds.size > 0);
  const folders = await Promise.all([...kinds].map((kind) => readdir(kind).catch((): string[] => [])));
  const names = new Set(sources.map(({ spec }) => spec.name));
  assert.deepEqual(
    folders.flat().filter((name) => !names.has(name)),
    [],
  );
  const files = Map.groupBy(sources, ({ file }) => file.href);
  const without = [...files].filter(([, members]) => !members.some(({ recorded }) => existsSync(recorded)));
  assert.deepEqual(without, []);
});
