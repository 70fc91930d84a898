/**
 * Base, the default network, as viem defines it. Importing it from viem/chains would load seven hundred other chains,
 * which takes as long as loading the rest of viem.
 */
import { defineChain } from 'viem';
import { chainConfig } from 'viem/op-stack';
import { CHAIN_ID } from '../../../lib/network.ts';

/** Base mainnet. */
export const base = defineChain({
  ...chainConfig,
  id: CHAIN_ID,
  name: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['https://mainnet.base.org'] } },
  contracts: {
    ...chainConfig.contracts,
    multicall3: { address: '0xca11bde05977b3631167028862be2a173976ca11', blockCreated: 5022 },
  },
});
