/** Worked queries and walking a number back, over two real days. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { openSnapshot, type OpenSnapshot } from '../../../pipelines/analyse/open_snapshot.ts';
import { explain, fieldOrigin, type Explanation } from '../../../pipelines/analyse/explain/explain.ts';
import type { Explainable } from '../../../pipelines/analyse/settings.ts';
import { formatExplanation } from '../../../pipelines/analyse/explain/format.ts';
import { workedQueries } from '../../../pipelines/analyse/query.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { openArchive, type Archive } from '../../../lib/archive.ts';
import { loadSources } from '../../../sources/index.ts';
import { afterSecondDay } from '../starting_points.ts';
import { runHere } from '../../support/run_here.ts';
import { faultsOf } from '../../models/figures/step_faults.ts';
import { BARE } from '../../environment.ts';
import { replaceBody } from '../../lib/archive_files.ts';
import { thorough } from '../../thorough.ts';

const root = new URL('../../../', import.meta.url).pathname;
let layout: Layout;
let opened: OpenSnapshot;
let archive: Archive;
const sources = await loadSources();
before(async () => {
  ({ layout } = await afterSecondDay());
  opened = await openSnapshot(layout.root);
  archive = await openArchive(layout.root);
});
after(() => {
  opened.duck.close();
});
const rows = (sql: string): Promise<Record<string, unknown>[]> => rowsOf(opened.duck.connection, sql);
const walk = async (id: unknown, table?: Explainable): Promise<Explanation> =>
  explain({ snapshot: opened, archive, sources }, String(id), table);

describe('a worked query', () => {
  for (const query of workedQueries()) {
    test(`${query.name}: ${query.answers.slice(0, 80)}`, async () => {
      const least = /^-- rows: (any|\d+)/mu.exec(query.sql)?.[1] ?? assert.fail();
      const found = await rows(query.sql);
      assert.ok(least === 'any' || found.length >= Number(least), `${found.length} rows, ${least} or more expected`);
      const checks = Array.from(query.sql.matchAll(/^-- check: (.+)$/gmu), ([, check]) => String(check));
      assert.ok(query.answers !== '' && checks.length > 0, 'something must hold of its rows');
      for (const check of checks)
        assert.deepEqual(await rows(`SELECT * FROM (${query.sql}) WHERE (${check}) IS NOT TRUE LIMIT 3`), [], check);
    });
  }

  test('runs from the command line; an unknown name is an error that lists the queries', async () => {
    const ask = (env: Record<string, string>) =>
      runHere(join(root, 'pipelines/analyse/cli.ts'), {
        args: ['query'],
        env: { ...BARE, DATA_DIR: layout.root, ...env },
      });
    assert.match((await ask({})).out, /^ {2}auctions_by_week +Upcoming sheriff sales per week/m);
    assert.match((await ask({ NAME: 'auctions_by_week', FORMAT: 'csv' })).out, /^week,sales,counties,/);
    assert.match((await ask({ NAME: 'nothing' })).err, /^NAME is "nothing", expected one of auctions_by_week, /);
  });
});

describe('make explain', () => {
  const page = (e: Explanation, gave: string) =>
    e.pages.find((p) => p.role === gave) ?? assert.fail(`no page gave ${gave}`);

  test('shows for every lead how each part follows from the fields and assumptions it names', async () => {
    let checked = 0;
    const all = await rows(`SELECT id FROM leads ORDER BY hash(id) LIMIT ${thorough(10, 30)}`);
    const kinds = await rows(
      `(SELECT id FROM leads WHERE auction_id IS NOT NULL LIMIT ${thorough(5, 20)})
      UNION ALL (SELECT id FROM leads WHERE county_value IS NULL AND amount IS NOT NULL LIMIT 5)`,
    );
    for (const { id } of [...all, ...kinds]) {
      const e = await walk(id);
      for (const step of e.steps) {
        assert.deepEqual(faultsOf(step), [], `${String(id)} ${step.figure} = ${step.formula}`);
        checked += 1;
      }
      assert.equal(e.pages.length, 1);
      assert.equal(e.pages[0]?.hash, 'verified');
    }
    assert.ok(checked > thorough(100, 300), String(checked));
  });

  test('shows for a deal the formula, inputs, assumptions, and the parsed pages of listing and rent', async () => {
    const [deal] = await rows(
      `SELECT * FROM deals
      WHERE underwrite_reliability = 'ok' AND cap_gap_pct IS NOT NULL AND rent_basis = 'zip' ORDER BY id LIMIT 1`,
    );
    const e = await walk(deal?.['id']);
    assert.deepEqual(e.steps.flatMap(faultsOf), []);
    const [listing, rent] = [page(e, 'listing'), page(e, 'rent')];
    assert.deepEqual([listing.hash, rent.hash], ['verified', 'verified']);
    assert.equal(listing.values?.['list_price'], deal?.['list_price']);
    assert.equal(listing.values?.['units'], deal?.['units']);
    assert.equal(listing.url, deal?.['source_url']);
    assert.equal(rent.values?.['rent_2'], deal?.['market_rent_2br'], "the rent is on HUD's own row");
    assert.equal(rent.values?.['zip'], deal?.['zip']);
    assert.ok(Date.parse(listing.fetched?.observedAt ?? '') <= Date.parse(`${String(deal?.['observed_at'])}Z`));
    const lines = formatExplanation(e, 'noi_underwritten').join('\n');
    assert.match(lines, /noi_underwritten = [\d.]+\n {2}NOI .*\n {2}= noi_after_reset/);
    assert.match(lines, /gross_potential_rent = [\d.]+\n += round2\(units \* contract_rent \* .*/);
    assert.match(lines, /insurance_per_unit = 671 .*uw-2026\.3/);
    assert.match(lines, /tax_after_reset = [\d.]+\n += (round2\(tax_fixed|tax_floor|tax_at_price)/);
    assert.match(lines, /market_rent_2br = [\d.]+ {2}from page 2/);
    assert.match(lines, new RegExp(`^ {4}SHA-256 ${listing.sha256} verified$`, 'mu'));
  });

  test('shows for a deal every page that supports its figures, with the row, and marks our judgments', async () => {
    const [deal] = await rows(
      `SELECT id, provenance FROM deals
      WHERE underwrite_reliability = 'ok' AND rent_basis = 'zip' AND vacancy_basis = 'metro_survey'
        AND annual_taxes IS NOT NULL AND (provenance ->> '$.rent_in_place.source') = 'census_acs' ORDER BY id LIMIT 1`,
    );
    const e = await walk(deal?.['id']);
    const provenance = Object.entries(
      JSON.parse(String(deal?.['provenance'])) as Record<string, { source_url: string | null; row: string[] | null }>,
    );
    const lines = formatExplanation(e).concat(formatExplanation(e, 'offer_high'), formatExplanation(e, 'deal_score'));
    const cited = provenance.flatMap(([group, { source_url: url, row }]) =>
      url === null ? [] : [{ group, url, row }],
    );
    for (const { group, row } of cited) {
      const found = e.pages[(e.positions.get(group) ?? 0) - 1] ?? assert.fail(`no page of ${group}`);
      assert.equal(found.hash, 'verified', group);
      const values = Object.values(found.values ?? {}).map(String);
      assert.ok(
        row?.every((name) => values.includes(name)),
        `${group}: ${String(row)} in ${found.url ?? ''}`,
      );
    }
    assert.deepEqual(
      cited.map(({ group }) => group).filter((group) => group !== 'roll'),
      ['listing', 'claim', 'rent', 'rent_in_place', 'utilities', 'vacancy', 'tax_rate', 'tax_bill', 'debt'],
    );
    const positionOf = (gave: string): number => e.pages.findIndex(({ role }) => role === gave) + 1;
    for (const [input, role] of [
      ['market_rent_2br', 'rent'],
      ['gross_rent_2', 'rent_in_place'],
      ['county_gross_rent', 'utilities'],
      ['tax_rate_pct', 'utilities'],
      ['metro_pct', 'vacancy'],
      ['annual_constant', 'debt'],
      ['tax_bill', 'listing'],
    ] as const)
      assert.ok(
        lines.some((line) => new RegExp(`^ +${input} = [\\d.]+ {2}from page ${positionOf(role)}$`, 'u').test(line)),
        `${input} is not from the page of ${role}`,
      );
    assert.ok(lines.some((line) => /^ +vacancy_pct +\d.* = min\(round2\(vacancy_most \* 100\), max\(/u.test(line)));
    const census = e.steps.find(({ figure }) => figure === 'in_place_ratio_2br')?.inputs;
    assert.equal(page(e, 'rent_in_place').values?.['gross_rent_2'], census?.['gross_rent_2']);
    const origin = (field: string): Promise<string> => fieldOrigin(opened.duck.connection, e, field);
    for (const field of 'rental_status underwriting_agreement rent_basis confidence_parts deal_score'.split(' '))
      assert.match(await origin(field), /^ours: computed by models\//u, field);
    for (const field of ['list_price', 'units', 'year_built'])
      assert.match(await origin(field), /^from page 1, read by models\/staging/u, field);
    assert.match(await origin('market_rent_2br'), new RegExp(`^from page ${positionOf('rent')}, `, 'u'));
  });

  test('shows for a signal, an auction and a filing the row as published', async () => {
    const cases = [
      ['signals', 'amount_to_value_pct IS NOT NULL', 'amount', 'amount'],
      ['auctions', 'opening_bid_derived', 'appraised_value', 'appraised_value'],
      ['auctions', 'NOT opening_bid_derived AND opening_bid IS NOT NULL', 'opening_bid', 'opening_bid'],
      ['filings', "source = 'ohio_sos'", 'document_number', 'document_number'],
      ['filings', "source = 'colorado_sos'", 'document_number', 'document_number'],
    ] as const;
    for (const [table, where, field, read] of cases) {
      const [row] = await rows(`SELECT * FROM ${table} WHERE ${where} ORDER BY id LIMIT 1`);
      if (!row) assert.fail(`no ${table} where ${where}`);
      const e = await walk(row['id'], table);
      assert.equal(e.table, table);
      const [found] = e.pages;
      assert.equal(found?.hash, 'verified');
      assert.equal(found?.values?.[read], row[field], `${table} ${field}`);
      assert.ok(found?.excerpt);
      for (const step of e.steps) assert.deepEqual(faultsOf(step), []);
    }
    const [derived] = await rows('SELECT id FROM auctions WHERE opening_bid_derived ORDER BY id LIMIT 1');
    assert.match(
      formatExplanation(await walk(derived?.['id']), 'opening_bid').join('\n'),
      /= ceil2\(appraised_value \* opening_bid_numerator \/ opening_bid_denominator\)\n.*ORC 2329/,
    );
  });

  test('accepts the beginning of an id if it is unique, and names a wrong id or field', async () => {
    const [deal] = await rows('SELECT id FROM deals ORDER BY id LIMIT 1');
    assert.equal((await walk(String(deal?.['id']).slice(0, 13))).id, deal?.['id']);
    await assert.rejects(walk('ffffff00-0000'), /^SettingError: ID is "ffffff00-0000"/);
    await assert.rejects(walk("' OR 1=1"), /^SettingError: ID is /);
    const e = await walk(deal?.['id']);
    assert.throws(() => formatExplanation(e, 'profit'), /^SettingError: FIELD is "profit"/);
  });

  test('reports changed bytes, also in the exit status', async () => {
    const [deal] = await rows(
      "SELECT id, page_sha256 FROM deals WHERE source = 'heartland_multifamily' ORDER BY id LIMIT 1",
    );
    const sha = String(deal?.['page_sha256']);
    const explained = (ID: string): { status: number | null; stdout: string } =>
      spawnSync(process.execPath, ['pipelines/analyse/cli.ts', 'explain'], {
        cwd: root,
        encoding: 'utf8',
        env: { ...BARE, DATA_DIR: layout.root, ID },
      });
    const whole = await archive.read(sha);
    assert.equal(explained(sha).stdout, Buffer.from(whole).toString(), 'the hash of a page gives its bytes');
    replaceBody(layout.root, sha, 'something else');
    const { status, stdout } = explained(String(deal?.['id']));
    assert.equal(status, 1);
    assert.match(stdout, /SHA-256 [0-9a-f]{64} NOT VERIFIED: the archived page [0-9a-f]{64} is damaged/);
    assert.equal(explained(sha).stdout, '');
    await archive.put(whole);
    await archive.flush();
  });
});
