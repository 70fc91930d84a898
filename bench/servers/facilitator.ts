/**
 * x402's own facilitator of the exact scheme, over HTTP as the compared servers call it. Prints its address.
 *   node bench/servers/facilitator.ts <node of the chain> <key with gas>
 */
import type { AddressInfo } from 'node:net';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import express from 'express';
import { createWalletClient, http, nonceManager, publicActions, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { evmChainOf } from '../../api/payments/chain/node.ts';
import { BASE_SEPOLIA } from '../../lib/network.ts';

const [rpcUrl, key] = process.argv.slice(2);
const account = privateKeyToAccount(key as Hex, { nonceManager });
const client = createWalletClient({
  chain: evmChainOf(BASE_SEPOLIA),
  transport: http(rpcUrl),
  account,
  pollingInterval: 25,
});
// The types of viem and x402 differ in optional members only.
const node = { ...client.extend(publicActions), address: account.address } as unknown;
const signer = toFacilitatorEvmSigner(node as Parameters<typeof toFacilitatorEvmSigner>[0]);
const facilitator = new x402Facilitator().register(BASE_SEPOLIA.name, new ExactEvmScheme(signer));
const app = express().use(express.json());
app.get('/supported', (_, response) => void response.json(facilitator.getSupported()));
for (const step of ['verify', 'settle'] as const)
  app.post(`/${step}`, async ({ body }, response) => {
    const asked = body as { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements };
    response.json(await facilitator[step](asked.paymentPayload, asked.paymentRequirements));
  });
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
