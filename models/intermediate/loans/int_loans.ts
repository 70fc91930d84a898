import { defineRecord, money } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { NO_PRICE } from '../../deal/absence.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

const PRICED = { absent: NO_PRICE } as const;

export default defineModel({
  record: defineRecord(
    'int_loans',
    "One row per property: the bank loan and the seller's loan at the asking price.",
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'loan_amount', 'monthly_payment', 'annual_debt_service']),
      stressed_debt_service: money('Twelve payments of loan_amount at the stressed rate.', PRICED),
      seller_loan: money('Loan from a seller who carries it, at the declared terms.', PRICED),
      seller_payment: money('Monthly payment of seller_loan.', PRICED),
      seller_debt_service: money('Twelve payments to a seller who carries the loan, at the declared terms.', PRICED),
    },
  ),
});
