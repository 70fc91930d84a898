/** The chain of a network, as viem takes it. */
import { defineChain, type Chain } from 'viem';
import { BASE, type Network } from '../../../lib/network.ts';
import { base } from './base_chain.ts';

/** Contract that batches calls, at this address on every network. */
export const MULTICALL = base.contracts.multicall3.address;

export const evmChainOf = ({ name, chainId, title, gas }: Network): Chain =>
  name === BASE.name
    ? base
    : defineChain({
        id: chainId,
        name: title,
        nativeCurrency: { name: gas, symbol: gas, decimals: 18 },
        rpcUrls: { default: { http: [] } },
        contracts: { multicall3: { address: MULTICALL } },
      });
