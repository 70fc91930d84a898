/** Several facilitators: the next one is tried after a failure, never after a refusal. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Facilitator } from '../../../api/payments/facilitator/facilitator_client.ts';
import { preferredFacilitator } from '../../../api/payments/facilitator/preferred_facilitator.ts';
import { FacilitatorUnavailable } from '../../../api/payments/facilitator/unavailable.ts';

const payment = [{} as PaymentPayload, {} as PaymentRequirements] as const;
const hash = `0x${'1'.repeat(64)}`;
const works: Facilitator = {
  verify: async () => ({ isValid: true }),
  settle: async () => ({ transaction: hash }),
  supported: async () => true,
};
const fails: Facilitator = {
  ...works,
  verify: async () => Promise.reject(new FacilitatorUnavailable('down')),
  settle: async () => ({ transaction: null, hasFailed: true }),
};

it('tries the next facilitator after a failure, and reports the one in use', async () => {
  const both = preferredFacilitator([fails, works]);
  assert.deepEqual(both.inUse?.(), { number: 1, of: 2 });
  assert.deepEqual(await both.verify(...payment), { isValid: true });
  assert.deepEqual(await both.settle(...payment), { transaction: hash });
  assert.deepEqual(both.inUse?.(), { number: 2, of: 2 });
});

it('treats a refusal as final, and never tries one that does not serve the network', async () => {
  const refuses: Facilitator = { ...works, verify: async () => ({ isValid: false, reason: 'no' }) };
  assert.deepEqual(await preferredFacilitator([refuses, works]).verify(...payment), { isValid: false, reason: 'no' });
  const elsewhere: Facilitator = { ...refuses, supported: async () => false };
  assert.deepEqual(await preferredFacilitator([elsewhere, works]).verify(...payment), { isValid: true });
});
