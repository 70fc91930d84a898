/** Colorado's register: which requests are made, and how the export and the rows of a day are read. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { Candidate, FetchContext, GetOptions, Page } from '../../sources/contract.ts';
import { Registration } from '../../sources/rows/registration.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import { COLORADO_COLUMNS } from '../../sandbox/pages/colorado.ts';
import { candidatesOf } from './parsed.ts';
import { pageOf } from './recorded.ts';
import { quarantined } from './site_double.ts';

/** A context that answers each request from a function and records it. */
function contextOf(
  answer: (url: URL) => string,
  lastGoodOn: string | null = null,
): { ctx: FetchContext; asked: URL[] } {
  const asked: URL[] = [];
  const get = async (url: string, options: GetOptions): Promise<Page> => {
    asked.push(new URL(url));
    return pageOf(Buffer.from(answer(new URL(url))), { kind: options.kind, url });
  };
  return {
    asked,
    ctx: {
      asOf: '2026-11-20',
      nowMs: 0,
      lastGoodOn,
      sampleRows: null,
      secret: () => undefined,
      session: () => ({ id: '1' }),
      get,
      getIfExists: get,
      unreadable: () => {},
    },
  };
}

const pagesOf = (ctx: FetchContext): Promise<Page[]> => Array.fromAsync(colorado.fetch?.(ctx) ?? []);

function row(candidate: Candidate | undefined): Readonly<Record<string, unknown>> {
  assert.ok(candidate && 'values' in candidate, JSON.stringify(candidate));
  return Registration.schema.parse(candidate.values);
}

const entity = (id: number): Record<string, string> => ({
  entityid: String(20_261_000_000 + id),
  entityname: `Entity ${id} LLC`,
  entityformdate: '2026-11-02T00:00:00.000',
});

/** A portal with this many entities that pages by key, as SODA does. */
const portal =
  (count: number) =>
  (url: URL): string => {
    const after = /entityid > '(\d+)'/u.exec(url.searchParams.get('$where') ?? '')?.[1] ?? '';
    const rows = Array.from({ length: count }, (_, index) => entity(index)).filter(
      ({ entityid = '' }) => entityid > after,
    );
    return JSON.stringify(rows.slice(0, Number(url.searchParams.get('$limit'))));
  };

const HEADER = COLORADO_COLUMNS.join(',');
/** A record of the export. */
const record = (id: number, name: string, formed = '11/2/2026'): string =>
  `${20_261_000_000 + id},${name},,,,,,,,,,,,,Exists,,DLLC,,,,,,,,,,,,,,,,,,${formed}`;

/** Candidates of an export. */
const parse = (text: string | Uint8Array): Promise<Candidate[]> =>
  candidatesOf(colorado, [
    pageOf(Buffer.from(text), { kind: 'export', url: 'file:///drop/colorado_sos/business_entities_in_colorado.csv' }),
  ]);
const nameOf = (candidate: Candidate | undefined): unknown => row(candidate)['business_name_raw'];
const reasonOf = (candidate: Candidate | undefined): string =>
  candidate && 'reject' in candidate ? `${candidate.reject.reason}: ${candidate.reject.detail}` : 'accepted';

test('a first load requests only the full export', async () => {
  const { ctx, asked } = contextOf(() => `${HEADER}\n${record(1, 'OLD DITCH CO', '8/4/1901')}\n`);
  const pages = await pagesOf(ctx);
  assert.deepEqual(
    asked.map(({ href }) => href),
    ['https://data.colorado.gov/api/views/4ykn-tg5h/rows.csv?accessType=DOWNLOAD'],
  );
  const candidates = await candidatesOf(colorado, pages);
  assert.deepEqual(
    candidates.map((candidate) => row(candidate)['filing_date']),
    ['1901-08-04'],
  );
});

test('a short and a long line are refused, an empty line is skipped, other lines are read', async () => {
  const candidates = await parse(
    [HEADER, record(1, 'A LLC'), '20261000002,SHORT LLC', '', `${record(3, 'LONG LLC')},x,y`, record(4, 'B LLC')].join(
      '\n',
    ),
  );
  assert.deepEqual(candidates.map(reasonOf), [
    'accepted',
    'wrong_field_count: the line has 2 fields, expected 35',
    'wrong_field_count: the line has 37 fields, expected 35',
    'accepted',
  ]);
  assert.deepEqual([candidates[1]?.raw, nameOf(candidates[3])], ['20261000002,SHORT LLC', 'B LLC']);
});

