/** Faults in adapters: a field read from the wrong place, rows lost, two lists merged. */
import { audit, expectation, fault, joinRate, reconcile, test, type PlantedFault } from './fault.ts';

export const sourceFaults: readonly PlantedFault[] = [
  fault(
    "Cuyahoga's whole address is taken as the street",
    [
      'sources/readers/cuyahoga_parcels.ts',
      'const whole = joinedSitus(attributes.par_addr_all);',
      'const whole = { ...joinedSitus(attributes.par_addr_all), street: optional(attributes.par_addr_all) };',
    ],
    joinRate('oh_cuyahoga_tax'),
    reconcile('tax debts of 39035: address'),
  ),
  fault(
    "Hamilton's layer is read by a number that joins nothing",
    ['sources/parcels/oh_hamilton_parcels.ts', "parcel: ['AUDPTYID', 'AUDPCLID'],", "parcel: 'PARCELID',"],
    joinRate('oh_hamilton_tax'),
    reconcile('tax debts of 39061: address'),
  ),
  fault(
    "Montgomery's roll is read without ZIPs",
    [
      'sources/parcels/oh_montgomery_parcels.ts',
      "zip: zip('PARCEL LOCATION ZIP', at('PARCEL LOCATION ZIP')),",
      'zip: null,',
    ],
    joinRate('oh_montgomery_parcels'),
    reconcile('tax debts of 39113: zip'),
  ),
  fault(
    "Montgomery's parcel numbers without a space are refused",
    [
      'sources/readers/montgomery_files.ts',
      '/^[A-Z]\\d\\d ?\\d{5,6}[ A-Z]?\\d{4}$/u',
      '/^[A-Z]\\d\\d \\d{5}[ A-Z]\\d{4}$/u',
    ],
    expectation('oh_montgomery_tax'),
  ),
  fault(
    'a query to an MLS requests two to four units only',
    [
      'sources/readers/reso/server.ts',
      'const types = server.types.map(({ type }) => type);',
      'const types = server.types.slice(0, 1).map(({ type }) => type);',
    ],
    test('sources/reso.test.ts', 'every listing on the market is read once'),
  ),
  fault(
    'files of two brokers are merged into one list',
    ['sources/listings/operator_files.ts', 'dropFolders: { ask: `${ASK_FOR_TABLE}.`, thingOf: houseOf },', ''],
    test('pipelines/sources/operator_files.test.ts', 'two brokers that both number their listings 1 and 2'),
  ),
  fault(
    'rents of a fiscal year that is over look fresh',
    [
      'sources/days.ts',
      'if (Math.max(...rows, listed?.year ?? 0) > fiscalYear)',
      'if (Math.max(...rows, listed?.year ?? 0) > fiscalYear + 9)',
    ],
    test('sources/outdated_rents.test.ts', 'newer_fiscal_year_published'),
  ),
  fault(
    'a mortgage rate of 728 percent is accepted',
    ['sources/benchmarks/freddie_pmms.ts', 'const MAX_PCT = 25n;', 'const MAX_PCT = 1000n;'],
    test('pipelines/sources/survey_rates.test.ts', 'a rate of 728 instead of 7.28 quarantines the page'),
  ),
  fault(
    'vacancy is read from the column of its margin',
    [
      'sources/benchmarks/census_hvs.ts',
      "figure('vacancy', cells[at], where)",
      "figure('vacancy', cells[at + 1], where)",
    ],
    test('sources/fleet.test.ts', 'census_hvs reads its recorded pages'),
  ),
  fault(
    'one bad sale day discards the county',
    [
      'sources/readers/list_pages.ts',
      'if (this.#failures >= this.#limit) throw error;',
      'if (this.#failures >= 1) throw error;',
    ],
    test('sources/realauction.test.ts', 'one bad sale day does not affect the others'),
  ),
  fault(
    'UPDATE is asked for a hundred ids',
    ['sources/readers/realauction/sale_day.ts', 'MAX_STATUSES = 10;', 'MAX_STATUSES = 100;'],
    test('sources/realauction.test.ts', 'a page of more than ten items has its statuses'),
  ),
  fault(
    'a cancellation in the time slot is ignored',
    [
      'sources/readers/realauction/rows.ts',
      "[isSold ? 'sold' : null, slot.text, caseStatus]",
      "[isSold ? 'sold' : null, caseStatus]",
    ],
    reconcile('sales of sheriffs: sale_status'),
    test('sources/realauction.test.ts', 'a cancellation in the time slot outweighs'),
  ),
  fault(
    "a sale's deposit is read from the opening bid",
    ['sources/readers/realauction/rows.ts', "value('Deposit Requirement')", "value('Opening Bid')"],
    reconcile('sales of sheriffs: deposit'),
  ),
  fault(
    'placeholder words count as a parcel number',
    ['sources/readers/realauction/rows.ts', '|| /\\d/u.test(printed) ?', "|| printed !== '' ?"],
    reconcile("sales of Florida's clerks: parcel_id"),
  ),
  fault(
    'second sales are read as first ones',
    [
      'sources/readers/realauction/rows.ts',
      '/\\b(?:SECOND|2ND)\\b/iu.test(text) ? 2 : null;',
      '/\\bSALE\\b/u.test(text) ? 1 : null;',
    ],
    reconcile('sales of sheriffs: opening_bid_basis'),
    reconcile('sales of sheriffs: sale_round'),
  ),
  fault(
    "an owner's address on one line gives a city with the street in it",
    [
      'sources/readers/addresses.ts',
      'if (text === null || !/[,\\d]/u.test(text)) return { street: null, city: text };',
      'if (text !== undefined) return { street: null, city: text };',
    ],
    test('sources/values.test.ts', "an owner's address on one line is split at its last comma"),
  ),
  fault(
    'the second owner is lost',
    ['sources/readers/cuyahoga_parcels.ts', ', attributes.second_owner]', ']'],
    reconcile('tax debts of 39035: owner_name'),
  ),
  fault(
    "the city of the owner's mail is the property's",
    [
      'sources/readers/cuyahoga_parcels.ts',
      'mail_city: optional(attributes.mail_city),',
      'mail_city: optional(attributes.parcel_city),',
    ],
    reconcile('tax debts of 39035: mail_city'),
  ),
  {
    name: "a county's debts are its current tax bills",
    changes: [
      {
        file: 'sources/tax/oh_stark_tax.ts',
        from: "money('FINAL_BALANCE', feature.FINAL_BALANCE)",
        to: "money('F', feature.TOTAL_BILLED)",
      },
      {
        file: 'sources/tax/oh_stark_tax.ts',
        from: "optional: ['SITE_ADDRESS3'],",
        to: "optional: ['SITE_ADDRESS3', 'TOTAL_BILLED'],",
      },
    ],
    caughtBy: [reconcile('tax debts of 39151: amount')],
  },
  fault(
    'a heading "City" of a dropped list is ignored',
    ['sources/readers/county_list.ts', 'if (meanings.length === 0) return [];', 'if (meanings.length < 9) return [];'],
    test('sources/county_list.test.ts', 'a list with unknown headings is refused'),
  ),
  fault(
    "Stark's second address field is not read",
    [
      'sources/tax/oh_stark_tax.ts',
      'const cityText = optional(attributes.SITE_ADDRESS3);',
      'const cityText = optional(null);',
    ],
    reconcile('tax debts of 39151: zip'),
  ),
  fault(
    'a misprinted amount is staged, and may stop the run',
    ['lib/range.ts', '(value) => Number(value) >= least && Number(value) <= most', '() => least <= most'],
    test('pipelines/faults/misprinted_figures.test.ts', 'one misprinted amount on a page is one reject with its row'),
  ),
  fault(
    "rows of the sandbox cite Colorado's real portal",
    [
      'sources/register/colorado_sos.ts',
      "(url.startsWith('file:') ? PORTAL : new URL(url).origin)",
      "(url === '' ? url : PORTAL)",
    ],
    test('pipelines/publish/sandbox_links.test.ts', 'no row of any table cites a real host'),
  ),
  fault(
    'a machine without a network asks every site',
    ['sources/fetch/transport.ts', 'this.#isDown = true;', 'this.#isDown = isUp;'],
    test('pipelines/faults/no_network.test.ts', 'a run without a network reports it once'),
  ),
  {
    name: 'identical rows of a layer are staged and published twice',
    changes: [
      {
        file: 'pipelines/ingest/stage/duplicates.ts',
        from: 'const merged = identical + (await keepLast(connection, spec.row.key));',
        to: 'const merged = identical;',
      },
      {
        file: 'pipelines/ingest/stage/duplicates.ts',
        from: 'const identical = await keepLast(connection, [...spec.row.columns.map(({ name }) => name), ...page]);',
        to: 'const identical = 0;',
      },
      {
        file: 'pipelines/ingest/stage/duplicates.ts',
        from: 'const refused = await takeContradictions(connection, spec, [...spec.row.key, ...page]);',
        to: 'const refused: RefusedRow[] = [];',
      },
      {
        file: 'models/intermediate/signals/int_todays_signals.sql',
        from: 'partition by signal_id',
        to: 'partition by signal_id, page_sha256, page_row',
      },
    ],
    caughtBy: [audit('signals.grain_unique')],
  },
];
