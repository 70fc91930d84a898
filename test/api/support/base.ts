/** Base as viem takes it. */
import { evmChainOf } from '../../../api/payments/chain/node.ts';
import { BASE } from '../../../lib/network.ts';

export const base = evmChainOf(BASE);