test('a row without a name, a valid date or a valid id is refused with its id', async () => {
  const candidates = await parse(
    [HEADER, record(1, ' '), record(2, 'A LLC', '2/30/2026'), record(3, 'B LLC').replace('2026', 'x')].join('\n'),
  );
  assert.deepEqual(candidates.map(reasonOf), [
    'blank_name: entityname is blank for entity 20261000001, expected a name',
    'bad_entityformdate: entityformdate is "2/30/2026", not a day of the calendar',
    'bad_entityid: entityid is "x1000003", expected eleven digits',
  ]);
  assert.deepEqual(
    candidates.map((candidate) => 'reject' in candidate && candidate.key?.['document_number']),
    ['20261000001', '20261000002', 'x1000003'],
  );
});

test('quoting, a byte order mark, CR LF and Windows-1252 lines are read', async () => {
  const quoted = record(1, '"THE ""BEST"",\nOF THEM LLC"');
  const both = [...(await parse(`\ufeff${HEADER}\r\n${quoted}\r\n`)), ...(await parse(`${HEADER}\n${quoted}`))];
  assert.deepEqual(both.map(nameOf), ['THE "BEST",\nOF THEM LLC', 'THE "BEST",\nOF THEM LLC']);
  assert.equal(both[0]?.raw, quoted, 'without the line end');
  const mixed = Buffer.concat([
    Buffer.from(`${HEADER}\n${record(1, 'Ñandú LLC')}\n`),
    Buffer.from(`${record(2, 'JOSÉ LLC')}\n`, 'latin1'),
  ]);
  assert.deepEqual((await parse(mixed)).map(nameOf), ['Ñandú LLC', 'JOSÉ LLC']);
});

test('a stray quote mark, an unknown column or a missing header quarantines the export', async () => {
  const lines = (name: string): string => [HEADER, record(1, 'A LLC'), record(2, name), record(3, 'B LLC')].join('\n');
  await assert.rejects(
    parse(lines('Den"ver LLC')),
    quarantined('malformed_page', /quote is found on field 1 at line 3/u),
  );
  await assert.rejects(parse(lines('"Den"ver LLC')), quarantined('malformed_page', /Invalid Closing Quote/u));
  await assert.rejects(parse(lines('"Denver LLC')), quarantined('malformed_page', /Quote Not Closed/u));
  await assert.rejects(parse(lines('A LLC').replace('entitystatus', 'standing')), quarantined('missing_column'));
  await assert.rejects(parse(lines('A LLC').replace('entitystatus', 'entitystatus,x')), quarantined('unknown_column'));
  await assert.rejects(parse(''), quarantined('empty_body'));
  await assert.rejects(parse(Buffer.from(lines('A LLC'), 'utf16le')), quarantined('malformed_page', /UTF-16/u));
});

/** A portal with this many entities; its count may say another total. */
const soda2 =
  (count: number, total = count) =>
  (url: URL): string =>
    url.searchParams.get('$select')?.startsWith('count')
      ? JSON.stringify([{ total: String(total) }])
      : portal(count)(url);
const TOUCHED = ":updated_at >= '2026-11-08T00:00:00.000Z' OR entityformdate >= '2026-11-08T00:00:00.000'";

test('a later load requests all rows changed since ten days before the last good read, paged by key', async () => {
  const { ctx, asked } = contextOf(soda2(2_300), '2026-11-18');
  const candidates = await candidatesOf(colorado, await pagesOf(ctx));
  assert.equal(new Set(candidates.map((candidate) => row(candidate)['document_number'])).size, 2_300);
  assert.deepEqual(
    asked.map(({ searchParams }) => searchParams.get('$where')),
    [TOUCHED, TOUCHED, `(${TOUCHED}) AND entityid > '20261000999'`, `(${TOUCHED}) AND entityid > '20261001999'`],
  );
  assert.ok(
    asked
      .slice(1)
      .every(({ searchParams }) => searchParams.get('$order') === 'entityid' && searchParams.get('$limit') === '1000'),
  );
});

test('if the portal has touched too many rows, the formation date selects the increment', async () => {
  const { ctx, asked } = contextOf(soda2(1, 3_050_000), '2026-11-18');
  await pagesOf(ctx);
  assert.deepEqual(
    asked.map(({ searchParams }) => searchParams.get('$where')),
    [TOUCHED, "entityformdate >= '2026-09-19T00:00:00.000'"],
  );
});

