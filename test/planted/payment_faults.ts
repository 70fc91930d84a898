/** Faults in payments and in the ledger. */
import { change, test, type PlantedFault } from './fault.ts';

const FACILITATORS = 'api/payments/facilitator/facilitator.ts';
const SQLITE = 'ledger/sqlite/store.ts';

export const paymentFaults: readonly PlantedFault[] = [
  {
    name: 'after a refusal, the server calls the next facilitator',
    changes: [change(FACILITATORS, 'if (!hint.hasFailed) return', 'if (hint.transaction !== null) return')],
    caughtBy: [
      test(
        'attacks/lost_replies.test.ts',
        'are not tried in turn after a refusal, which may come although the money moves',
      ),
    ],
  },
  {
    name: 'a write of the ledger waits for the disk only if it asks for it',
    changes: [change(SQLITE, "durability: Durability = 'flushed'", "durability: Durability = 'soon'")],
    caughtBy: [
      test(
        'ledger/conformance.test.ts',
        'has each change on the disk when a call returns, but for reservations and deliveries',
      ),
    ],
  },
  {
    name: 'a shared commit waits for the disk only if all of its writes ask for it',
    changes: [change(SQLITE, 'writes.some(({ durability })', 'writes.every(({ durability })')],
    caughtBy: [
      test(
        'ledger/troubles.test.ts',
        'waits for the disk if one of the writes of a commit must: WAL, synchronous = FULL',
      ),
    ],
  },
  {
    name: 'money moves for an exclusive lead before its lines of the journal are on the disk',
    changes: [
      change('ledger/journal_file.ts', "return purchase?.['lead'] !== null;", 'return purchase === undefined;'),
    ],
    caughtBy: [test('ledger/journal.test.ts', 'is flushed before money moves for an exclusive lead, and only then')],
  },
  {
    name: 'a refund is recorded for two owed transfers',
    changes: [change('ledger/sql/transfer_book.ts', 'if (TRANSACTION.test(resolution) &&', 'if (false &&')],
    caughtBy: [
      test(
        'ledger/conformance.test.ts',
        'a transaction refunds one transfer, even if two are recorded at once; a note may settle many',
      ),
    ],
  },
  {
    name: 'the refund of a purchase is booked again by another server',
    changes: [change('ledger/sql/transfer_book.ts', "state = 'sold' AND refund_due IS NULL`,", "state = 'sold'`,")],
    caughtBy: [
      test(
        'ledger/conformance.test.ts',
        'a refund is booked once, of a sold purchase, at most its price, and paid once by a transaction',
      ),
    ],
  },
  {
    name: 'what ended on the day of its sale is due back',
    changes: [change('api/routes/guarantee.ts', 'ended_on < soldOn', 'ended_on <= soldOn')],
    caughtBy: [
      test(
        'api/payments/refunds.test.ts',
        'the next snapshot makes the price due once, of a list the ended part, on any server, also later',
      ),
    ],
  },
  {
    name: 'the audit takes any transfer to a buyer for a refund',
    changes: [
      change('api/payments/audit/full_audit.ts', "WHERE payer = $1 LIMIT 1'", "WHERE payer = $1 AND 1 = 0 LIMIT 1'"),
    ],
    caughtBy: [test('api/payments/refunds.test.ts', 'what ended before its sale')],
  },
];
