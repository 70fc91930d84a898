/**
 * HUD's and Montgomery's real files through their adapters, where the folder that holds them is present.
 * real_files.proof.ts reads the largest.
 */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { SourceSpec } from '../../sources/contract.ts';
import hud from '../../sources/fmr/hud_fmr/source.ts';
import safmr from '../../sources/fmr/hud_safmr/source.ts';
import montgomeryRoll from '../../sources/parcels/oh_montgomery_parcels/source.ts';
import montgomery from '../../sources/tax/oh_montgomery_tax/source.ts';
import { candidatesOf, parsed, type Parsed } from './parsed.ts';
import { cellsOf, skip } from './real_cells.ts';
import { pageOf, zipOf } from './recorded.ts';

const REAL = new URL('../../../shared/real/', import.meta.url);

const reads = new Map<string, Promise<Parsed>>();

/** Parse and check a file, once, as if the operator had dropped it. @param name the name it is dropped under */
function dropped(spec: SourceSpec, path: string, name = path.split('/').at(-1) ?? ''): Promise<Parsed> {
  const read = reads.get(path) ?? parsedFile(spec, path, name);
  reads.set(path, read);
  return read;
}

async function parsedFile(spec: SourceSpec, path: string, name: string): Promise<Parsed> {
  const format = spec.drop?.find(({ pattern }) => pattern.test(name.toLowerCase()));
  assert.ok(format, `${spec.name} knows no file named ${name}`);
  const page = pageOf(readFileSync(new URL(path, REAL)), {
    kind: format.kind,
    url: `file:///drop/${spec.name}/${name}`,
    context: { file: name },
  });
  return parsed(spec, [page]);
}

test("HUD's workbook of fiscal year 2026 gives all 4,764 areas, none refused", { skip }, async () => {
  const { rows, rejects, merged, rowsIn } = await dropped(hud, 'hud/FY26_FMRs.xlsx');
  assert.deepEqual(
    { rowsIn, rows: rows.length, rejects: rejects.length, merged },
    { rowsIn: 4764, rows: 4764, rejects: 0, merged: 0 },
  );
  assert.ok(
    rows.every(
      (row) => row['fiscal_year'] === 2026 && row['effective_on'] === '2025-10-01' && row['revision'] === 'original',
    ),
  );
  assert.ok(
    rows.some((row) => /^METRO\d{5}MM\d{4}$/u.test(String(row['hud_area_code']))),
    'codes of old split areas are kept',
  );
  assert.equal(
    rows.filter((row) => row['hud_area_name'] === 'Cincinnati, OH-KY-IN  HUD Metro FMR Area').length,
    12,
    'two spaces in a name are kept',
  );
});

test("HUD's area codes, towns and population columns of two years are read in any form", { skip }, async () => {
  for (const [path, split, ofConnecticut] of [
    ['hud/FY25_FMRs.csv', 64, /^090(?:0[13579]|1[135])$/u],
    ['hud/FY26_FMRs.xlsx', 53, /^091[1-9]0$/u],
  ] as const) {
    const { rows } = await dropped(hud, path);
    const codes = new Set(rows.map((row) => String(row['hud_area_code'])));
    assert.ok([...codes].every((code) => /^(?:METRO\d{5}(?:[MN]\d{5}|MM\d{4})|NCNTY\d{5}N\d{5})$/u.test(code)));
    assert.equal(
      [...codes].filter((code) => /MM\d{4}$/u.test(code)).length,
      split,
      `${path}: codes of old split areas`,
    );
    const inNewEngland = rows.filter((row) => /^(?:CT|MA|ME|NH|RI|VT)$/u.test(String(row['state'])));
    assert.equal(inNewEngland.length, 1603);
    assert.ok(inNewEngland.every((row) => row['town_name'] !== null && !String(row['fips']).endsWith('99999')));
    assert.ok(
      rows.filter((row) => row['state'] === 'CT').every((row) => ofConnecticut.test(String(row['county_fips']))),
      'counties of Connecticut in 2025, planning regions in 2026',
    );
    assert.ok(rows.some((row) => row['town_name'] === 'Sullivan city part of Crawford County'));
    assert.ok(
      rows.every((row) => typeof row['population'] === 'number'),
      'pop2022 and pop2023',
    );
  }
});

test(
  "the rents of the 20 metros' counties are those of the list derived from the same workbook",
  { skip },
  async () => {
    const byFips = new Map((await dropped(hud, 'hud/FY26_FMRs.xlsx')).rows.map((row) => [String(row['fips']), row]));
    const [top = '', ...lines] = readFileSync(new URL('geo/metro_counties_fy26.csv', REAL), 'utf8')
      .trim()
      .split(/\r?\n/u);
    const header = top.split(',');
    const fipsAt = header.findIndex((name) => /^(?:county_)?fips/u.test(name));
    const rentAt = header.findIndex((name) => /fmr_?2/u.test(name));
    assert.ok(fipsAt >= 0 && rentAt >= 0, top);
    let compared = 0;
    for (const text of lines) {
      const cells = [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/gu)].map((m) => m[1] ?? m[2] ?? '');
      const fips = (cells[fipsAt] ?? '').padEnd(10, '9');
      assert.equal(byFips.get(fips)?.['fmr_2'], `${cells[rentAt]}.00`, text);
      compared += 1;
    }
    assert.equal(compared, 208);
  },
);

