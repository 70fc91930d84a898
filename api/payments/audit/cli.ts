/**
 * `make ledger-audit` and `make ledger-refunded`. Exit status 1 if there are differences, or something cannot be read.
 */
import { parseEventLogs, type Hex } from 'viem';
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import { assertLedgerExists, openNotedLedger } from '../../../ledger/open.ts';
import type { BookedTransfer } from '../../../ledger/transfers.ts';
import { messageOf } from '../../../lib/errors.ts';
import { dollarsOf, USDC } from '../../../lib/network.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { ChainUnavailable, fromNode } from '../chain/chain_errors.ts';
import { token } from '../chain/evidence.ts';
import { readerOf } from '../chain/node.ts';
import { paymentChain } from '../chain/payment_chain.ts';
import { readWallet } from '../local_chain/wallet.ts';
import { firstBlock, type Auditor } from './audit.ts';
import { auditRange } from './range.ts';
import { auditSettings, type AuditSettings } from './settings.ts';

interface ChainAccount {
  readonly rpcUrl: string;
  readonly payTo: string;
}

/** The account to audit: that of the settings, or of the sandbox server on this data folder. */
async function accountOf({ DATA_DIR, RPC_URL, PAY_TO }: AuditSettings): Promise<ChainAccount> {
  if (RPC_URL !== undefined && PAY_TO !== undefined) return { rpcUrl: RPC_URL, payTo: PAY_TO.toLowerCase() };
  const wallet = await readWallet(DATA_DIR);
  if (wallet) return { rpcUrl: RPC_URL ?? wallet.rpc_url, payTo: (PAY_TO ?? wallet.pay_to).toLowerCase() };
  const missing = RPC_URL === undefined ? 'RPC_URL' : 'PAY_TO';
  throw new SettingError(
    `${missing} is null, expected the server's value; no sandbox server is running on ${DATA_DIR}`,
  );
}

/** @returns the exit status */
async function audit({ FROM, TO }: AuditSettings, auditor: Auditor): Promise<number> {
  const final = await auditor.chain.finalBlock();
  const to = TO ?? final.block;
  const from = FROM ?? (await firstBlock(auditor, await auditor.chain.id(), final));
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

async function owedTransfer(ledger: Ledger, transfer: string): Promise<BookedTransfer> {
  const [hash = '', index = ''] = transfer.toLowerCase().split(':');
  for await (const owed of ledger.transfers(null, ['owed'])) {
    if (owed.transaction !== hash || owed.logIndex !== Number(index)) continue;
    if (owed.resolution === null) return owed;
    throw new SettingError(`TRANSFER is ${transfer}, which is already settled: ${owed.resolution}`);
  }
  throw new SettingError(`TRANSFER is ${transfer}, expected an owed transfer of make ledger`);
}

/** @throws SettingError if the transaction does not refund the payer, or already refunds another owed transfer */
async function checkRefund(ledger: Ledger, rpcUrl: string, owed: BookedTransfer, refund: string): Promise<void> {
  for await (const { resolution } of ledger.transfers(null, ['owed'])) {
    if (resolution === refund) throw new SettingError(`REFUND is ${refund}, which refunds another owed transfer`);
  }
  const { logs } = await fromNode(readerOf(rpcUrl).getTransactionReceipt({ hash: refund as Hex }));
  const isPaid = parseEventLogs({ abi: token, eventName: 'Transfer', logs, strict: true }).some(
    ({ address, args }) =>
      address.toLowerCase() === USDC.toLowerCase() && args.to.toLowerCase() === owed.payer && args.value >= owed.amount,
  );
  if (!isPaid)
    throw new SettingError(
      `REFUND is ${refund}, expected a transaction that pays ${dollarsOf(owed.amount)} USDC to ${owed.payer}`,
    );
}

/** @returns the exit status */
async function refunded({ TRANSFER, REFUND, NOTE }: AuditSettings, ledger: Ledger, rpcUrl: string): Promise<number> {
  if (TRANSFER === undefined)
    throw new SettingError('TRANSFER is null, expected the owed transfer, as make ledger lists it');
  if ((REFUND === undefined) === (NOTE === undefined))
    throw new SettingError('REFUND and NOTE are both set or both missing, expected one of them');
  const owed = await owedTransfer(ledger, TRANSFER);
  const refund = REFUND?.toLowerCase();
  if (refund !== undefined) await checkRefund(ledger, rpcUrl, owed, refund);
  if (!(await ledger.resolveOwed(owed.transaction, owed.logIndex, refund ?? NOTE ?? '')))
    throw new SettingError(`TRANSFER is ${TRANSFER}, which was settled by another process`);
  print(`${dollarsOf(owed.amount)} USDC owed to ${owed.payer}: settled by ${refund ?? `note: ${NOTE ?? ''}`}`);
  return 0;
}

/** @returns the exit status */
async function main(command: string | undefined): Promise<number> {
  const settings = readSettings(auditSettings);
  const { rpcUrl, payTo } = await accountOf(settings);
  assertLedgerExists(settings);
  const ledger = await openNotedLedger(settings);
  try {
    const chain = paymentChain(readerOf(rpcUrl));
    const auditor: Auditor = { ledger, chain, payTo, holder: 'make ledger-audit', nowMs: Date.now };
    if (command === 'audit') return await audit(settings, auditor);
    if (command === 'refunded') return await refunded(settings, ledger, rpcUrl);
    throw new SettingError(`command is ${JSON.stringify(command ?? null)}, expected audit or refunded`);
  } finally {
    await ledger.close();
  }
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  const isExpected =
    error instanceof SettingError || error instanceof LedgerUnavailable || error instanceof ChainUnavailable;
  const stack = error instanceof Error && !isExpected ? error.stack : undefined;
  process.stderr.write(`${stack ?? messageOf(error)}\n`);
  process.exitCode = 1;
}
