/**
 * Signs the terms in a PAYMENT-REQUIRED header and prints the PAYMENT-SIGNATURE header to send, for clients such as
 * curl. It signs at most MAX_USD (default 0.25), on BUYER_NETWORK (default eip155:8453).
 *
 *   BUYER_KEY=0x... MAX_USD=2 node examples/sign.ts "$PAYMENT_REQUIRED"
 */
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { messageOf } from '../lib/errors.ts';

const { BUYER_KEY, BUYER_NETWORK = 'eip155:8453', MAX_USD = '0.25' } = process.env;
const required = process.argv[2];
if (required === undefined || required === '' || BUYER_KEY === undefined) {
  process.stderr.write('usage: BUYER_KEY=0x... node examples/sign.ts PAYMENT-REQUIRED\n');
  process.exit(2);
}
const client = new x402Client()
  .register(BUYER_NETWORK as `eip155:${number}`, new ExactEvmScheme(privateKeyToAccount(BUYER_KEY as Hex)))
  .setSpendControls({ maxAmountPerPayment: `$${MAX_USD}` });
try {
  process.stdout.write(
    `${encodePaymentSignatureHeader(await client.createPaymentPayload(decodePaymentRequiredHeader(required)))}\n`,
  );
} catch (error) {
  process.stderr.write(`not signed: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
