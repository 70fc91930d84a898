/** No response and no log line has a secret, with every fault of the services, and while PostgreSQL is stopped. */
import { testRedaction } from './redaction.ts';

const ALL = ['429', '401', '500', 'not JSON', 'refused'] as const;
testRedaction({ facilitator: ALL, self: ALL }, { stopsDatabase: true });
