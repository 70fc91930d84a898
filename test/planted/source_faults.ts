/** Faults in adapters: a field read from the wrong place, rows lost, two lists merged. */
import { audit, change, expectation, joinRate, reconcile, test, type PlantedFault } from './fault.ts';

const CUYAHOGA = 'sources/families/cuyahoga_parcels.ts';
const HAMILTON_LAYER = 'sources/parcels/oh_hamilton_parcels/source.ts';
const ROLL = 'sources/parcels/oh_montgomery_parcels/source.ts';
const TAX_SIGNALS = 'models/intermediate/signals/int_tax_signals.sql';
const SALES = 'sources/families/realauction/rows.ts';
const ADDRESSES = 'sources/families/addresses.ts';

export const sourceFaults: readonly PlantedFault[] = [
  {
    name: "Cuyahoga's whole address is taken as the street",
    changes: [
      change(
        CUYAHOGA,
        'const whole = joinedSitus(attributes.par_addr_all);',
        'const whole = { ...joinedSitus(attributes.par_addr_all), street: optional(attributes.par_addr_all) };',
      ),
    ],
    caughtBy: [joinRate('oh_cuyahoga_tax'), reconcile('tax debts of 39035: address')],
  },
  {
    name: "Hamilton's layer is read by a number that joins nothing",
    changes: [change(HAMILTON_LAYER, "parcel: ['AUDPTYID', 'AUDPCLID'],", "parcel: 'PARCELID',")],
    caughtBy: [joinRate('oh_hamilton_tax'), reconcile('tax debts of 39061: address')],
  },
  {
    name: "Montgomery's roll is read without ZIPs",
    changes: [change(ROLL, "zip: zip('PARCEL LOCATION ZIP', at('PARCEL LOCATION ZIP')),", 'zip: null,')],
    caughtBy: [joinRate('oh_montgomery_parcels'), reconcile('tax debts of 39113: zip')],
  },
  {
    name: "Montgomery's parcel numbers without a space are refused",
    changes: [
      change(
        'sources/families/montgomery_files.ts',
        String.raw`/^[A-Z]\d\d ?\d{5,6}[ A-Z]?\d{4}$/u`,
        String.raw`/^[A-Z]\d\d \d{5}[ A-Z]\d{4}$/u`,
      ),
    ],
    caughtBy: [expectation('oh_montgomery_tax')],
  },
  {
    name: 'a query to an MLS requests two to four units only',
    changes: [
      change(
        'sources/families/reso/query.ts',
        'const types = server.types.map(({ type }) => type);',
        'const types = server.types.slice(0, 1).map(({ type }) => type);',
      ),
    ],
    caughtBy: [test('sources/reso_feeds.test.ts', 'every listing on the market is read once')],
  },
  {
    name: 'files of two brokers are merged into one list',
    changes: [
      change(
        'sources/listings/operator_files/source.ts',
        'dropFolders: { ask: `${ASK_FOR_TABLE}.`, thingOf: houseOf },',
        '',
      ),
    ],
    caughtBy: [test('pipelines/sources/operator_files.test.ts', 'two brokers that both number their listings 1 and 2')],
  },
  {
    name: 'rents of a fiscal year that is over look fresh',
    changes: [
      change(
        'sources/fiscal_year.ts',
        'if (Math.max(...rows, listed?.year ?? 0) > fiscalYear)',
        'if (Math.max(...rows, listed?.year ?? 0) > fiscalYear + 9)',
      ),
    ],
    caughtBy: [test('sources/outdated_rents.test.ts', 'newer_fiscal_year_published')],
  },
  {
    name: 'a mortgage rate of 728 percent is accepted',
    changes: [change('sources/families/survey_rates.ts', 'const MAX_PCT = 25n;', 'const MAX_PCT = 1000n;')],
    caughtBy: [test('pipelines/sources/survey_rates.test.ts', 'a rate of 728 instead of 7.28 quarantines the page')],
  },
  {
    name: 'a page of rates that stopped a year ago looks fresh',
    changes: [change('pipelines/ingest/recency.ts', 'if (age <= expect.newest.maxAgeDays)', 'if (age <= 10_000)')],
    caughtBy: [test('pipelines/sources/survey_rates.test.ts', 'a page that stops a year ago degrades its source')],
  },
  {
    name: 'the older of two reads of one rate counts',
    changes: [change('models/staging/stg_survey_rates.sql', 'observed_at desc,', 'observed_at,')],
    caughtBy: [
      test('models/loans/loan_rates.test.ts', 'a rate that two sources publish is one row, of the newer read'),
    ],
  },
  {
    name: 'vacancy is read from the column of its margin',
    changes: [
      change(
        'sources/benchmarks/census_hvs/source.ts',
        "figure('vacancy', cells[at], where)",
        "figure('vacancy', cells[at + 1], where)",
      ),
    ],
    caughtBy: [test('sources/fleet.test.ts', 'census_hvs reads its recorded pages')],
  },
  {
    name: 'one bad sale day discards the county',
    changes: [
      change(
        'sources/families/skipped_pages.ts',
        'if (this.#failures >= this.#limit) throw error;',
        'if (this.#failures >= 1) throw error;',
      ),
    ],
    caughtBy: [test('sources/realauction_bad_days.test.ts', 'one bad sale day does not affect the others')],
  },
  {
    name: 'UPDATE is asked for a hundred ids',
    changes: [change('sources/families/realauction/site.ts', 'MAX_STATUSES = 10;', 'MAX_STATUSES = 100;')],
    caughtBy: [test('sources/realauction.test.ts', 'a page of more than ten items has its statuses')],
  },
  {
    name: 'a cancellation in the time slot is ignored',
    changes: [change(SALES, "[isSold ? 'sold' : null, slot.text, caseStatus]", "[isSold ? 'sold' : null, caseStatus]")],
    caughtBy: [
      reconcile('sales of sheriffs: sale_status'),
      test('sources/realauction.test.ts', 'a cancellation in the time slot outweighs'),
    ],
  },
  {
    name: "a sale's deposit is read from the opening bid",
    changes: [change(SALES, "value('Deposit Requirement')", "value('Opening Bid')")],
    caughtBy: [reconcile('sales of sheriffs: deposit')],
  },
  {
    name: 'placeholder words count as a parcel number',
    changes: [
      change('sources/families/realauction/rows.ts', String.raw`|| /\d/u.test(printed) ?`, "|| printed !== '' ?"),
    ],
    caughtBy: [reconcile("sales of Florida's clerks: parcel_id")],
  },
  {
    name: 'second sales are read as first ones',
    changes: [
      change(
        SALES,
        String.raw`/\b(?:SECOND|2ND)\b/iu.test(text) ? 2 : null;`,
        String.raw`/\bSALE\b/u.test(text) ? 1 : null;`,
      ),
    ],
    caughtBy: [reconcile('sales of sheriffs: opening_bid_basis'), reconcile('sales of sheriffs: sale_round')],
  },
  {
    name: "an owner's address on one line gives a city with the street in it",
    changes: [
      change(
        ADDRESSES,
        String.raw`if (text === null || !/[,\d]/u.test(text)) return { street: null, city: text };`,
        'if (text !== undefined) return { street: null, city: text };',
      ),
    ],
    caughtBy: [test('sources/addresses.test.ts', "an owner's address on one line is split at its last comma")],
  },
  {
    name: 'the second owner is lost',
    changes: [change(CUYAHOGA, ', attributes.second_owner]', ']')],
    caughtBy: [reconcile('tax debts of 39035: owner_name')],
  },
  {
    name: "the city of the owner's mail is the property's",
    changes: [
      change(CUYAHOGA, 'mail_city: optional(attributes.mail_city),', 'mail_city: optional(attributes.parcel_city),'),
    ],
    caughtBy: [reconcile('tax debts of 39035: mail_city')],
  },
  {
    name: "a county's debts are its current tax bills",
    changes: [
      change(
        'sources/tax/oh_stark_tax/source.ts',
        "money('FINAL_BALANCE', feature.FINAL_BALANCE)",
        "money('F', feature.TOTAL_BILLED)",
      ),
      change(
        'sources/tax/oh_stark_tax/source.ts',
        "optional: ['SITE_ADDRESS3'],",
        "optional: ['SITE_ADDRESS3', 'TOTAL_BILLED'],",
      ),
    ],
    caughtBy: [reconcile('tax debts of 39151: amount')],
  },
  {
    name: 'a heading "City" of a dropped list is ignored',
    changes: [
      change(
        'sources/families/county_list/headings.ts',
        'if (meanings.length === 0) return [];',
        'if (meanings.length < 9) return [];',
      ),
    ],
    caughtBy: [test('sources/county_list.test.ts', 'City, Zip and Assessed Value are not lost')],
  },
  {
    name: 'two headings of one field: the first is read silently',
    changes: [
      change(
        'sources/csv/headed_table.ts',
        'if (indices.length === 1 || bestCounts?.has(field)) continue;',
        'if (indices.length > 0) continue;',
      ),
    ],
    caughtBy: [test('sources/county_list.test.ts', 'two headings of one field are resolved by the map')],
  },
  {
    name: "Stark's second address field is not read",
    changes: [
      change(
        'sources/tax/oh_stark_tax/source.ts',
        'const cityText = optional(attributes.SITE_ADDRESS3);',
        'const cityText = optional(null);',
      ),
    ],
    caughtBy: [reconcile('tax debts of 39151: zip')],
  },
  {
    name: "HUD's workbooks of 2019 to 2022 are refused",
    changes: [change('sources/fmr/hud_fmr/source.ts', "fips: ['fips', 'fips2010'],", "fips: ['fips'],")],
    caughtBy: [test('sources/fleet.test.ts', 'hud_fmr reads its recorded pages')],
  },
  {
    name: 'area names of ZIP rents keep line breaks',
    changes: [
      change(
        'sources/families/hud/releases.ts',
        String.raw`tidy(value)?.replace(/[ \t]*[\r\n]+[ \t]*/gu, ' ');`,
        'tidy(value);',
      ),
    ],
    caughtBy: [test('sources/fleet.test.ts', 'hud_safmr reads its recorded pages')],
  },
  {
    name: 'ZIPs of a workbook lose their leading zeros',
    changes: [
      change(
        'sources/fmr/hud_safmr/source.ts',
        "return isNumber ? (digits ?? '').padStart(5, '0') : digits;",
        'return digits;',
      ),
    ],
    caughtBy: [test('sources/fleet.test.ts', 'hud_safmr reads its recorded pages')],
  },
  {
    name: 'a misprinted amount is staged, and may stop the run',
    changes: [
      change('lib/range.ts', '(value) => Number(value) >= least && Number(value) <= most', '() => least <= most'),
    ],
    caughtBy: [
      test('pipelines/faults/misprinted_figures.test.ts', 'one misprinted amount on a page is one reject with its row'),
    ],
  },
  {
    name: "rows of the sandbox cite Colorado's real portal",
    changes: [
      change(
        'sources/register/colorado_sos/source.ts',
        "(url.startsWith('file:') ? PORTAL : new URL(url).origin)",
        "(url === '' ? url : PORTAL)",
      ),
    ],
    caughtBy: [test('pipelines/publish/sandbox_links.test.ts', 'no row of any table cites a real host')],
  },
  {
    name: 'a machine without a network asks every site',
    changes: [change('sources/fetch/network.ts', 'this.#isDown = true;', 'this.#isDown = isUp;')],
    caughtBy: [test('fetch/no_network.test.ts', 'of every host is no network')],
  },
  {
    name: 'identical rows of a layer are staged and published twice',
    changes: [
      change(
        'pipelines/ingest/stage/duplicates.ts',
        'const merged = identical + (await keepLast(connection, spec.row.key));',
        'const merged = identical;',
      ),
      change(
        'pipelines/ingest/stage/duplicates.ts',
        'const identical = await keepLast(connection, [...spec.row.columns.map(({ name }) => name), ...page]);',
        'const identical = 0;',
      ),
      change(
        'pipelines/ingest/stage/duplicates.ts',
        'const refused = await takeContradictions(connection, spec, [...spec.row.key, ...page]);',
        'const refused: RefusedRow[] = [];',
      ),
      change(TAX_SIGNALS, 'partition by signal_id', 'partition by signal_id, page_sha256, page_row'),
    ],
    caughtBy: [audit('signals.grain_unique')],
  },
];
