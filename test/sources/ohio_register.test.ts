/** Ohio's register: which requests are made, and how unusual report files are read. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { type Candidate, SourceUnavailable } from '../../sources/contract.ts';
import { Registration } from '../../sources/rows/registration.ts';
import ohio from '../../sources/register/ohio_sos/source.ts';
import { pageOf } from './recorded.ts';
import { quarantined, readFrom } from './site_double.ts';

const HEADER =
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,CONSENT FLAG,TRANSACTION CODE DESCRIPTION,' +
  'FILING ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,' +
  'AGENT ADDRESS NAME,AGENT ADDRESS 1,AGENT ADDRESS 2,AGENT CITY,AGENT STATE,AGENT ZIP,' +
  'BUSINESS CITY,COUNTY,BUSINESS ASSOCIATE NAMES';
/** The header of the amendment reports, with the publisher's spelling. */
const AMENDMENT_HEADER =
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,TRANSASCTION CODE DESCRIPTION,' +
  'FILING ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,BUSINESS CITY,COUNTY NAME';
const FILED =
  'FILER INC,1 MAIN ST,,AKRON,OH,44308,AGENT CO,2 MAIN ST,STE 5,COLUMBUS,OH,43215,AKRON,SUMMIT,A PERSON|B PERSON';

const SITE = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';

/** Candidates of a report file. */
const parse = (text: string | Uint8Array, report = '0100'): Promise<readonly Candidate[]> =>
  Array.fromAsync(ohio.parse(pageOf(Buffer.from(text), { kind: `report_${report}`, url: `${SITE}/WI${report}R.TXT` })));

const ohioReport = (...lines: string[]): Promise<readonly Candidate[]> => parse([HEADER, ...lines].join('\r\n'));

function row(candidate: Candidate | undefined): Readonly<Record<string, unknown>> {
  assert.ok(candidate && 'values' in candidate, JSON.stringify(candidate));
  return Registration.schema.parse(candidate.values);
}

test('a filing has its agent, and the report number gives the entity type', async () => {
  assert.deepEqual(
    row(
      (
        await ohioReport(
          `202600100001,5000001,10/05/2026,EXAMPLE HOLDINGS LLC,N,ARTICLES OF ORGNZTN/DOM. PROFIT LIM. CO.,${FILED}`,
        )
      )[0],
    ),
    {
      register: 'ohio_sos',
      document_number: '202600100001',
      charter_number: '5000001',
      business_name_raw: 'EXAMPLE HOLDINGS LLC',
      filing_date: '2026-10-05',
      entity_type_raw: 'ARTICLES OF ORGNZTN/DOM. PROFIT LIM. CO.',
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

test('names with commas, quote marks and Windows-1252 letters are read as published', async () => {
  const line = `202600100002,,10/06/2026,"JOS\u00c9'S ""BEST"" CAF\u00c9, LLC",N,LLC,${FILED}`;
  const loose = `202600100003,,10/06/2026,THE "A" TEAM LLC,N,LLC,${FILED}`;
  const cp1252 = Uint8Array.from(`${HEADER}\r\n${line}\r\n${loose}`, (letter) => letter.charCodeAt(0));
  const [quoted, unquoted] = await parse(cp1252);
  assert.equal(row(quoted)['business_name_raw'], 'JOS\u00c9\'S "BEST" CAF\u00c9, LLC');
  assert.equal(row(unquoted)['business_name_raw'], 'THE "A" TEAM LLC');
});

test("padded header names and the publisher's other spelling are accepted", async () => {
  const odd = HEADER.replace('TRANSACTION', 'TRANSASCTION')
    .replace('COUNTY', 'COUNTY NAME')
    .split(',')
    .map((name) => ` ${name}  `)
    .join(',');
  const [candidate] = await parse(`${odd}\n202600100001,1,10/05/2026, EXAMPLE SOCIETY ,N,ARTICLES,${FILED}\n`, '0070');
  assert.equal(row(candidate)['business_county'], 'SUMMIT');
  assert.equal(row(candidate)['business_name_raw'], 'EXAMPLE SOCIETY');
});

test('a line without a name, with too many fields or with an impossible date is refused', async () => {
  const refused = await ohioReport(
    `1,1,10/05/2026,  ,N,LLC,${FILED}`,
    `2,1,10/05/2026,A LLC,N,LLC,${FILED},EXTRA`,
    `3,1,13/45/2026,B LLC,N,LLC,${FILED}`,
  );
  assert.deepEqual(
    refused.map((candidate) => ('reject' in candidate ? candidate.reject.reason : 'accepted')),
    ['blank_name', 'wrong_field_count', 'bad_effective_date'],
  );
});

test('an amendment report or a new column quarantines the page', async () => {
  await assert.rejects(parse(AMENDMENT_HEADER), quarantined('missing_column'));
  await assert.rejects(parse(`${HEADER},EMAIL`), quarantined('unknown_column'));
  await assert.rejects(parse(''), quarantined('empty_body'));
  for (const page of ['<html>', '\ufeff\n<html>']) await assert.rejects(parse(page), quarantined('malformed_page'));
});

test('after a refusal, or a web page instead of the file, the operator is asked to download it', async () => {
  const asksForDownload = (error: unknown): boolean =>
    error instanceof SourceUnavailable && error.message.includes('needs operator download');
  for (const answer of [403, '<!DOCTYPE html><title>Maintenance</title>'])
    await assert.rejects(
      readFrom(ohio, () => answer),
      asksForDownload,
    );
});

test('all ten reports are requested, and a dropped file is recognized by its name', async () => {
  const { pages, asked } = await readFrom(ohio, () => HEADER);
  const numbers = ['0010', '0030', '0040', '0050', '0070', '0080', '0090', '0100', '0110', '0120'];
  assert.deepEqual(
    asked,
    numbers.map((number) => `${SITE}/WI${number}R.TXT`),
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
