/** Owners with several properties: which names are organizations, which records count, and the registers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { createFunctions } from '../../../models/functions.ts';
import { macrosSql } from '../../../models/index.ts';
import {
  buildTables,
  CUYAHOGA,
  debtRow,
  listingRow,
  recordRow,
  saleRow,
  uuid5,
  builtBefore,
  type InputRow,
} from '../build_models.ts';

/** Names as lists print them, and the kind of organization; null: not one, or in doubt. */
const NAMES: Readonly<Record<string, string | null>> = {
  'ACME HOLDINGS, LLC': 'company',
  'Acme Holdings L.L.C.': 'company',
  'ÁCME HÔLDINGS LLC': 'company',
  'R & R PROPERTIES LLC': 'company',
  'SMITH & SONS INC': 'company',
  'JOHN & MARY SMITH LLC': 'company',
  'OAK PARK HOLDINGS LP': 'company',
  'LINCOLN LIMITED': 'company',
  'KAJA HOLDINGS LLC SERIES 2': 'company',
  'US BANK NA': 'bank',
  'FIRST NATIONAL BANK & TRUST COMPANY': 'bank',
  'WELLS FARGO BANK NA AS TRUSTEE FOR OPTION MORTGAGE LOAN TRUST 2007-1': 'bank',
  'RMF BUYOUT ACQUISITION TRUST 2021-HB1': 'trust',
  'OAKWOOD CONDOMINIUM ASSOCIATION': 'association',
  // Natural persons, alone and with a company
  'SMITH JOHN': null,
  'SMITH JOHN & ACME LLC': null,
  'SMITH JOHN / ACME LLC': null,
  'ACME LLC; SMITH JOHN': null,
  'ACME LLC C/O SMITH JOHN': null,
  'ACME INC SMITH JOHN': null,
  'SMITH JOHN DBA ACME PROPERTIES LLC': null,
  'JOHN BANK': null,
  'NGUYEN CO': null,
  'SMITH, L.P.': null,
  'ESTATE OF SMITH LLC': null,
  // Trusts of persons
  'SMITH JOHN TRUST': null,
  'SMITH FAMILY TRUST': null,
  'JONES MARY LIVING TRUST': null,
  '1234 MAIN ST LAND TRUST': null,
  'PNC BANK NATIONAL ASSOCIATION TRUSTEE FOR SMITH JOHN': null,
  // Public bodies
  'CITY OF CLEVELAND': null,
  'CUYAHOGA COUNTY LAND REUTILIZATION CORP': null,
  'ACME HOUSING AUTHORITY INC': null,
  LLC: null,
  '': null,
};

describe('names of owners', () => {
  it('are organizations only by a legal form, and never if they may name a person', async () => {
    const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
    try {
      createFunctions(duck.connection);
      await duck.connection.run(macrosSql());
      const rows = await rowsOf(
        duck.connection,
        `SELECT name, organization_kind(organization_key(name)) AS kind, may_be_organization(name) AS may_be
        FROM (SELECT unnest(from_json(CAST($1 AS JSON), '["VARCHAR"]')) AS name)`,
        [JSON.stringify(Object.keys(NAMES))],
      );
      assert.deepEqual(Object.fromEntries(rows.map((r) => [r['name'], r['kind']])), NAMES);
      assert.deepEqual(
        rows.filter((r) => r['kind'] !== null && r['may_be'] !== true),
        [],
      );
    } finally {
      duck.close();
    }
  });
});

const TAMPA = { county_fips: '12057', county: 'Hillsborough County, FL' };
const at = (house: number) => ({ street: `${house} ELM ST`, city: 'CLEVELAND', zip: '44102' });
const placed = (house: number) => ({ ...at(house), parcel_raw: `${house}-00-001` });
const MAIL = { mail_street: '9 Office Rd', mail_city: 'AKRON', mail_state: 'OH', mail_zip: '44301' };
const debt = (house: number, owner_name: string, row: InputRow = {}): InputRow =>
  debtRow(`${house}-00-001`, { ...at(house), owner_name, amount: '5000.00', ...row });
const record = (type: string, house: number, row: InputRow = {}): InputRow =>
  recordRow(type, `${type}-${house}`, { ...placed(house), ...row });
const filing = (number: string, business_name_raw: string, row: InputRow = {}): InputRow => ({
  source: 'ohio_sos',
  register: 'ohio_sos',
  document_number: number,
  charter_number: `C${number}`,
  business_name_raw,
  filing_date: '2026-11-02',
  ...row,
});
const AGENT = { agent_addr1: '9 OFFICE RD.', agent_city: 'AKRON', agent_state: 'OH', agent_zip: '44301' };

interface Held {
  readonly property: number;
  readonly kind: string;
  readonly id: string;
  readonly amount: string | null;
}
const heldBy = (owner: Record<string, unknown>): Held[] => JSON.parse(String(owner['properties'])) as Held[];

