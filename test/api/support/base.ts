/** Base as viem takes it, and the chain of sandbox servers. */
import { evmChainOf } from '../../../api/payments/chain/node.ts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';
import { createBuyerKey, writeWallet } from '../../../api/payments/local_chain/wallet.ts';
import { BASE } from '../../../lib/network.ts';
import { PAY_TO } from './receipt_key.ts';

export const base = evmChainOf(BASE);

/** Let the sandbox servers on a data folder join a chain that outlives them, as if the first of them still ran. */
export const joinOn = (
  dataDir: string,
  chain: Pick<Chain, 'network' | 'rpcUrl'>,
  payTo: string = PAY_TO,
): Promise<void> => {
  const { privateKey, address } = createBuyerKey();
  return writeWallet(dataDir, chain, {
    base_url: 'http://first.test',
    private_key: privateKey,
    address,
    pay_to: payTo,
  });
};
