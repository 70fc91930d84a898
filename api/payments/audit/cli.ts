/**
 * `make ledger AUDIT=1`, and with REFUNDED the record of a refund. Exit status 1 if there are differences, or something
 * cannot be read.
 */
import { parseEventLogs, type Hex } from 'viem';
import { journalFile } from '../../../ledger/journal_file.ts';
import { LedgerUnavailable, type BookedTransfer, type Ledger } from '../../../ledger/ledger.ts';
import { assertLedgerExists, openNotedStore } from '../../../ledger/open.ts';
import { sqlLedger } from '../../../ledger/sql/sql_ledger.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { messageOf } from '../../../lib/errors.ts';
import { dollarsOf, type Network } from '../../../lib/network.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { ChainUnavailable, fromNode, readerOf } from '../chain/node.ts';
import { token } from '../chain/evidence.ts';
import { paymentChain } from '../chain/payment_chain.ts';
import { readWallet } from '../local_chain/wallet.ts';
import { fullAudit } from './full_audit.ts';
import { auditArguments, auditSettings, type AuditSettings } from './settings.ts';
import { COLLECT_DAYS } from './watchers.ts';

/** The network of the settings, and its node: RPC_URL, or that of the sandbox server on this data folder. */
interface ChainNode {
  readonly network: Network;
  readonly rpcUrl: string;
}

async function readNode({ DATA_DIR, NETWORK: network, RPC_URL }: AuditSettings): Promise<ChainNode> {
  const wallet = await readWallet(DATA_DIR);
  const rpcUrl = RPC_URL ?? (wallet?.network === network.name ? wallet.rpc_url : undefined);
  if (rpcUrl !== undefined) return { network, rpcUrl };
  throw new SettingError(`RPC_URL is not set, expected that of the server; no sandbox server runs on ${DATA_DIR}`);
}

/** @returns the exit status */
async function audit({ DATA_DIR }: AuditSettings, { network, rpcUrl }: ChainNode, store: Store): Promise<number> {
  const found = await fullAudit(store, paymentChain(readerOf(network, rpcUrl), network), {
    file: journalFile(DATA_DIR),
    asset: network.usdc.address.toLowerCase(),
    collectDays: COLLECT_DAYS,
    nowMs: Date.now(),
  });
  for (const { payTo, first, through } of found.accounts) print(`Blocks ${first} to ${through}: transfers to ${payTo}`);
  print(`  ${found.transfers} transfers of ${dollarsOf(found.atomic)} USDC, ${found.dust} of them pay for nothing`);
  print(`  ${found.purchases} purchases, ${found.answers} answers, ${found.lines} lines of the journal`);
  if (found.notBooked > 0) print(`  ${found.notBooked} transfers in later blocks: a running server books them`);
  if (found.ended > 0)
    print(`  ${found.ended} sold purchases of test chains that have ended: not compared with a chain`);
  for (const difference of found.differences) print(`  ${difference}`);
  print(`${found.differences.length} differences`);
  return found.differences.length === 0 ? 0 : 1;
}

/** @throws SettingError if the transaction does not pay the payer of an owed transfer back */
async function checkRefund(
  { network, rpcUrl }: ChainNode,
  { payer, amount }: BookedTransfer,
  refund: string,
): Promise<void> {
  const { logs } = await fromNode(readerOf(network, rpcUrl).getTransactionReceipt({ hash: refund as Hex }));
  const isPaid = parseEventLogs({ abi: token, eventName: 'Transfer', logs, strict: true }).some(
    ({ address, args }) =>
      address.toLowerCase() === network.usdc.address.toLowerCase() &&
      args.to.toLowerCase() === payer &&
      args.value >= amount,
  );
  if (!isPaid)
    throw new SettingError(
      `REFUND is ${refund}, expected a transaction that pays ${dollarsOf(amount)} USDC to ${payer}`,
    );
}

/** @returns the exit status */
async function recordRefund(
  transfer: string,
  { REFUND, NOTE }: AuditSettings,
  node: ChainNode,
  ledger: Ledger,
): Promise<number> {
  if ((REFUND === undefined) === (NOTE === undefined))
    throw new SettingError('REFUND and NOTE are both set or both missing, expected one of them');
  const transfers = await Array.fromAsync(ledger.transfers(null, ['owed', 'resolved']));
  const owed = transfers.find(({ transaction, logIndex }) => `${transaction}:${logIndex}` === transfer.toLowerCase());
  if (!owed) throw new SettingError(`REFUNDED is ${transfer}, expected an owed transfer of make ledger`);
  if (owed.resolution !== null)
    throw new SettingError(`REFUNDED is ${transfer}, which is already settled: ${owed.resolution}`);
  const refund = REFUND?.toLowerCase();
  if (refund !== undefined) {
    if (transfers.some(({ resolution }) => resolution === refund))
      throw new SettingError(`REFUND is ${refund}, which refunds another owed transfer`);
    await checkRefund(node, owed, refund);
  }
  if (!(await ledger.resolveOwed(owed, refund ?? NOTE ?? '')))
    throw new SettingError(`REFUNDED is ${transfer}: another process has settled it, or used its REFUND, meanwhile`);
  print(`${dollarsOf(owed.amount)} USDC owed to ${owed.payer}: settled by ${refund ?? `note: ${NOTE ?? ''}`}`);
  return 0;
}

/** @returns the exit status */
async function main(): Promise<number> {
  const settings = { ...readSettings(auditSettings), ...readSettings(auditArguments) };
  const node = await readNode(settings);
  assertLedgerExists(settings);
  const store = await openNotedStore(settings);
  try {
    return settings.REFUNDED === undefined
      ? await audit(settings, node, store)
      : await recordRefund(settings.REFUNDED, settings, node, sqlLedger(store));
  } finally {
    await store.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const isExpected =
    error instanceof SettingError || error instanceof LedgerUnavailable || error instanceof ChainUnavailable;
  const stack = error instanceof Error && !isExpected ? error.stack : undefined;
  process.stderr.write(`${stack ?? messageOf(error)}\n`);
  process.exitCode = 1;
}
