/**
 * The SEC's filings of two made-up trusts: the list of a trust's filings, as data.sec.gov sends it, and the complete
 * text of a monthly filing of form ABS-EE with exhibit EX-102. A third trust has filed the form 10-D only.
 */
import { json, respond, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { WorldDay } from '../world/types.ts';
import { exhibit } from './ex102.ts';

/** Trusts by CIK. */
const TRUSTS: ReadonlyMap<string, string> = new Map([
  ['0001706060', 'Made-up Commercial Mortgage Trust 1'],
  ['0002110410', 'Made-up Commercial Mortgage Trust 2'],
  ['0002098810', 'Made-up Commercial Mortgage Trust 3'],
]);
const CIKS = [...TRUSTS.keys()];
/** Trusts that file form ABS-EE. */
const FILING_TRUSTS = 2;
const MONTHS = ['2026-08', '2026-09', '2026-10', '2026-11', '2026-12', '2027-01'];
const FILED = '-27';
const REPORTED = '-11';

const accessionOf = (cik: string, month: string): string =>
  `0009999999-${month.slice(2, 4)}-${String(CIKS.indexOf(cik) * 100 + Number(month.slice(5))).padStart(6, '0')}`;

/** Months of the filings up to a day, newest first. */
const filedBy = (day: string): string[] => MONTHS.filter((month) => `${month}${FILED}` <= day).reverse();

function list({ day }: WorldDay, cik: string): SandboxResponse {
  const filings = filedBy(day).flatMap((month) => [
    { form: '10-D', filingDate: `${month}${FILED}`, accession: accessionOf(cik, month).replace(/\d{6}$/u, '900001') },
    ...(CIKS.indexOf(cik) < FILING_TRUSTS
      ? [{ form: 'ABS-EE', filingDate: `${month}${FILED}`, accession: accessionOf(cik, month) }]
      : []),
  ]);
  return json({
    cik: String(Number(cik)),
    entityType: 'other',
    name: TRUSTS.get(cik),
    filings: {
      recent: {
        accessionNumber: filings.map(({ accession }) => accession),
        filingDate: filings.map(({ filingDate }) => filingDate),
        form: filings.map(({ form }) => form),
      },
      files: [],
    },
  });
}

/** The complete text of a filing: a header, the form and its exhibit. */
function filing({ day, world }: WorldDay, cik: string, accession: string): SandboxResponse | null {
  const trust = CIKS.indexOf(cik);
  const month = filedBy(day).find((each) => accessionOf(cik, each) === accession);
  if (month === undefined || trust < 0 || trust >= FILING_TRUSTS) return null;
  const filedOn = `${month}${FILED}`.replaceAll('-', '');
  const xml = exhibit(world.options.seed, trust, `${month}${REPORTED}`);
  return respond(
    `<SEC-DOCUMENT>${accession}.txt : ${filedOn}\n` +
      `<SEC-HEADER>${accession}.hdr.sgml : ${filedOn}\nACCESSION NUMBER:\t\t${accession}\n` +
      `CONFORMED SUBMISSION TYPE:\tABS-EE\n\nFILER:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\t\t\t` +
      `${TRUSTS.get(cik) ?? ''}\n\t\tCENTRAL INDEX KEY:\t\t\t${cik}\n</SEC-HEADER>\n` +
      '<DOCUMENT>\n<TYPE>ABS-EE\n<SEQUENCE>1\n<FILENAME>form.htm\n<TEXT>\n' +
      '<html><body><p>Made-up filing of the sandbox.</p></body></html>\n</TEXT>\n</DOCUMENT>\n' +
      '<DOCUMENT>\n<TYPE>EX-102\n<SEQUENCE>2\n<FILENAME>exh_102.xml\n<TEXT>\n' +
      `<XML>\n${xml}</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n`,
    'text/plain',
  );
}

/** Pages of data.sec.gov, which has no robots.txt. */
export function edgarLists(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  const cik = /^\/submissions\/CIK(\d{10})\.json$/u.exec(path)?.[1];
  return cik !== undefined && TRUSTS.has(cik) ? list(day, cik) : null;
}

/** Pages of www.sec.gov. */
export function edgarArchive(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  if (path === '/robots.txt')
    return respond('User-agent: *\nAllow: /Archives/edgar/data\nDisallow: /cgi-bin\n', 'text/plain');
  const [, cik = '', accession = ''] = /^\/Archives\/edgar\/data\/(\d+)\/(\d{10}-\d\d-\d{6})\.txt$/u.exec(path) ?? [];
  return accession === '' ? null : filing(day, cik.padStart(10, '0'), accession);
}
