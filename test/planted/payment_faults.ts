/** Faults in payments through several facilitators. */
import { change, test, type PlantedFault } from './fault.ts';

const FACILITATORS = 'api/payments/facilitator/preferred_facilitator.ts';

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
];
