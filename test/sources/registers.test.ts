/** The registers of Ohio and Colorado: which requests are made, and what is made of awkward files. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import {
  Quarantine,
  SourceUnavailable,
  type Candidate,
  type FetchContext,
  type GetOptions,
  type Page,
} from '../../sources/contract.ts';
import { csvSlices } from '../../sources/csv/csv_slices.ts';
import { Registration } from '../../sources/rows/registration.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import ohio from '../../sources/register/ohio_sos/source.ts';

const HEADER =
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,CONSENT FLAG,TRANSACTION CODE DESCRIPTION,FILING ADDRESS NAME,' +
  'FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,AGENT ADDRESS NAME,AGENT ADDRESS 1,AGENT ADDRESS 2,AGENT CITY,' +
  'AGENT STATE,AGENT ZIP,BUSINESS CITY,COUNTY,BUSINESS ASSOCIATE NAMES';
const FILED =
  'FILER INC,1 MAIN ST,,AKRON,OH,44308,AGENT CO,2 MAIN ST,STE 5,COLUMBUS,OH,43215,AKRON,SUMMIT,A PERSON|B PERSON';

function pageOf(
  kind: string,
  url: string,
  body: string | Uint8Array,
  context: Readonly<Record<string, string>> = {},
): Page {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    kind,
    url,
    context,
    bytes,
    sha256: '0'.repeat(64),
    contentType: null,
    observedAt: '2026-11-20T12:00:00Z',
    text(fallback) {
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch {
        return new TextDecoder(fallback ?? 'utf-8').decode(bytes);
      }
    },
  };
}

/** A context that answers each address from a function, and remembers what was asked. */
function contextOf(
  answer: (url: URL) => string,
  lastGoodOn: string | null = null,
): { ctx: FetchContext; asked: URL[] } {
  const asked: URL[] = [];
  const get = async (url: string, options: GetOptions): Promise<Page> => {
    asked.push(new URL(url));
    return pageOf(options.kind, url, answer(new URL(url)), options.context);
  };
  return {
    asked,
    ctx: {
      asOf: '2026-11-20',
      nowMs: 0,
      lastGoodOn,
      secret: () => undefined,
      session: () => ({ id: '1' }),
      get,
      getIfExists: get,
      unreadable: () => {},
    },
  };
}

async function pagesOf(fetch: typeof ohio.fetch, ctx: FetchContext): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const page of fetch?.(ctx) ?? []) pages.push(page);
  return pages;
}

const ohioReport = (...lines: string[]): readonly Candidate[] =>
  ohio.parse(
    pageOf(
      'report_0100',
      'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports/WI0100R.TXT',
      [HEADER, ...lines].join('\r\n'),
    ),
  );

function row(candidate: Candidate | undefined): Readonly<Record<string, unknown>> {
  assert.ok(candidate && 'values' in candidate, JSON.stringify(candidate));
  return Registration.schema.parse(candidate.values);
}

test('Ohio: a filing is read with its agent, and its file fixes the entity type', () => {
  assert.deepEqual(
    row(
      ohioReport(
        `202600100001,5000001,10/05/2026,EXAMPLE HOLDINGS LLC,N,ARTICLES OF ORGNZTN/DOM. PROFIT LIM.LIAB. CO.,${FILED}`,
      )[0],
    ),
    {
      register: 'ohio_sos',
      document_number: '202600100001',
      charter_number: '5000001',
      business_name_raw: 'EXAMPLE HOLDINGS LLC',
      filing_date: '2026-10-05',
      entity_type_raw: 'ARTICLES OF ORGNZTN/DOM. PROFIT LIM.LIAB. CO.',
      entity_type_file: '0100',
      entity_status_raw: null,
      jurisdiction_raw: null,
      agent_name: 'AGENT CO',
      agent_addr1: '2 MAIN ST',
      agent_addr2: 'STE 5',
      agent_city: 'COLUMBUS',
      agent_state: 'OH',
      agent_zip: '43215',
      business_city: 'AKRON',
      business_state: null,
      business_zip: null,
      business_county: 'SUMMIT',
    },
  );
});

