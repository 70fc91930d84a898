/** A facilitator of x402's own interface as our payment layer takes it, for comparisons on one facilitator. */
import type { FacilitatorClient } from '@x402/core/server';
import type { Facilitator } from '../../../api/payments/facilitator/facilitator_client.ts';
import { FacilitatorUnavailable } from '../../../api/payments/facilitator/unavailable.ts';
import { NETWORK } from '../../../lib/network.ts';

const TRANSACTION = /^0x[0-9a-f]{64}$/;
const REASON = /^[a-z0-9_]{1,80}$/;

const unavailable = (): never => {
  throw new FacilitatorUnavailable('the facilitator gave no usable reply');
};

export const adaptedFacilitator = (client: FacilitatorClient): Facilitator => ({
  async verify(payload, requirements) {
    const { isValid, invalidReason = '' } = await client.verify(payload, requirements).catch(unavailable);
    return isValid
      ? { isValid: true }
      : { isValid: false, reason: REASON.test(invalidReason) ? invalidReason : 'refused_by_facilitator' };
  },
  async settle(payload, requirements) {
    const transaction = await client.settle(payload, requirements).then(
      (reply) => reply.transaction.toLowerCase(),
      () => '',
    );
    return { transaction: TRANSACTION.test(transaction) ? transaction : null };
  },
  async supported() {
    const { kinds } = await client.getSupported().catch(unavailable);
    return kinds.some(
      ({ x402Version, scheme, network }) => x402Version === 2 && scheme === 'exact' && network === NETWORK,
    );
  },
});
