/** Ohio Secretary of State: the month's changes of existing businesses, five report files. */
import { type Candidate, defineSource, type Page } from '../contract.ts';
import { ohioReports, readReport, type Reports } from '../families/ohio_reports.ts';
import { Amendment } from '../rows/amendment.ts';
import { candidate, date, refuse, required, tidy } from '../values.ts';

const REPORTS: Reports = {
  '0210': 'mergers',
  '0220': 'dissolutions',
  '0230': 'cancellations by the Secretary of State',
  '0240': 'reinstatements',
  '0250': 'amendments',
};
const KINDS: Readonly<Record<string, string>> = {
  '0210': 'merger',
  '0220': 'dissolution',
  '0230': 'cancellation',
  '0240': 'reinstatement',
  '0250': 'amendment',
};

/** The publisher spells two of these differently here: TRANSASCTION CODE DESCRIPTION and COUNTY NAME. */
const COLUMNS = (
  'DOCUMENT NUMBER,CHARTER NUMBER,EFFECTIVE DATE,BUSINESS NAME,TRANSACTION CODE DESCRIPTION,FILING ADDRESS NAME,' +
  'FILING ADDRESS 1,FILING ADDRESS 2,FILING CITY,FILING STATE,FILING ZIP,BUSINESS CITY,COUNTY'
).split(',');

function* parse(page: Page): Generator<Candidate> {
  for (const line of readReport(page, COLUMNS)) {
    const { report, cell, published, raw, wrongLength, sourceUrl } = line;
    const documentNumber = cell('DOCUMENT NUMBER');
    const charterNumber = cell('CHARTER NUMBER');
    yield candidate(
      raw,
      () => {
        if (wrongLength !== null) refuse('wrong_field_count', wrongLength);
        return {
          values: {
            register: 'ohio_sos',
            document_number: required('document_number', documentNumber),
            charter_number: required('charter_number', charterNumber),
            kind: KINDS[report],
            effective_date: date('effective_date', required('effective_date', cell('EFFECTIVE DATE'))),
            business_name_raw:
              tidy(published('BUSINESS NAME')) ?? refuse('blank_name', 'BUSINESS NAME is blank, expected a name'),
            transaction_raw: cell('TRANSACTION CODE DESCRIPTION'),
            filer_name: cell('FILING ADDRESS NAME'),
            filer_addr1: cell('FILING ADDRESS 1'),
            filer_addr2: cell('FILING ADDRESS 2'),
            filer_city: cell('FILING CITY'),
            filer_state: cell('FILING STATE'),
            filer_zip: cell('FILING ZIP'),
            business_city: cell('BUSINESS CITY'),
            business_county: cell('COUNTY'),
          },
          sourceUrl,
        };
      },
      documentNumber === null || charterNumber === null
        ? undefined
        : { register: 'ohio_sos', document_number: documentNumber, charter_number: charterNumber },
    );
  }
}

export default defineSource({
  ...ohioReports(REPORTS),
  name: 'ohio_sos_amendments',
  title: 'Ohio Secretary of State: mergers, dissolutions, cancellations, reinstatements and amendments of the month',
  row: Amendment,
  parse,
});
