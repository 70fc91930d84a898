/**
 * The chain of a network, as viem takes it. Importing it from viem/chains would load seven hundred other chains, which
 * takes as long as loading the rest of viem.
 */
import { defineChain } from 'viem';
import { chainConfig } from 'viem/op-stack';
import { BASE, type Network } from '../../../lib/network.ts';

/** Contract that batches calls, at this address on every network. */
export const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';

export const evmChainOf = ({ chainId, title }: Network) =>
  defineChain({
    ...chainConfig,
    id: chainId,
    name: title,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts: { ...chainConfig.contracts, multicall3: { address: MULTICALL } },
  });

export const base = evmChainOf(BASE);