test('a portal that repeats a full page is quarantined', async () => {
  const full = JSON.stringify(Array.from({ length: 1000 }, (_, index) => entity(index)));
  await assert.rejects(
    pagesOf(contextOf((url) => (url.searchParams.has('$select') ? '[{"total":"1000"}]' : full), '2026-11-18').ctx),
    quarantined('template_changed'),
  );
});

const soda = (rows: unknown): Promise<Candidate[]> =>
  candidatesOf(colorado, [
    pageOf(Buffer.from(JSON.stringify(rows)), {
      kind: 'rows',
      url: 'https://data.colorado.gov/resource/4ykn-tg5h.json?$limit=1000',
    }),
  ]);

test('the agent is the organization or the person, with the fields of one address', async () => {
  const base = {
    ...entity(1),
    entitystatus: 'Good Standing',
    jurisdictonofformation: 'CO',
    entitytype: 'DLLC',
    principalcity: 'Denver',
    principalstate: 'CO',
    principalzipcode: '80206',
  };
  const [person, organization] = (
    await soda([
      {
        ...base,
        agentfirstname: 'PAT',
        agentmiddlename: 'Q',
        agentlastname: 'EXAMPLE',
        agentsuffix: 'Jr.',
        agentmailingaddress1: 'PO Box 9',
        agentmailingcity: 'Golden',
        agentmailingstate: 'CO',
        agentmailingzipcode: '80403',
      },
      {
        ...base,
        agentorganizationname: 'Example Agents, Inc.',
        agentprincipaladdress1: '1 First St, Ste 2',
        agentprincipalcity: 'Denver',
        agentmailingaddress1: 'PO Box 9',
        agentmailingzipcode: '80403',
      },
    ])
  ).map(row);
  assert.deepEqual(
    [person?.['agent_name'], person?.['agent_addr1'], person?.['agent_city'], person?.['agent_zip']],
    ['PAT Q EXAMPLE Jr.', 'PO Box 9', 'Golden', '80403'],
  );
  assert.deepEqual(
    [
      organization?.['agent_name'],
      organization?.['agent_addr1'],
      organization?.['agent_city'],
      organization?.['agent_zip'],
    ],
    ['Example Agents, Inc.', '1 First St, Ste 2', 'Denver', null],
  );
});

test('a row links to its entity on its portal', async () => {
  const [candidate] = await soda([entity(7)]);
  assert.ok(candidate && 'values' in candidate);
  assert.equal(candidate.sourceUrl, 'https://data.colorado.gov/resource/4ykn-tg5h.json?entityid=20261000007');
});

test('a row of the export links to the portal it was read from, and of a downloaded file to the real one', async () => {
  const linkOf = async (url: string): Promise<string | undefined> => {
    const page = pageOf(Buffer.from(`${HEADER}\n${record(7, 'A LLC')}\n`), { kind: 'export', url });
    const [candidate] = await candidatesOf(colorado, [page]);
    return candidate && 'values' in candidate ? candidate.sourceUrl : undefined;
  };
  const [path, entityPath] = ['/api/views/4ykn-tg5h/rows.csv', '/resource/4ykn-tg5h.json?entityid=20261000007'];
  for (const site of ['https://data.colorado.gov', 'https://data.colorado.gov.sandbox.example'])
    assert.equal(await linkOf(site + path), site + entityPath);
  assert.equal(
    await linkOf('file:///drop/colorado_sos/business_entities_in_colorado.csv'),
    `https://data.colorado.gov${entityPath}`,
  );
});

test('an unknown key and an error object quarantine the page', async () => {
  await assert.rejects(soda([{ ...entity(1), governorname: 'X' }]), quarantined('unknown_column'));
  await assert.rejects(
    soda({ message: 'Query coordinator error: malformed', error: true }),
    quarantined('malformed_page'),
  );
});

test('exports of 35 and of 36 columns give the same rows', async () => {
  const cells = record(1, '"EXAMPLE DITCH, INC., Dissolved June 18, 2001"', '8/4/1964').replace(',DLLC,', ',DT,');
  const [plain] = await parse(`${HEADER}\r\n${cells}\r\n`);
  const [verbatim] = await parse(
    [HEADER.replace('entitytype,', 'entitytypeverbatim,entitytype,'), cells.replace(',DT,', ',Ditch Company,DT,')].join(
      '\r\n',
    ),
  );
  assert.deepEqual(row(verbatim), row(plain));
  assert.equal(row(plain)['business_name_raw'], 'EXAMPLE DITCH, INC., Dissolved June 18, 2001');
  assert.equal(row(plain)['filing_date'], '1964-08-04');
  assert.equal(row(plain)['entity_type_raw'], 'DT');
});
