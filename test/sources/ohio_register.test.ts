/** Ohio's register: which files are requested, and what the operator is asked when the site refuses them. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SourceUnavailable } from '../../sources/contract.ts';
import ohio from '../../sources/register/ohio_sos/source.ts';
import { readFrom } from './site_double.ts';

const HEADER =
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,CONSENT FLAG,TRANSACTION CODE DESCRIPTION,' +
  'FILING ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,' +
  'AGENT ADDRESS NAME,AGENT ADDRESS 1,AGENT ADDRESS 2,AGENT CITY,AGENT STATE,AGENT ZIP,' +
  'BUSINESS CITY,COUNTY,BUSINESS ASSOCIATE NAMES';

const SITE = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';

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