test('Ohio: names with commas, quote marks and letters of the old encoding come out as published', () => {
  const line = `202600100002,,10/06/2026,"JOS\u00c9'S ""BEST"" CAF\u00c9, LLC",N,LLC,${FILED}`;
  const loose = `202600100003,,10/06/2026,THE "A" TEAM LLC,N,LLC,${FILED}`;
  const cp1252 = Uint8Array.from(`${HEADER}\r\n${line}\r\n${loose}`, (letter) => letter.charCodeAt(0));
  const [quoted, unquoted] = ohio.parse(pageOf('report_0100', 'file:///drop/ohio_sos/WI0100R.TXT', cp1252));
  assert.equal(row(quoted)['business_name_raw'], 'JOS\u00c9\'S "BEST" CAF\u00c9, LLC');
  assert.equal(row(unquoted)['business_name_raw'], 'THE "A" TEAM LLC');
});

test("Ohio: padded header names and the spelling of the publisher's other reports are understood", () => {
  const odd = HEADER.replace('TRANSACTION', 'TRANSASCTION')
    .replace('COUNTY', 'COUNTY NAME')
    .split(',')
    .map((name) => ` ${name}  `)
    .join(',');
  const [candidate] = ohio.parse(
    pageOf(
      'report_0070',
      'https://publicfiles.ohiosos.gov/WI0070R.TXT',
      `${odd}\n202600100001,1,10/05/2026, EXAMPLE SOCIETY ,N,ARTICLES,${FILED}\n`,
    ),
  );
  assert.equal(row(candidate)['business_county'], 'SUMMIT');
  assert.equal(row(candidate)['business_name_raw'], 'EXAMPLE SOCIETY');
});

test('Ohio: a line without a name, of the wrong length or with an impossible date is refused and counted', () => {
  const refused = ohioReport(
    `1,1,10/05/2026,  ,N,LLC,${FILED}`,
    `2,1,10/05/2026,A LLC,N,LLC,${FILED},EXTRA`,
    `3,1,13/45/2026,B LLC,N,LLC,${FILED}`,
  );
  assert.deepEqual(
    refused.map((candidate) => ('reject' in candidate ? candidate.reject.reason : 'accepted')),
    ['blank_name', 'wrong_field_count', 'bad_effective_date'],
  );
});

test('Ohio: the columns of an amendment report, or a new column, are not taken for a report of new entities', () => {
  const amendment =
    'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,TRANSASCTION CODE DESCRIPTION,FILING ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,BUSINESS CITY,COUNTY NAME';
  const parse = (header: string): unknown =>
    ohio.parse(pageOf('report_0100', 'https://publicfiles.ohiosos.gov/WI0100R.TXT', header));
  assert.throws(
    () => parse(amendment),
    (error) => error instanceof Quarantine && error.reason === 'missing_column',
  );
  assert.throws(
    () => parse(`${HEADER},EMAIL`),
    (error) => error instanceof Quarantine && error.reason === 'unknown_column',
  );
});

test("Ohio: a refusal, or a web page in place of a file, asks for the operator's download", async () => {
  const refusing = contextOf((url) => {
    throw new SourceUnavailable('refused', 'the site answered 403', url.href, 403);
  });
  const asksForDownload = (error: unknown): boolean =>
    error instanceof SourceUnavailable && error.message.includes('needs operator download');
  await assert.rejects(pagesOf(ohio.fetch, refusing.ctx), asksForDownload);
  await assert.rejects(
    pagesOf(ohio.fetch, contextOf(() => '<!DOCTYPE html><title>Maintenance</title>').ctx),
    asksForDownload,
  );
});

test('Ohio: all ten reports of new entities are read, and a downloaded file is known by its name', async () => {
  const { ctx, asked } = contextOf(() => HEADER);
  const pages = await pagesOf(ohio.fetch, ctx);
  const numbers = ['0010', '0030', '0040', '0050', '0070', '0080', '0090', '0100', '0110', '0120'];
  assert.deepEqual(
    asked.map(({ pathname }) => pathname),
    numbers.map((number) => `/free/OnlineBusinessReports/WI${number}R.TXT`),
  );
  assert.deepEqual(
    pages.map(({ kind }) => kind),
    numbers.map((number) => `report_${number}`),
  );
  assert.equal(ohio.drop?.find(({ pattern }) => pattern.test('wi0090r.txt'))?.kind, 'report_0090');
  assert.equal(
    ohio.drop?.find(({ pattern }) => pattern.test('wi0220r.txt')),
    undefined,
    'dissolutions are not new entities',
  );
});

