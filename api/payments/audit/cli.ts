/**
 * `make ledger AUDIT=1`, and with REFUNDED the record of a refund. Exit status 1 if there are differences, or something
 * cannot be read.
 */
import { parseEventLogs, type Hex } from 'viem';
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import { assertLedgerExists, openNotedLedger } from '../../../ledger/open.ts';
import type { BookedTransfer } from '../../../ledger/transfers.ts';
import { messageOf } from '../../../lib/errors.ts';
import { dollarsOf, type Network } from '../../../lib/network.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { ChainUnavailable, fromNode } from '../chain/chain_errors.ts';
import { token } from '../chain/evidence.ts';
import { readerOf } from '../chain/node.ts';
import { paymentChain } from '../chain/payment_chain.ts';
import { readWallet } from '../local_chain/wallet.ts';
import { firstBlock, type Auditor } from './audit.ts';
import { auditRange } from './range.ts';
import { auditArguments, auditSettings, type AuditSettings } from './settings.ts';

/** The account of the server. */
interface ChainAccount {
  readonly network: Network;
  readonly rpcUrl: string;
  readonly payTo: string;
}

/** The account to audit: that of the settings, or of the sandbox server on this data folder. */
async function readAccount({ DATA_DIR, NETWORK: network, RPC_URL, PAY_TO }: AuditSettings): Promise<ChainAccount> {
  const wallet = await readWallet(DATA_DIR);
  const rpcUrl = RPC_URL ?? (wallet?.network === network.name ? wallet.rpc_url : undefined);
  const payTo = PAY_TO ?? wallet?.pay_to;
  if (rpcUrl !== undefined && payTo !== undefined) return { network, rpcUrl, payTo: payTo.toLowerCase() };
  const missing = rpcUrl === undefined ? 'RPC_URL' : 'PAY_TO';
  throw new SettingError(
    `${missing} is null, expected the server's value; no sandbox server is running on ${DATA_DIR}`,
  );
}

/** Audit the account. @returns the exit status */
async function audit(
  { FROM, TO }: AuditSettings,
  { network, rpcUrl, payTo }: ChainAccount,
  ledger: Ledger,
): Promise<number> {
  const chain = paymentChain(readerOf(network, rpcUrl), network);
  const auditor: Auditor = { ledger, chain, payTo, holder: 'make ledger AUDIT=1', nowMs: Date.now };
  const final = await chain.finalBlock();
  const to = TO ?? final.block;
  const from = FROM ?? (await firstBlock(auditor, await chain.id(), final));
  if (from > to) throw new SettingError(`FROM is ${from}, expected at most block ${to}, the latest final one`);
  const { transfers, sold, atomic, differences, withoutPurchase } = await auditRange(auditor, { from, to });
  const matched = `${dollarsOf(atomic)} USDC matched`;
  print(`Blocks ${from} to ${to}: ${transfers} incoming transfers, ${sold} sold purchases, ${matched}`);
  for (const { transaction, logIndex, amount, payer } of withoutPurchase)
    print(`  without a purchase: ${dollarsOf(amount)} USDC by ${payer}, ${transaction}:${logIndex}`);
  for (const difference of differences) print(`  ${difference}`);
  print(`${differences.length} differences`);
  return differences.length === 0 ? 0 : 1;
}

async function findOwedTransfer(ledger: Ledger, transfer: string): Promise<BookedTransfer> {
  const [hash = '', index = ''] = transfer.toLowerCase().split(':');
  for await (const owed of ledger.transfers(null, ['owed'])) {
    if (owed.transaction !== hash || owed.logIndex !== Number(index)) continue;
    if (owed.resolution === null) return owed;
    throw new SettingError(`REFUNDED is ${transfer}, which is already settled: ${owed.resolution}`);
  }
  throw new SettingError(`REFUNDED is ${transfer}, expected an owed transfer of make ledger`);
}

/**
 * @throws SettingError if the transaction does not refund the payer, or already refunds another owed transfer
 */
async function checkRefund(
  ledger: Ledger,
  { network, rpcUrl }: ChainAccount,
  owed: BookedTransfer,
  refund: string,
): Promise<void> {
  for await (const { resolution } of ledger.transfers(null, ['owed'])) {
    if (resolution === refund) throw new SettingError(`REFUND is ${refund}, which refunds another owed transfer`);
  }
  const { logs } = await fromNode(readerOf(network, rpcUrl).getTransactionReceipt({ hash: refund as Hex }));
  const isPaid = parseEventLogs({ abi: token, eventName: 'Transfer', logs, strict: true }).some(
    ({ address, args }) =>
      address.toLowerCase() === network.usdc.address.toLowerCase() &&
      args.to.toLowerCase() === owed.payer &&
      args.value >= owed.amount,
  );
  if (!isPaid)
    throw new SettingError(
      `REFUND is ${refund}, expected a transaction that pays ${dollarsOf(owed.amount)} USDC to ${owed.payer}`,
    );
}

/** @returns the exit status */
async function recordRefund(
  transfer: string,
  { REFUND, NOTE }: AuditSettings,
  account: ChainAccount,
  ledger: Ledger,
): Promise<number> {
  if ((REFUND === undefined) === (NOTE === undefined))
    throw new SettingError('REFUND and NOTE are both set or both missing, expected one of them');
  const owed = await findOwedTransfer(ledger, transfer);
  const refund = REFUND?.toLowerCase();
  if (refund !== undefined) await checkRefund(ledger, account, owed, refund);
  if (!(await ledger.resolveOwed(owed, refund ?? NOTE ?? '')))
    throw new SettingError(`REFUNDED is ${transfer}, which was settled by another process`);
  print(`${dollarsOf(owed.amount)} USDC owed to ${owed.payer}: settled by ${refund ?? `note: ${NOTE ?? ''}`}`);
  return 0;
}

/** @returns the exit status */
async function main(): Promise<number> {
  const settings = { ...readSettings(auditSettings), ...readSettings(auditArguments) };
  const account = await readAccount(settings);
  assertLedgerExists(settings);
  const ledger = await openNotedLedger(settings);
  try {
    return settings.REFUNDED === undefined
      ? await audit(settings, account, ledger)
      : await recordRefund(settings.REFUNDED, settings, account, ledger);
  } finally {
    await ledger.close();
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
