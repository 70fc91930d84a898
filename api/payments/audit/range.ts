/** The audit of any range of blocks for `make ledger AUDIT=1`: compares chain and ledger, and changes neither. */
import type { Purchase } from '../../../ledger/ledger.ts';
import type { AuditedAccount, BookedTransfer, IncomingTransfer } from '../../../ledger/transfers.ts';
import { dollarsOf } from '../../../lib/network.ts';
import { BLOCKS_PER_BOOKING, type Auditor } from './audit.ts';

export interface RangeAudit {
  readonly transfers: number;
  /** Sold purchases whose payment the ledger places in these blocks. */
  readonly sold: number;
  readonly atomic: bigint;
  /** One sentence each. */
  readonly differences: readonly string[];
  /** Transfers that belong to no purchase, such as gifts. */
  readonly withoutPurchase: readonly IncomingTransfer[];
}

export interface BlockRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** Result of one direction: the transfers of the range, compared with the ledger. */
interface ComparedTransfers extends Omit<RangeAudit, 'sold'> {
  /** The transaction that paid each purchase. */
  readonly paid: ReadonlyMap<string, string>;
}

const placeOf = ({ transaction, logIndex }: Pick<IncomingTransfer, 'transaction' | 'logIndex'>): string =>
  `${transaction}:${logIndex}`;

/** The purchase that a transfer paid for: the current purchase of the payment, or the one it was booked for. */
async function purchaseFor(
  { ledger, chain: { network }, payTo }: Auditor,
  { payer, nonce }: IncomingTransfer,
  booked: BookedTransfer | undefined,
): Promise<Purchase | null> {
  if (nonce === null) return null;
  const asset = network.usdc.address.toLowerCase();
  const current = await ledger.find({ payment: { network: network.name, asset, payer, nonce } });
  if (current?.payment.payTo === payTo) return current;
  return booked?.purchaseId ? ledger.find({ id: booked.purchaseId }) : null;
}

/** Why a transfer does not pay this purchase; null if it does. */
function transferProblem(transfer: IncomingTransfer, purchase: Purchase, isPaid: boolean): string | null {
  if (purchase.state !== 'sold') return `belongs to purchase ${purchase.id}, which is ${purchase.state}`;
  if (purchase.payment.amount !== transfer.amount) return `is not the price of purchase ${purchase.id}`;
  return isPaid ? `is the second transfer for purchase ${purchase.id}` : null;
}

async function compareTransfers(
  auditor: Auditor,
  account: AuditedAccount,
  { from: first, to: last }: BlockRange,
): Promise<ComparedTransfers> {
  const { ledger, chain, payTo } = auditor;
  const booked = new Map<string, BookedTransfer>();
  for await (const transfer of ledger.transfers(account)) booked.set(placeOf(transfer), transfer);
  const differences: string[] = [];
  const withoutPurchase: IncomingTransfer[] = [];
  const paid = new Map<string, string>();
  let [transfers, atomic] = [0, 0n];
  for (let from = first; from <= last; from += BLOCKS_PER_BOOKING) {
    const end = from + BLOCKS_PER_BOOKING - 1n;
    for (const transfer of await chain.incomingTransfers(payTo, from, end < last ? end : last)) {
      transfers += 1;
      const known = booked.get(placeOf(transfer));
      const purchase = await purchaseFor(auditor, transfer, known);
      const text = `transfer ${placeOf(transfer)} of ${dollarsOf(transfer.amount)} USDC by ${transfer.payer}`;
      if (known?.kind === 'owed') {
        if (known.resolution === null) differences.push(`${text} is owed`);
      } else if (purchase === null) {
        withoutPurchase.push(transfer);
      } else {
        const problem = transferProblem(transfer, purchase, paid.has(purchase.id));
        if (problem !== null) {
          differences.push(`${text} ${problem}`);
        } else {
          paid.set(purchase.id, transfer.transaction);
          atomic += transfer.amount;
        }
      }
    }
  }
  return { transfers, atomic, differences, withoutPurchase, paid };
}

/**
 * Audit a range of blocks in both directions: each of its transfers against the ledger, each of its sold purchases
 * against the chain. @throws if the chain or the ledger cannot be read
 */
export async function auditRange(auditor: Auditor, range: BlockRange): Promise<RangeAudit> {
  const { ledger, chain, payTo } = auditor;
  const account: AuditedAccount = { chain: await chain.id(), payTo };
  const { paid, ...compared } = await compareTransfers(auditor, account, range);
  const differences = [...compared.differences];
  let sold = 0;
  for await (const { id, state, chain: purchaseChain, block, payment, transaction } of ledger.purchases()) {
    const isOurs = state === 'sold' && purchaseChain === account.chain && payment.payTo === payTo;
    if (!isOurs || block === null || block < range.from || block > range.to) continue;
    sold += 1;
    const by = paid.get(id);
    if (by === undefined)
      differences.push(`purchase ${id} is sold in block ${block}, and no transfer there pays for it`);
    else if (by !== transaction)
      differences.push(`purchase ${id} names transaction ${String(transaction)}, and ${by} paid for it`);
  }
  return { ...compared, sold, differences };
}
