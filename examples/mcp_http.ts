/**
 * Buys over MCP with stock clients: the client of the MCP SDK calls a tool at /mcp, and @x402 signs its terms.
 *
 *   export SERVER=http://localhost:4021
 *   export BUYER_KEY=$(node -p "JSON.parse(fs.readFileSync('data/sandbox/wallet.json')).private_key")   # test money
 *   node examples/mcp_http.ts deals '{"state":"OH","limit":20}'
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const { SERVER = 'http://localhost:4021', BUYER_KEY } = process.env;
const [name, given = '{}'] = process.argv.slice(2);
if (name === undefined || BUYER_KEY === undefined) {
  process.stderr.write('usage: SERVER=... BUYER_KEY=0x... node examples/mcp_http.ts deals \'{"state":"OH"}\'\n');
  process.exit(2);
}
const args = JSON.parse(given) as Record<string, unknown>;

const client = new Client({ name: 'an-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', SERVER)));
const wallet = new x402Client()
  .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(BUYER_KEY as Hex)))
  .setSpendControls({ maxAmountPerPayment: '$2' });

let result = await client.callTool({ name, arguments: args });
// A free tool has answered; a priced one has sent its terms.
const required = result.structuredContent as unknown as PaymentRequired;
if (result.isError === true && 'accepts' in required) {
  // The identifier is ours alone: with it, the same payment reads on in the bought answer.
  const extensions = appendPaymentIdentifierToExtensions({ ...required.extensions });
  const paid = { 'x402/payment': await wallet.createPaymentPayload({ ...required, extensions }) };
  result = await client.callTool({ name, arguments: args, _meta: paid });
  const settlement = result._meta?.['x402/payment-response'] as { transaction: string } | undefined;
  process.stderr.write(settlement ? `paid in ${settlement.transaction}\n` : 'nothing charged\n');
  if (settlement) {
    process.stdout.write(`${JSON.stringify(result.structuredContent)}\n`);
    result = await client.callTool({ name, arguments: { ...args, from: 5 }, _meta: paid });
  }
}
process.stdout.write(`${JSON.stringify(result.structuredContent)}\n`);
await client.close();
process.exitCode = result.isError === true ? 1 : 0;