test(
  "HUD's revision of fiscal year 2025 changes the rents of 181 rows, and both releases are staged",
  { skip },
  async () => {
    const [original, revised] = [
      await dropped(hud, 'hud/FY25_FMRs.csv'),
      await dropped(hud, 'hud/FY25_FMRs_revised.csv'),
    ];
    for (const { rows, rejects, merged, rowsIn } of [original, revised]) {
      assert.deepEqual(
        { rowsIn, rows: rows.length, rejects: rejects.length, merged },
        { rowsIn: 4764, rows: 4764, rejects: 0, merged: 0 },
      );
    }
    assert.deepEqual(
      new Set(original.rows.map((r) => `${r['revision']} ${r['effective_on']}`)),
      new Set(['original 2024-10-01']),
    );
    assert.deepEqual(
      new Set(revised.rows.map((r) => `${r['revision']} ${r['effective_on']}`)),
      new Set(['revised 2025-04-28']),
    );
    const rents = (row: Readonly<Record<string, unknown>> | undefined): string =>
      [0, 1, 2, 3, 4].map((n) => row?.[`fmr_${n}`]).join(' ');
    const before = new Map(original.rows.map((row) => [row['fips'], row]));
    const changed = revised.rows.filter((row) => rents(row) !== rents(before.get(row['fips'])));
    assert.equal(changed.length, 181);
    assert.ok(
      revised.rows.every((row) => typeof row['population'] === 'number'),
      'the population column of that year is pop2022',
    );
  },
);

test("HUD's county workbooks of fiscal years 2019 to 2025 give every area of each excerpt", { skip }, async () => {
  for (const year of [2019, 2020, 2021, 2022, 2023, 2024, 2025]) {
    const path = `live/hud/FY${year}_FMR_excerpt.csv`;
    const { rows, rejects, rowsIn, merged } = await dropped(hud, path, `FY${year % 100}_FMRs.csv`);
    // One row of the excerpt stands in it twice.
    assert.deepEqual(
      { rowsIn, rows: rows.length, rejects, merged },
      { rowsIn: 104, rows: 103, rejects: [], merged: 1 },
    );
    const published = new Map(cellsOf(path).map((cells) => [cells['fips'] ?? cells['fips2010'], cells]));
    for (const row of rows) {
      const cells = published.get(String(row['fips']));
      for (const rooms of [0, 1, 2, 3, 4]) assert.equal(row[`fmr_${rooms}`], `${cells?.[`fmr_${rooms}`]}.00`);
      assert.equal(row['hud_area_code'], cells?.['hud_area_code'] ?? cells?.['metro_code']);
      assert.equal(row['hud_area_name'], cells?.['hud_area_name'] ?? cells?.['areaname']);
      assert.equal(row['state'], cells?.['stusps'] ?? cells?.['state_alpha']);
      assert.equal(row['town_name'] === null, String(row['fips']).endsWith('99999'), 'a whole county has no town');
    }
  }
});

test("HUD's ZIP workbooks of fiscal years 2021 to 2024 give all 160 ZIPs of each excerpt", { skip }, async () => {
  for (const year of [2021, 2022, 2023, 2024]) {
    const path = `live/hud/fy${year}_safmrs_revised_excerpt.csv`;
    const { rows, rejects, rowsIn } = await dropped(safmr, path, `fy${year}_safmrs_revised.csv`);
    assert.deepEqual({ year, rowsIn, rows: rows.length, rejects }, { year, rowsIn: 160, rows: 160, rejects: [] });
    const published = new Map(cellsOf(path).map((cells) => [(cells['ZIP Code'] ?? '').padStart(5, '0'), cells]));
    for (const row of rows) {
      const cells = published.get(String(row['zip']));
      for (const rooms of [0, 1, 2, 3, 4]) assert.equal(row[`rent_${rooms}`], `${cells?.[`SAFMR ${rooms}BR`]}.00`);
      assert.equal(row['hud_area_name'], cells?.['HUD Metro Fair Market Rent Area Name']?.replaceAll('\n', ' '));
    }
    assert.deepEqual(new Set(rows.map((row) => String(row['zip']))), new Set(published.keys()));
    assert.ok(published.has('01431'), 'a ZIP of Massachusetts has its leading zero');
  }
});

test("Dayton's REAP list gives every one of its 609 parcels: numbers and streets, nothing else", { skip }, async () => {
  const { rows, rejects, merged, rowsIn } = await dropped(montgomery, 'tax/montgomery_dayton_reap_parcels.csv');
  assert.deepEqual(
    { rowsIn, rows: rows.length, rejects: rejects.length, merged },
    { rowsIn: 609, rows: 609, rejects: 0, merged: 0 },
  );
  assert.ok(rows.every((row) => row['street'] !== null && row['amount'] === null && row['owner_name'] === null));
  // Most read R72 12345 6789; six have a longer middle part, a letter in place of the space, or no space.
  assert.equal(rows.filter((row) => !/^R72 \d{5} \d{4}$/u.test(String(row['parcel_raw']))).length, 6);
});

test("the Treasurer's columns are those the adapter knows", { skip }, async () => {
  const header = readFileSync(new URL('tax/HEADER_montgomery_delq.txt', REAL), 'utf8').trim();
  const page = pageOf(new TextEncoder().encode(`${header}\r\n`), {
    kind: 'csv',
    url: 'file:///drop/oh_montgomery_tax/delq_20261031.csv',
  });
  assert.deepEqual(await candidatesOf(montgomery, [page]), []);
});

test("the tax roll's columns are those the adapter knows", { skip }, async () => {
  const header = readFileSync(new URL('live/montgomery/HEADER_taxroll_82.txt', REAL));
  const page = pageOf(zipOf({ 'TAXROLL_20260731.csv': new Uint8Array(header) }), {
    kind: 'zip',
    url: 'file:///drop/oh_montgomery_parcels/taxroll_20260731.zip',
  });
  assert.deepEqual(await candidatesOf(montgomeryRoll, [page]), []);
});
