/**
 * `make ledger AUDIT=1`, and with REFUNDED the record of a refund. Exit status 1 if there are differences, or something
 * cannot be read.
 */
import { parseEventLogs, type Hex } from 'viem';
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import { assertLedgerExists, openNotedLedger } from '../../../ledger/open.ts';
import type { BookedTransfer } from '../../../ledger/transfers.ts';
import { messageOf } from '../../../lib/errors.ts';
import { dollarsOf, networkOfChain, perNetwork, type Network } from '../../../lib/network.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { ChainUnavailable, fromNode } from '../chain/chain_errors.ts';
import { token } from '../chain/evidence.ts';
import { readerOf } from '../chain/node.ts';
import { paymentChain } from '../chain/payment_chain.ts';
import { chainOfWallet, readWallet } from '../local_chain/wallet.ts';
import { onNetwork } from '../networks.ts';
import { firstBlock, type Auditor } from './audit.ts';
import { auditRange } from './range.ts';
import { auditArguments, auditSettings, type AuditSettings } from './settings.ts';

/** The account of the server on one network. */
interface ChainAccount {
  readonly network: Network;
  readonly rpcUrl: string;
  readonly payTo: string;
}

/** The accounts to audit: those of the settings, or of the sandbox server on this data folder. */
async function readAccounts(settings: AuditSettings): Promise<readonly ChainAccount[]> {
  const { DATA_DIR, NETWORKS, PAY_TO } = settings;
  const wallet = await readWallet(DATA_DIR);
  return NETWORKS.map((network) => {
    const name = perNetwork('RPC_URL', network) as 'RPC_URL';
    const rpcUrl = settings[name] ?? (wallet === null ? undefined : chainOfWallet(wallet, network)?.rpc_url);
    const payTo = PAY_TO ?? wallet?.pay_to;
    if (rpcUrl !== undefined && payTo !== undefined) return { network, rpcUrl, payTo: payTo.toLowerCase() };
    const missing = rpcUrl === undefined ? name : 'PAY_TO';
    throw new SettingError(
      `${missing} is null, expected the server's value; no sandbox server is running on ${DATA_DIR}`,
    );
  });
}

/** Audit one network. @returns the number of differences */
async function auditNetwork({ FROM, TO, NETWORKS }: AuditSettings, auditor: Auditor): Promise<number> {
  const { network } = auditor.chain;
  const final = await auditor.chain.finalBlock();
  const to = TO ?? final.block;
  const from = FROM ?? (await firstBlock(auditor, await auditor.chain.id(), final));
  if (from > to) throw new SettingError(`FROM is ${from}, expected at most block ${to}, the latest final one`);
  const { transfers, sold, atomic, differences, withoutPurchase } = await auditRange(auditor, { from, to });
  const matched = `${dollarsOf(atomic)} USDC matched`;
  const where = NETWORKS.length === 1 ? 'Blocks' : `${network.title}, blocks`;
  print(`${where} ${from} to ${to}: ${transfers} incoming transfers, ${sold} sold purchases, ${matched}`);
  for (const { transaction, logIndex, amount, payer } of withoutPurchase)
    print(`  without a purchase: ${dollarsOf(amount)} USDC by ${payer}, ${transaction}:${logIndex}`);
  for (const difference of differences) print(`  ${difference}`);
  print(`${differences.length} differences`);
  return differences.length;
}

/** Audit every network. @returns the exit status */
async function auditAll(settings: AuditSettings, accounts: readonly ChainAccount[], ledger: Ledger): Promise<number> {
  const { FROM, TO, NETWORKS } = settings;
  if (NETWORKS.length > 1 && (FROM ?? TO) !== undefined)
    throw new SettingError('FROM and TO are blocks of one network, expected NETWORKS to name one');
  let differences = 0;
  for (const { network, rpcUrl, payTo } of accounts) {
    const chain = paymentChain(readerOf(network, rpcUrl), network);
    const auditor: Auditor = { ledger, chain, payTo, holder: 'make ledger AUDIT=1', nowMs: Date.now };
    differences += await auditNetwork(settings, auditor);
  }
  return differences === 0 ? 0 : 1;
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
 * @throws SettingError if the transaction does not refund the payer on the network where the money arrived, or already
 * refunds another owed transfer
 */
async function checkRefund(
  ledger: Ledger,
  accounts: readonly ChainAccount[],
  owed: BookedTransfer,
  refund: string,
): Promise<void> {
  for await (const { resolution } of ledger.transfers(null, ['owed'])) {
    if (resolution === refund) throw new SettingError(`REFUND is ${refund}, which refunds another owed transfer`);
  }
  const name = networkOfChain(owed.chain);
  const account = onNetwork(accounts, name);
  if (!account) throw new SettingError(`NETWORKS does not name ${name}, expected the network of the owed transfer`);
  const { network, rpcUrl } = account;
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
  accounts: readonly ChainAccount[],
  ledger: Ledger,
): Promise<number> {
  if ((REFUND === undefined) === (NOTE === undefined))
    throw new SettingError('REFUND and NOTE are both set or both missing, expected one of them');
  const owed = await findOwedTransfer(ledger, transfer);
  const refund = REFUND?.toLowerCase();
  if (refund !== undefined) await checkRefund(ledger, accounts, owed, refund);
  if (!(await ledger.resolveOwed(owed, refund ?? NOTE ?? '')))
    throw new SettingError(`REFUNDED is ${transfer}, which was settled by another process`);
  print(`${dollarsOf(owed.amount)} USDC owed to ${owed.payer}: settled by ${refund ?? `note: ${NOTE ?? ''}`}`);
  return 0;
}

/** @returns the exit status */
async function main(): Promise<number> {
  const settings = { ...readSettings(auditSettings), ...readSettings(auditArguments) };
  const accounts = await readAccounts(settings);
  assertLedgerExists(settings);
  const ledger = await openNotedLedger(settings);
  try {
    return settings.REFUNDED === undefined
      ? await auditAll(settings, accounts, ledger)
      : await recordRefund(settings.REFUNDED, settings, accounts, ledger);
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
