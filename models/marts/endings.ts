import { date, defineRecord, instant, oneOf, text, uuid } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { readFrom } from '../fields.ts';

const Ending = defineRecord(
  'ending',
  'One row per lead or deal that ended, with the pages that showed it open and ended. The server ' +
    'refunds sales after the end.',
  ['id'],
  {
    id: uuid('Id of the lead or deal.'),
    reason: oneOf(
      ['debt_paid', 'sale_called_off', 'off_market'],
      'sale_called_off: canceled, withdrawn or postponed without a new day; off_market: under contract or sold.',
    ),
    ended_on: date('Day of the end.'),
    ended_basis: oneOf(
      ['published', 'read'],
      'published: the page dates the end; read: the day of the read that found it.',
    ),
    found_on: date('Day of the run that found the end.'),
    open_url: text('Page that showed it open.'),
    open_sha256: text('SHA-256 of that page.'),
    open_at: instant('When that page was read.'),
    source: readFrom.source,
    source_url: readFrom.source_url,
    page_sha256: readFrom.page_sha256,
    read_at: instant('When the page that shows the end was read.'),
  },
);

export default defineMart({ record: Ending, publish: { orderBy: ['id'], notReleased: 'it names leads' } });
