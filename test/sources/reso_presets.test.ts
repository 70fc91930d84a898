/** Presets of the usual RESO vendors: what each asks for, and how often. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { queryUrl, recordUrl } from '../../sources/families/reso/query.ts';
import type { ResoServer } from '../../sources/families/reso/server.ts';
import { bridge, mlsGrid, reso, spark, trestle } from '../../sources/families/reso/vendors.ts';

const PRESETS: Readonly<Record<string, ResoServer>> = {
  reso: reso('https://api.mls.example/odata'),
  mlsGrid: mlsGrid('northstar'),
  bridge: bridge('stellar'),
  spark: spark(),
  trestle: trestle(),
};

const query = (server: ResoServer, since: string | null = null): URLSearchParams =>
  new URL(queryUrl(server, since)).searchParams;

const SPACED =
  "(PropertyType eq 'Residential Income' or PropertyType eq 'Commercial Sale') and " +
  "(StandardStatus eq 'Active' or StandardStatus eq 'Active Under Contract' or StandardStatus eq 'Pending')";
const UNSPACED = SPACED.replace('Residential Income', 'ResidentialIncome')
  .replace('Commercial Sale', 'CommercialSale')
  .replace('Active Under Contract', 'ActiveUnderContract');

test('each vendor gets a query at its address, in its words, for two to four units and for five and more', () => {
  const asked = Object.fromEntries(
    Object.entries(PRESETS).map(([name, server]) => {
      const parameters = query(server);
      return [
        name,
        {
          at: server.service,
          filter: parameters.get('$filter'),
          orderby: parameters.get('$orderby'),
          top: parameters.get('$top'),
          expand: parameters.get('$expand'),
          count: parameters.get('$count'),
          hasListingUrl: parameters.get('$select')?.split(',').includes('ListingURL'),
          auth: server.auth,
        },
      ];
    }),
  );
  const order = 'ModificationTimestamp,ListingKey';
  const token = { filter: SPACED, orderby: order, expand: null, count: 'true', hasListingUrl: true, auth: 'token' };
  assert.deepEqual(asked, {
    reso: { ...token, at: 'https://api.mls.example/odata', top: '200' },
    mlsGrid: {
      ...token,
      at: 'https://api.mlsgrid.com/v2',
      filter: `OriginatingSystemName eq 'northstar' and MlgCanView eq true and ${SPACED}`,
      orderby: null,
      top: '1000',
      expand: 'UnitTypes',
      count: null,
      hasListingUrl: false,
    },
    bridge: { ...token, at: 'https://api.bridgedataoutput.com/api/v2/OData/stellar', top: '200' },
    spark: {
      ...token,
      at: 'https://replication.sparkapi.com/Version/3/Reso/OData',
      orderby: null,
      top: '1000',
    },
    trestle: {
      ...token,
      at: 'https://api.cotality.com/trestle/odata',
      filter: UNSPACED,
      top: '1000',
      auth: { tokenUrl: 'https://api.cotality.com/trestle/oidc/connect/token', scope: 'api' },
    },
  });
});

test('no vendor gets more requests than it allows', () => {
  /** Requests that a vendor allows per minute and per hour. Not known: Bridge, Spark. */
  const allowed = { mlsGrid: [120, 7200], trestle: [180, 7200] } as const;
  for (const [name, [minute, hour]] of Object.entries(allowed)) {
    const { minIntervalMs, concurrency } = PRESETS[name]?.politeness ?? { minIntervalMs: 0, concurrency: 1 };
    assert.equal(concurrency, 1);
    assert.ok(60_000 / minIntervalMs <= minute && 3_600_000 / minIntervalMs <= hour, name);
  }
});

test('a feed may lack fields, name its system, and use a later dictionary', () => {
  const lacking = query({ ...bridge('test'), lacks: ['CapRate', 'ListingURL'] }).get('$select') ?? '';
  assert.doesNotMatch(lacking, /CapRate|ListingURL/u);
  assert.match(lacking, /NetOperatingIncome/u);
  assert.match(query(trestle('CRMLS')).get('$filter') ?? '', /^OriginatingSystemName eq 'CRMLS' and /u);
  const later = reso('https://api.mls.example/odata', { dictionary: '2.1' });
  assert.match(query(later).get('$filter') ?? '', /PropertyType eq 'Commercial Real Estate'/u);
  assert.match(query(mlsGrid("O'Brien")).get('$filter') ?? '', /OriginatingSystemName eq 'O''Brien'/u);
});

test('more than five "or" become a list', () => {
  const filter = query({ ...mlsGrid('a'), onMarket: ['A', 'B', 'C', 'D', 'E', 'F'] }).get('$filter');
  assert.equal(
    filter,
    "OriginatingSystemName eq 'a' and MlgCanView eq true and " +
      "PropertyType in ('Residential Income','Commercial Sale') and StandardStatus in ('A','B','C','D','E','F')",
  );
});

test('spaces and plus signs of a query are encoded; a key is quoted in the address of its record', () => {
  assert.doesNotMatch(queryUrl(bridge('test'), '2024-03-06T21:32:03+00:00'), /[ +]/u);
  assert.equal(recordUrl(mlsGrid('a'), "NST72 9'4"), "https://api.mlsgrid.com/v2/Property('NST72%209''4')");
});
