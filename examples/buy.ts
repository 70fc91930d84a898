/**
 * The shortest paying client in TypeScript: @x402/fetch requests, reads the 402, signs, and requests again.
 *
 *   export SERVER=http://localhost:4021
 *   export BUYER_KEY=$(node -p "JSON.parse(fs.readFileSync('data/sandbox/wallet.json')).private_key")   # test money
 *   node examples/buy.ts '/api/deals?state=OH&limit=3'
 */
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

// The network on which the wallet has USDC, such as eip155:137, if the server sells there.
const { SERVER = 'http://localhost:4021', BUYER_KEY, BUYER_NETWORK = 'eip155:8453' } = process.env;
const path = process.argv[2];
if (path === undefined || BUYER_KEY === undefined) {
  process.stderr.write("usage: SERVER=... BUYER_KEY=0x... node examples/buy.ts '/api/deals?state=OH'\n");
  process.exit(2);
}

const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [
    {
      network: BUYER_NETWORK as `eip155:${number}`,
      client: new ExactEvmScheme(privateKeyToAccount(BUYER_KEY as Hex)),
    },
  ],
  // The default is $1; a report costs $1.50 and a week of registrations $2.00.
  spendControls: { maxAmountPerPayment: '$2' },
});

const response = await pay(new URL(path, SERVER));
const receipt = response.headers.get('PAYMENT-RESPONSE');
const charge =
  receipt === null
    ? 'nothing charged'
    : `paid in ${decodePaymentResponseHeader(receipt).transaction}, receipt ${response.headers.get('Receipt-Id')}`;
process.stderr.write(`${response.status}, ${charge}\n`);
process.stdout.write(`${await response.text()}\n`);
// A query without matches is 404 and free, which is success too.
process.exitCode = response.ok || response.status === 404 ? 0 : 1;
