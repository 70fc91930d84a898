/** Ohio Secretary of State: the month's new businesses, ten report files. */
import { type Candidate, defineSource, type Page } from '../contract.ts';
import { ohioReports, readReport, type Reports } from '../families/ohio_reports.ts';
import { Registration } from '../rows/registration.ts';
import { candidate, date, refuse, required, tidy } from '../values.ts';

/** Each report holds one entity type. Reports from 0210 on are amendments: see ohio_sos_amendments. */
const REPORTS: Reports = {
  '0010': 'new foreign for-profit corporations',
  '0030': 'new foreign nonprofit corporations',
  '0040': 'new foreign professional associations',
  '0050': 'new domestic for-profit corporations',
  '0070': 'new domestic nonprofit corporations',
  '0080': 'new domestic professional associations',
  '0090': 'new foreign limited liability companies',
  '0100': 'new domestic limited liability companies',
  '0110': 'new foreign limited partnerships',
  '0120': 'new domestic limited partnerships',
};

const COLUMNS = (
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,CONSENT FLAG,TRANSACTION CODE DESCRIPTION,' +
  'FILING ADDRESS NAME,FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,AGENT ADDRESS NAME,' +
  'AGENT ADDRESS 1,AGENT ADDRESS 2,AGENT CITY,AGENT STATE,AGENT ZIP,BUSINESS CITY,COUNTY,BUSINESS ASSOCIATE NAMES'
).split(',');

function* parse(page: Page): Generator<Candidate> {
  for (const line of readReport(page, COLUMNS)) {
    const { report, cell, published, raw, wrongLength, sourceUrl } = line;
    const documentNumber = cell('DOCUMENT NUMBER');
    yield candidate(
      raw,
      () => {
        if (wrongLength !== null) refuse('wrong_field_count', wrongLength);
        return {
          values: {
            register: 'ohio_sos',
            document_number: required('document_number', documentNumber),
            charter_number: cell('CHARTER NUMBER'),
            // Not `cell`: a business may be named "NONE" or "UNKNOWN".
            business_name_raw:
              tidy(published('BUSINESS NAME')) ?? refuse('blank_name', 'BUSINESS NAME is blank, expected a name'),
            filing_date: date('effective_date', required('effective_date', cell('EFFECTIVE DATE'))),
            entity_type_raw: cell('TRANSACTION CODE DESCRIPTION'),
            entity_type_file: report,
            entity_status_raw: null,
            jurisdiction_raw: null,
            agent_name: cell('AGENT ADDRESS NAME'),
            agent_addr1: cell('AGENT ADDRESS 1'),
            agent_addr2: cell('AGENT ADDRESS 2'),
            agent_city: cell('AGENT CITY'),
            agent_state: cell('AGENT STATE'),
            agent_zip: cell('AGENT ZIP'),
            business_city: cell('BUSINESS CITY'),
            business_state: null,
            business_zip: null,
            business_county: cell('COUNTY'),
          },
          sourceUrl,
        };
      },
      documentNumber === null ? undefined : { register: 'ohio_sos', document_number: documentNumber },
    );
  }
}

export default defineSource({
  ...ohioReports(REPORTS),
  name: 'ohio_sos',
  title: 'Ohio Secretary of State: new businesses of the month',
  row: Registration,
  parse,
});
