import { defineRecord, money } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { NOT_SCORED } from '../../deal/absence.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_stressed_coverage',
    'One row per property: debt coverage with less rent and a higher rate, on the loan that the income supports.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'noi_stressed']),
      loan_supported: money(
        'Least of loan_amount and the loan that noi_underwritten less reserves covers as lenders require, in whole ' +
          'dollars.',
        { absent: NOT_SCORED },
      ),
      payment_stressed: money('Monthly payment of loan_supported at the stressed rate.', { absent: NOT_SCORED }),
      debt_service_stressed: money('Twelve payments of it.', { absent: NOT_SCORED }),
      ...fieldsOf(Deal, ['dscr_stressed']),
    },
  ),
});
