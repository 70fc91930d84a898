/** `make ledger-audit` and `make ledger-refunded`. Exit status 1 where there are differences, or something cannot be read. */
import { parseEventLogs, type Hex } from 'viem';
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import { ledgerExists, openNotedLedger, shownPlace } from '../../../ledger/open.ts';
import type { BookedTransfer } from '../../../ledger/transfers.ts';
import { say } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { auditSettings, type AuditSettings } from './settings.ts';
import { auditRange, type Auditor } from './audit.ts';
import { ChainUnavailable, fromNode } from '../chain/chain_errors.ts';
import { token } from '../chain/evidence.ts';
import { dollarsOf, USDC } from '../../../lib/network.ts';
import { readerOf } from '../chain/node.ts';
import { paymentChain } from '../chain/payment_chain.ts';
import { readWallet } from '../local_chain/wallet.ts';

/** The account that is audited: that of the settings, or of the sandbox server on this data folder. */
async function accountOf({
  DATA_DIR,
  RPC_URL,
  PAY_TO,
}: AuditSettings): Promise<{ readonly rpcUrl: string; readonly payTo: string }> {
  if (RPC_URL !== undefined && PAY_TO !== undefined) return { rpcUrl: RPC_URL, payTo: PAY_TO.toLowerCase() };
  const wallet = await readWallet(DATA_DIR);
  if (wallet) return { rpcUrl: RPC_URL ?? wallet.rpc_url, payTo: (PAY_TO ?? wallet.pay_to).toLowerCase() };
  throw new SettingError(
    `${RPC_URL === undefined ? 'RPC_URL' : 'PAY_TO'} is null, expected what the server is set to; no sandbox server runs on ${DATA_DIR}`,
  );
}

/** @returns the exit status */
async function audit(settings: AuditSettings, auditor: Auditor): Promise<number> {
  const { FROM, TO } = settings;
  const to = TO ?? (await auditor.chain.finalBlock()).block;
  let from = FROM;
  if (from === undefined) {
    let firstMs = Number.POSITIVE_INFINITY;
    const chainId = await auditor.chain.id();
    for await (const { chain, reservedAtMs } of auditor.ledger.purchases())
      if (chain === chainId) firstMs = Math.min(firstMs, reservedAtMs);
    from = Number.isFinite(firstMs)
      ? await auditor.chain.firstBlockAt(Math.max(0, Math.floor(firstMs / 1000) - 3_600))
      : to;
  }
  if (from > to) throw new SettingError(`FROM is ${from}, expected at most block ${to}, the latest final one`);
  const { transfers, sold, atomic, differences, withoutPurchase } = await auditRange(auditor, from, to);
  say(
    `Blocks ${from} to ${to}: ${transfers} incoming transfers, ${sold} sold purchases, ${dollarsOf(atomic)} USDC matched`,
  );
  for (const { transaction, logIndex, amount, payer } of withoutPurchase)
    say(`  without a purchase: ${dollarsOf(amount)} USDC by ${payer}, ${transaction}:${logIndex}`);
  for (const difference of differences) say(`  ${difference}`);
  say(`${differences.length} differences`);
  return differences.length === 0 ? 0 : 1;
}

async function owedTransfer(ledger: Ledger, transfer: string): Promise<BookedTransfer> {
  const [hash = '', index = ''] = transfer.toLowerCase().split(':');
  for await (const owed of ledger.transfers(null, ['owed'])) {
    if (owed.transaction === hash && owed.logIndex === Number(index)) {
      if (owed.resolution !== null)
        throw new SettingError(`TRANSFER is ${transfer}, which was settled before: ${owed.resolution}`);
      return owed;
    }
  }
  throw new SettingError(`TRANSFER is ${transfer}, expected an owed transfer of make ledger`);
}

/** @throws SettingError where the transaction does not pay the owed amount to whoever paid it, or was named for another one */
async function checkRefund({ ledger }: Auditor, rpcUrl: string, owed: BookedTransfer, refund: string): Promise<void> {
  for await (const { resolution } of ledger.transfers(null, ['owed'])) {
    if (resolution === refund) throw new SettingError(`REFUND is ${refund}, which was named for another owed transfer`);
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
async function refunded({ TRANSFER, REFUND, NOTE }: AuditSettings, auditor: Auditor, rpcUrl: string): Promise<number> {
  if (TRANSFER === undefined)
    throw new SettingError('TRANSFER is null, expected the owed transfer, as make ledger lists it');
  if ((REFUND === undefined) === (NOTE === undefined))
    throw new SettingError('REFUND and NOTE are both set or both missing, expected one of them');
  const owed = await owedTransfer(auditor.ledger, TRANSFER);
  const refund = REFUND?.toLowerCase();
  if (refund !== undefined) await checkRefund(auditor, rpcUrl, owed, refund);
  if (!(await auditor.ledger.resolveOwed(owed.transaction, owed.logIndex, refund ?? NOTE ?? '')))
    throw new SettingError(`TRANSFER is ${TRANSFER}, which was settled meanwhile`);
  say(`${dollarsOf(owed.amount)} USDC owed to ${owed.payer}: settled by ${refund ?? `note: ${NOTE ?? ''}`}`);
  return 0;
}

/** @returns the exit status */
async function main(command: string | undefined): Promise<number> {
  const settings = readSettings(auditSettings);
  const { rpcUrl, payTo } = await accountOf(settings);
  if (!ledgerExists(settings))
    throw new SettingError(
      `LEDGER is ${shownPlace(settings)}, and there is no ledger yet: the server creates it at its first start`,
    );
  const ledger = await openNotedLedger(settings);
  try {
    const auditor: Auditor = {
      ledger,
      chain: paymentChain(readerOf(rpcUrl)),
      payTo,
      holder: 'make ledger-audit',
      nowMs: Date.now,
    };
    if (command === 'audit') return await audit(settings, auditor);
    if (command === 'refunded') return await refunded(settings, auditor, rpcUrl);
    throw new SettingError(`command is ${JSON.stringify(command ?? null)}, expected audit or refunded`);
  } finally {
    await ledger.close();
  }
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  const isKnown =
    error instanceof SettingError || error instanceof LedgerUnavailable || error instanceof ChainUnavailable;
  process.stderr.write(
    `${isKnown ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
