/** No response and no log line has a secret while services fail in two ways. The proof has all faults. */
import { testRedaction } from './redaction.ts';

testRedaction(['429', 'refused'], { stopsDatabase: false });
