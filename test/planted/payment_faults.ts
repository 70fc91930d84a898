/** Faults in payments on several networks and through several facilitators. */
import { change, test, type PlantedFault } from './fault.ts';

const MATCH = 'ledger/sql/match_transfer.ts';
const LIMITS = 'ledger/sql/payer_limits.ts';
const FACILITATORS = 'api/payments/facilitator/preferred_facilitator.ts';
const CHAIN = 'api/payments/chain/payment_chain.ts';

export const paymentFaults: readonly PlantedFault[] = [
  {
    name: 'a transfer pays a purchase on another network',
    changes: [change(MATCH, 'p.network = $5 AND (p.chain = $4 OR p.chain IS NULL)', '$5 = $5 AND $4 = $4')],
    caughtBy: [test('ledger/sqlite.test.ts', 'a transfer pays the purchase of its own network, and no other')],
  },
  {
    name: 'the limits of a payer count over all networks',
    changes: [change(LIMITS, 'network = $4 AND asset = $5', '$4 = $4 AND $5 = $5')],
    caughtBy: [
      test(
        'ledger/sqlite.test.ts',
        "a payer's limits hold for each network: its open and its failed payments count there alone",
      ),
    ],
  },
  {
    name: 'after a refusal, the server calls the next facilitator',
    changes: [change(FACILITATORS, 'if (hint.hasFailed) throw', 'if (hint.transaction === null) throw')],
    caughtBy: [
      test(
        'attacks/lost_replies.test.ts',
        'are not tried in turn after a refusal, which may come although the money moves',
      ),
    ],
  },
  {
    name: 'a network whose node is down is offered',
    changes: [
      change(CHAIN, 'isReachable: () => performance.now() - failedAtMs >= UNREACHABLE_MS', 'isReachable: () => true'),
    ],
    caughtBy: [
      test(
        'api/payments/second_network.test.ts',
        'sells on while the node of one network is down, and the 402 and /health name that network',
      ),
    ],
  },
];
