/**
 * Our server as a program of its own, over a data folder and a ledger on disk, with a facilitator in this process that
 * says yes: what is measured is the server and not a chain. Prints its address.
 *   node bench/servers/dealfeed.ts <data folder> <ledger file>
 */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createApp } from '../../api/app.ts';
import { signaturesOf } from '../../api/payments/chain/signatures.ts';
import { limitedServer } from '../../api/http/socket.ts';
import { openSnapshots } from '../../api/snapshot/follow.ts';
import { openSqliteLedger } from '../../ledger/sqlite/store.ts';
import { adaptedFacilitator } from './adapted_facilitator.ts';
import { approving, approvingChain, approvingWait, PAY_TO } from './approving.ts';
import { endWithParent } from './parent.ts';

const [dataDir, ledgerFile] = process.argv.slice(2);
if (dataDir === undefined || ledgerFile === undefined) throw new Error('give the data folder and the ledger file');
const app = createApp({
  snapshots: await openSnapshots({ dataDir }),
  publicUrl: 'https://api.dealfeed.example',
  spoolDir: join(dataDir, 'spool'),
  cursorSecret: 'of a benchmark',
  payments: {
    mode: 'facilitator',
    facilitator: adaptedFacilitator(approving),
    chain: approvingChain,
    payTo: PAY_TO,
    ledger: await openSqliteLedger(ledgerFile),
    signatures: signaturesOf(null),
    contractWallets: false,
    wait: approvingWait,
  },
});
await app.payments.start();
const server = limitedServer();
server.on('request', app.koa.callback());
endWithParent();
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