const entity = (id: number): Record<string, string> => ({
  entityid: String(20_261_000_000 + id),
  entityname: `Entity ${id} LLC`,
  entityformdate: '2026-11-02T00:00:00.000',
});

/** A portal of so many entities that answers by key, as SODA does. */
const portal =
  (count: number) =>
  (url: URL): string => {
    const after = /entityid > '(\d+)'/u.exec(url.searchParams.get('$where') ?? '')?.[1] ?? '';
    const rows = Array.from({ length: count }, (_, index) => entity(index)).filter(
      ({ entityid = '' }) => entityid > after,
    );
    return JSON.stringify(rows.slice(0, Number(url.searchParams.get('$limit'))));
  };

const EXPORT_HEADER =
  'entityid,entityname,principaladdress1,principaladdress2,principalcity,principalstate,principalzipcode,principalcountry,mailingaddress1,mailingaddress2,mailingcity,mailingstate,mailingzipcode,mailingcountry,entitystatus,jurisdictonofformation,entitytype,agentfirstname,agentmiddlename,agentlastname,agentsuffix,agentorganizationname,agentprincipaladdress1,agentprincipaladdress2,agentprincipalcity,agentprincipalstate,agentprincipalzipcode,agentprincipalcountry,agentmailingaddress1,agentmailingaddress2,agentmailingcity,agentmailingstate,agentmailingzipcode,agentmailingcountry,entityformdate';

test('Colorado: a first load is the one full export', async () => {
  const { ctx, asked } = contextOf(
    () => `${EXPORT_HEADER}\n19871000001,OLD DITCH CO,,,,,,,,,,,,,Exists,,DT,,,,,,,,,,,,,,,,,,8/4/1901\n`,
  );
  const [page, ...more] = await pagesOf(colorado.fetch, ctx);
  assert.deepEqual(
    asked.map(({ href }) => href),
    ['https://data.colorado.gov/api/views/4ykn-tg5h/rows.csv?accessType=DOWNLOAD'],
  );
  assert.ok(page && more.length === 0);
  assert.equal(row(colorado.parse(page)[0])['filing_date'], '1901-08-04');
});

test('Colorado: an export of many slices gives the rows that one slice would, line breaks inside names included', () => {
  const record = (id: number): string =>
    `${20_261_000_000 + id},"THE ""BEST"",\n${'long '.repeat(60)} ${id} LLC",${',,,,,,,,,,,'},Exists,,DLLC,,,,,,,,,,,,,,,,,,11/2/2026`;
  const body = Buffer.from(`${EXPORT_HEADER}\n${Array.from({ length: 30_000 }, (_, id) => record(id)).join('\n')}\n`);
  assert.ok(
    body.length > 10_000_000 &&
      [...csvSlices(body, 1_000_000)].every((slice) => slice.length < 1_100_000 + EXPORT_HEADER.length),
  );
  const rows = colorado.parse(pageOf('export', 'https://data.colorado.gov/rows.csv', body));
  assert.equal(rows.length, 30_000);
  assert.equal(
    new Set(rows.map((candidate) => ('values' in candidate ? candidate.values['document_number'] : null))).size,
    30_000,
  );
});

/** A portal of so many entities, as which the counted total may differ. */
const soda2 =
  (count: number, total = count) =>
  (url: URL): string =>
    url.searchParams.get('$select')?.startsWith('count')
      ? JSON.stringify([{ total: String(total) }])
      : portal(count)(url);
const TOUCHED = ":updated_at >= '2026-11-08T00:00:00.000Z' OR entityformdate >= '2026-11-08T00:00:00.000'";

