/** Billing of one endpoint of each kind: a list (also as CSV), a lead and a batch. The proof tests all 20. */
import { testBilling } from './billing_matrix.ts';

const SAMPLE: ReadonlySet<string> = new Set(['/api/signals', '/api/leads/exclusive', '/api/lookup/batch']);

testBilling(SAMPLE.size, (path) => SAMPLE.has(path));
