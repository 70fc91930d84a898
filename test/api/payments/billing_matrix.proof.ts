/** Billing of all 20 priced endpoints. billing_matrix.test.ts tests four. */
import { testBilling } from './billing_matrix.ts';

testBilling(20, () => true);