test('Colorado: a later load takes all that was touched since ten days before the last good one, page by page by key', async () => {
  const { ctx, asked } = contextOf(soda2(2_300), '2026-11-18');
  const candidates = (await pagesOf(colorado.fetch, ctx)).flatMap((page): readonly Candidate[] => colorado.parse(page));
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

test('Colorado: where the portal has touched everything, the formation date picks the increment, further back', async () => {
  const { ctx, asked } = contextOf(soda2(1, 3_050_000), '2026-11-18');
  await pagesOf(colorado.fetch, ctx);
  assert.deepEqual(
    asked.map(({ searchParams }) => searchParams.get('$where')),
    [TOUCHED, "entityformdate >= '2026-09-19T00:00:00.000'"],
  );
});

test('Colorado: a portal that never moves on is not followed for ever', async () => {
  const full = JSON.stringify(Array.from({ length: 1000 }, (_, index) => entity(index)));
  await assert.rejects(
    pagesOf(
      colorado.fetch,
      contextOf((url) => (url.searchParams.has('$select') ? '[{"total":"1000"}]' : full), '2026-11-18').ctx,
    ),
    (error) => error instanceof Quarantine && error.reason === 'template_changed',
  );
});

const soda = (rows: unknown): readonly Candidate[] =>
  colorado.parse(pageOf('rows', 'https://data.colorado.gov/resource/4ykn-tg5h.json?$limit=1000', JSON.stringify(rows)));

test('Colorado: the agent is the organization or the person, with one whole address', () => {
  const base = {
    ...entity(1),
    entitystatus: 'Good Standing',
    jurisdictonofformation: 'CO',
    entitytype: 'DLLC',
    principalcity: 'Denver',
    principalstate: 'CO',
    principalzipcode: '80206',
  };
  const [person, organization] = soda([
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
  ]).map(row);
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

test('Colorado: a row cites its own entity on the portal it came from', () => {
  const [candidate] = soda([entity(7)]);
  assert.ok(candidate && 'values' in candidate);
  assert.equal(candidate.sourceUrl, 'https://data.colorado.gov/resource/4ykn-tg5h.json?entityid=20261000007');
});

test('Colorado: a key that the layout does not have quarantines the page, a portal error is no empty list', () => {
  assert.throws(
    () => soda([{ ...entity(1), governorname: 'X' }]),
    (error) => error instanceof Quarantine && error.reason === 'unknown_column',
  );
  assert.throws(
    () => soda({ message: 'Query coordinator error: malformed', error: true }),
    (error) => error instanceof Quarantine && error.reason === 'malformed_page',
  );
});

test('Colorado: exports of 35 and of 36 columns give the same rows', () => {
  const columns =
    'entityid,entityname,principaladdress1,principaladdress2,principalcity,principalstate,principalzipcode,principalcountry,mailingaddress1,mailingaddress2,mailingcity,mailingstate,mailingzipcode,mailingcountry,entitystatus,jurisdictonofformation,entitytype,agentfirstname,agentmiddlename,agentlastname,agentsuffix,agentorganizationname,agentprincipaladdress1,agentprincipaladdress2,agentprincipalcity,agentprincipalstate,agentprincipalzipcode,agentprincipalcountry,agentmailingaddress1,agentmailingaddress2,agentmailingcity,agentmailingstate,agentmailingzipcode,agentmailingcountry,entityformdate';
  const cells =
    '19870000001,"EXAMPLE DITCH, INC., Dissolved June 18, 2001",,,,,,,,,,,,,Voluntarily Dissolved,,DT,,,,,,,,,,,,,,,,,,8/4/1964';
  const parse = (text: string): Candidate[] => [
    ...colorado.parse(pageOf('export', 'file:///drop/colorado_sos/x.csv', text)),
  ];
  const [plain] = parse(`${columns}\r\n${cells}\r\n`);
  const [verbatim] = parse(
    `${columns.replace('entitytype,', 'entitytypeverbatim,entitytype,')}\r\n${cells.replace(',DT,', ',Ditch Company,DT,')}\r\n`,
  );
  assert.deepEqual(row(verbatim), row(plain));
  assert.equal(row(plain)['business_name_raw'], 'EXAMPLE DITCH, INC., Dissolved June 18, 2001');
  assert.equal(row(plain)['filing_date'], '1964-08-04');
  assert.equal(row(plain)['entity_type_raw'], 'DT');
});
