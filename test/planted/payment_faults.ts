/** Faults in payments and in the ledger. */
import { fault, test, type PlantedFault } from './fault.ts';

export const paymentFaults: readonly PlantedFault[] = [
  fault(
    'after a refusal, the server calls the next facilitator',
    ['api/payments/facilitator.ts', 'if (!hint.hasFailed) return', 'if (hint.transaction !== null) return'],
    test('attacks/lost_replies.test.ts', 'are not tried in turn after a refusal, because the money may move anyway'),
  ),
  fault(
    'a write of the ledger waits for the disk only if it asks for it',
    ['ledger/sqlite/store.ts', "durability: Durability = 'flushed'", "durability: Durability = 'soon'"],
    test('ledger/conformance.test.ts', 'has each change on disk when a call returns, except reservations'),
  ),
  fault(
    'money moves for an exclusive lead before its lines of the journal are on the disk',
    ['ledger/journal_file.ts', "return purchase?.['lead'] !== null;", 'return purchase === undefined;'],
    test('ledger/journal.test.ts', 'is flushed before money moves for an exclusive lead, and only then'),
  ),
  fault(
    'a refund is recorded for two owed transfers',
    ['ledger/sql/transfer_book.ts', 'if (TRANSACTION.test(resolution) &&', 'if (false &&'],
    test(
      'ledger/conformance.test.ts',
      'a transaction refunds one transfer, even if two are recorded at once; a note may settle many',
    ),
  ),
  fault(
    'the refund of a purchase is booked again by another server',
    ['ledger/sql/transfer_book.ts', "state = 'sold' AND refund_due IS NULL`,", "state = 'sold'`,"],
    test(
      'ledger/conformance.test.ts',
      'a refund is recorded once, for a sold purchase, up to its price, and paid by one transaction',
    ),
  ),
  fault(
    'what ended on the day of its sale is due back',
    ['api/routes/guarantee.ts', 'ended_on < soldOn', 'ended_on <= soldOn'],
    test(
      'api/payments/refunds.test.ts',
      'is due once, when a snapshot shows the end, on any server; for a list, the ended part is due',
    ),
  ),
  fault(
    'the audit takes any transfer to a buyer for a refund',
    ['api/payments/audit/full_audit.ts', "WHERE payer = $1 LIMIT 1'", "WHERE payer = $1 AND 1 = 0 LIMIT 1'"],
    test('api/payments/refunds.test.ts', 'the refund of a record that ended before its sale'),
  ),
];
