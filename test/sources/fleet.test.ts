/**
 * Every adapter against its own recorded pages. An adapter is covered by existing: nothing is listed here. Of a
 * family's table, the rows with recorded pages are covered.
 *
 * Next to `source.ts` is a folder `recorded/` with
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
 *   file | text | zip     the body, exactly one of: a file (relative to recorded/, so "../../twin/recorded/x.html"
 *                         borrows one), the text itself, or an object {entry name: file} packed into a ZIP archive
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
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SANDBOX_SOURCES } from '../../sandbox/settings.ts';
import { findSources } from '../../sources/index.ts';
import { fleetTests } from './fleet_checks.ts';

const sources = await findSources(SANDBOX_SOURCES);

await fleetTests(sources);

test('there are adapters, and every name is unique', () => {
  assert.ok(sources.length > 0);
  assert.equal(new Set(sources.map(({ spec }) => spec.name)).size, sources.length);
});