describe('owners', () => {
  const built = builtBefore(() =>
    buildTables(
      {
        source_reads: [{ source: 'tax', family: 'tax', ...CUYAHOGA, last_good_at: '2026-11-21T09:00:00Z' }],
        staged_tax_parcel: [
          // Two spellings, two debts, and a lien on one of them
          debt(101, 'ACME HOLDINGS LLC', MAIL),
          debt(102, 'Acme Holdings, L.L.C.', MAIL),
          // One property only
          debt(111, 'SINGLE HOLDINGS LLC'),
          // A person with several
          debt(121, 'SMITH JOHN'),
          debt(122, 'SMITH JOHN'),
          // The name of another entity too, without an agent that tells them apart
          debt(131, 'TWIN HOMES LLC'),
          debt(132, 'TWIN HOMES LLC'),
          debt(141, 'NEW HOMES INC'),
          debt(142, 'NEW HOMES INC'),
          debt(151, 'PLAIN RENTALS LLC'),
          debt(152, 'PLAIN RENTALS LLC'),
          ...['1', '2'].map((n) =>
            debt(160, 'GULF HOMES LLC', { ...TAMPA, parcel_raw: `A-0${n}`, street: `${n} BAY ST`, zip: '33602' }),
          ),
        ],
        staged_distress_record: [
          record('tax_lien', 101, { amount: '4000.00', amount_basis: 'lien' }),
          // The list does not print the owner: it is that of the parcel
          record('condemned', 102),
          // The same property under its address alone
          record('code_violation', 111, { parcel_raw: null, owner_name: 'SINGLE HOLDINGS LLC' }),
        ],
        staged_auction: [saleRow('CV104', { ...placed(104), sale_round: null })],
        // The roll knows the owners of the sale and of the listing
        staged_parcel: [104, 105].map((house) => ({
          ...CUYAHOGA,
          source: 'roll',
          ...placed(house),
          owner_name: 'ACME HOLDINGS LLC',
        })),
        staged_listing: [listingRow('L105', { ...at(105), list_price: '100000.00', units: 2 })],
        staged_registration: [
          filing('1', 'ACME HOLDINGS, LLC', AGENT),
          filing('2', 'Acme Holdings LLC'),
          filing('3', 'TWIN HOMES LLC'),
          filing('4', 'TWIN HOMES, L.L.C.'),
          filing('5', 'PLAIN RENTALS LIMITED LIABILITY COMPANY'),
          filing('6', 'PLAIN RENTALS LLC', { charter_number: 'C5' }),
          filing('7', 'GULF HOMES LLC'),
        ],
      },
      ['owners', 'signals', 'auctions', 'deals', 'filings'],
    ),
  );
  const owner = (key: string) => built.one('owners', `owner_key = '${key}'`);

  it('are organizations with at least two properties', async () => {
    const keys = (await built.rows('owners')).map((row) => row['owner_key']);
    assert.deepEqual(keys.sort(), [
      'ACME HOLDINGS LLC',
      'GULF HOMES LLC',
      'NEW HOMES INC',
      'PLAIN RENTALS LLC',
      'TWIN HOMES LLC',
    ]);
  });

  it('combine debts, records, sales and listings of every spelling, by property', async () => {
    const acme = await owner('ACME HOLDINGS LLC');
    assert.equal(acme['id'], uuid5('owner|39035|ACME HOLDINGS LLC'));
    assert.deepEqual(
      [acme['properties_count'], acme['distressed_count'], acme['listed_count'], acme['mail_city']],
      [4, 3, 1, 'AKRON'],
    );
    assert.deepEqual(JSON.parse(String(acme['kind_counts'])), {
      condemned: 1,
      listing: 1,
      sheriff_sale: 1,
      tax_delinquent: 2,
      tax_lien: 1,
    });
    const held = heldBy(acme);
    const byProperty = [...Map.groupBy(held, ({ property }) => property).values()].map((some) =>
      some.map(({ kind }) => kind).sort(),
    );
    assert.deepEqual(
      byProperty.sort((a, b) => (a.join() < b.join() ? -1 : 1)),
      [['condemned', 'tax_delinquent'], ['listing'], ['sheriff_sale'], ['tax_delinquent', 'tax_lien']],
    );
  });

  it('owe a debt once, even if two lists show it', async () =>
    assert.equal((await owner('ACME HOLDINGS LLC'))['total_amount'], '10000.00'));

  it('name the basis of the match with the register', async () => {
    const basisOf = async (key: string): Promise<unknown> => {
      const { register_match_basis: basis, register_filings: filings } = await owner(key);
      return [
        basis,
        (JSON.parse(String(filings)) as { document_number: string }[]).map((f) => f.document_number).sort(),
      ];
    };
    assert.deepEqual(await basisOf('ACME HOLDINGS LLC'), ['exact_name_and_agent', ['1', '2']]);
    assert.deepEqual(await basisOf('TWIN HOMES LLC'), ['ambiguous', ['3', '4']]);
    assert.deepEqual(await basisOf('PLAIN RENTALS LLC'), ['exact_name', ['5', '6']]);
    assert.deepEqual(await basisOf('NEW HOMES INC'), ['none', []]);
    assert.deepEqual(await basisOf('GULF HOMES LLC'), ['register_not_covered', []]);
  });

  it('include no street or ZIP of a mailing address', async () => {
    const [first = {}] = await built.rows('owners');
    assert.deepEqual(
      Object.keys(first).filter((name) => name.startsWith('mail_')),
      ['mail_city', 'mail_state'],
    );
    assert.ok(!JSON.stringify(await built.rows('owners')).includes('Office Rd'));
  });
});
