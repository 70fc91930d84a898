/** Billing of all 19 priced endpoints. billing_matrix.test.ts tests four, purchase.test.ts one purchase of each. */
import { testBilling } from './billing_matrix.ts';

testBilling(19, () => true);
