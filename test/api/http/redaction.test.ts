/** No response and no log line has a secret while services fail. The proof has all faults. */
import { testRedaction } from './redaction.ts';

testRedaction({ facilitator: ['429'], self: ['refused'] }, { stopsDatabase: false });
