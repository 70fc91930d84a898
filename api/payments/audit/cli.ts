/**
 * `make ledger AUDIT=1`; with REFUNDS=1 the money that is due back, with REFUNDED the record that it was paid. Exit
 * status 1 if there are differences, or something cannot be read.
 */
import { journalFile } from '../../../ledger/journal_file.ts';
import { LedgerUnavailable, type Debt, type Ledger } from '../../../ledger/ledger.ts';
import { assertLedgerExists, openNotedLedgerStore } from '../../../ledger/open.ts';
import { sqlLedger } from '../../../ledger/sql/sql_ledger.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { closing } from '../../../lib/closing.ts';
import { runCommand } from '../../../lib/command.ts';
import { dollarsOf, type Network } from '../../../lib/network.ts';
import { print } from '../../../lib/output.ts';
import { readSettings, SettingError } from '../../../lib/settings.ts';
import { ChainUnavailable, readerOf } from '../chain/node.ts';
import { paymentChain, type PaymentChain } from '../chain/payment_chain.ts';
import { readWallet } from '../local_chain/wallet.ts';
import { fullAudit } from './full_audit.ts';
import { auditArguments, auditSettings, type AuditSettings } from './settings.ts';
import { COLLECT_DAYS } from './watchers.ts';

/** The chain of the settings, read from RPC_URL, or the node of the sandbox server on this data folder. */
async function openChain({ DATA_DIR, NETWORK: network, RPC_URL }: AuditSettings): Promise<PaymentChain> {
  const wallet = await readWallet(DATA_DIR);
  const rpcUrl = RPC_URL ?? (wallet?.network === network.name ? wallet.rpc_url : undefined);
  if (rpcUrl !== undefined) return paymentChain(readerOf(network, rpcUrl), network);
  throw new SettingError(`RPC_URL is not set, expected that of the server; no sandbox server runs on ${DATA_DIR}`);
}

/** @returns the exit status */
async function audit({ DATA_DIR, NETWORK }: AuditSettings, chain: PaymentChain, store: Store): Promise<number> {
  const found = await fullAudit(store, chain, {
    file: journalFile(DATA_DIR),
    asset: NETWORK.usdc.address.toLowerCase(),
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

/** Money that is due back: an owed transfer, or the refund of a purchase. */
interface Due {
  readonly debt: Debt;
  /** As REFUNDED names it. */
  readonly name: string;
  readonly payer: string;
  readonly amount: bigint;
  readonly why: string;
  /** How it was paid back; null until then. */
  readonly paid: string | null;
}

interface Proof {
  readonly records: readonly { readonly id: string; readonly reason: string; readonly ended_on: string }[];
}

/** Everything that is due back or was. */
async function readDues(ledger: Ledger): Promise<readonly Due[]> {
  const dues: Due[] = [];
  for await (const owed of ledger.transfers(null, ['owed', 'resolved'])) {
    const { transaction, logIndex, payer, amount, resolution: paid } = owed;
    const why = 'a payment that no purchase explains';
    dues.push({ debt: owed, name: `${transaction}:${logIndex}`, payer, amount, why, paid });
  }
  for await (const { id, payment, route, refund } of ledger.refunds()) {
    const [first] = (JSON.parse(refund.proof) as Proof).records;
    const why = `${route}: ${first?.reason} of ${first?.id} on ${first?.ended_on}`;
    const { amount, paid } = refund;
    dues.push({ debt: { purchaseId: id }, name: id, payer: payment.payer, amount, why, paid });
  }
  return dues;
}

/** List what is due back, and the transfers to sign (EIP-681). */
async function listRefunds({ name, chainId, usdc }: Network, ledger: Ledger): Promise<void> {
  const open = (await readDues(ledger)).filter(({ paid }) => paid === null);
  for (const { name: due, payer, amount, why } of open) print(`${due}  ${dollarsOf(amount)} USDC to ${payer}  ${why}`);
  print(`${open.length} refunds are due on ${name}`);
  for (const { name: due, payer, amount } of open) {
    print(`ethereum:${usdc.address}@${chainId}/transfer?address=${payer}&uint256=${amount}`);
    print(`  then: make ledger REFUNDED=${due} REFUND=<hash of the transaction>`);
  }
}

/** @throws SettingError if nothing is due of this name, or the transaction does not pay it */
async function recordRefund(
  name: string,
  { REFUND, NOTE }: AuditSettings,
  chain: PaymentChain,
  ledger: Ledger,
): Promise<void> {
  if ((REFUND === undefined) === (NOTE === undefined))
    throw new SettingError('REFUND and NOTE are both set or both missing, expected one of them');
  const dues = await readDues(ledger);
  const due = dues.find((each) => each.name === name.toLowerCase());
  if (!due) throw new SettingError(`REFUNDED is ${name}, expected a refund of make ledger REFUNDS=1`);
  const { payer, amount, paid } = due;
  if (paid !== null) throw new SettingError(`REFUNDED is ${name}, which is already settled: ${paid}`);
  const refund = REFUND?.toLowerCase();
  if (refund !== undefined) {
    if (dues.some((each) => each.paid === refund))
      throw new SettingError(`REFUND is ${refund}, which refunds another one`);
    if (!(await chain.pays(refund, payer, amount)))
      throw new SettingError(
        `REFUND is ${refund}, expected a transaction that pays exactly ${dollarsOf(amount)} USDC to ${payer}`,
      );
  }
  if (!(await ledger.settleDebt(due.debt, refund ?? NOTE ?? '')))
    throw new SettingError(`REFUNDED is ${name}: another process has settled it, or used its REFUND, meanwhile`);
  print(`${dollarsOf(amount)} USDC due to ${payer}: settled by ${refund ?? `note: ${NOTE ?? ''}`}`);
}

/** @returns the exit status */
async function main(): Promise<number> {
  const settings = { ...readSettings(auditSettings), ...readSettings(auditArguments) };
  assertLedgerExists(settings);
  const chain = settings.REFUNDS ? null : await openChain(settings);
  await using store = closing(await openNotedLedgerStore(settings));
  if (chain === null) await listRefunds(settings.NETWORK, sqlLedger(store));
  else if (settings.REFUNDED === undefined) return await audit(settings, chain, store);
  else await recordRefund(settings.REFUNDED, settings, chain, sqlLedger(store));
  return 0;
}

await runCommand(main, (error) =>
  error instanceof LedgerUnavailable || error instanceof ChainUnavailable ? error.message : null,
);
