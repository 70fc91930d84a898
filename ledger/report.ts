/** `make ledger`: revenue, unresolved settlements and differences, on one screen. */
import { atomicOf, dollarsOf, usdOf } from '../lib/network.ts';
import { DAY_MS, dayOf } from '../lib/time.ts';
import { differencesOf, type Difference } from './differences.ts';
import type { AuditedAccount, AuditState, ExclusivePause, Ledger, Purchase, TransferKind } from './ledger.ts';

/** Lines of a list; the rest is only counted. */
const MAX_LINES = 10;

/** Calls and their sum in atomic units. */
interface Count {
  readonly calls: number;
  readonly atomic: bigint;
}

export interface Figures {
  /** Sold purchases by day (UTC), and by endpoint. */
  readonly sales: ReadonlyMap<string, ReadonlyMap<string, Count>>;
  /** Settling purchases, oldest first. */
  readonly unknown: readonly Purchase[];
  readonly claims: Readonly<Record<'reserved' | 'settling' | 'sold', number>>;
  /** Sold purchases whose answer was never sent completely, oldest first. */
  readonly notDelivered: readonly Purchase[];
  readonly purchases: Readonly<Record<Purchase['state'], number>>;
  /** State of each audited account, the one that was audited last first. */
  readonly audits: readonly (AuditedAccount & AuditState)[];
  readonly booked: Readonly<Record<TransferKind, Count>>;
  readonly differences: readonly Difference[];
  /** Released purchases of owed transfers, by payer and nonce. */
  readonly released: ReadonlyMap<string, Purchase>;
  readonly pause: ExclusivePause | null;
  /** Parts of prices that are due back, and that were paid back. */
  readonly refunds: Readonly<Record<'due' | 'paid', Count>>;
}

const NONE: Count = { calls: 0, atomic: 0n };
const plus = ({ calls, atomic }: Count, more: bigint): Count => ({ calls: calls + 1, atomic: atomic + more });
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
const sumOf = (counts: Iterable<Count>): Count =>
  [...counts].reduce((sum, { calls, atomic }) => ({ calls: sum.calls + calls, atomic: sum.atomic + atomic }), NONE);

const paymentKey = ({ payer, nonce }: { readonly payer: string; readonly nonce: string | null }): string =>
  `${payer} ${nonce}`;

/** Read the whole ledger once. */
export async function readFigures(ledger: Ledger): Promise<Figures> {
  const booked: Record<TransferKind, Count> = { matched: NONE, owed: NONE, resolved: NONE, dust: NONE };
  for await (const { kind, amount } of ledger.transfers(null)) booked[kind] = plus(booked[kind], amount);
  const differences = await differencesOf(ledger, null);
  const owed = new Set(differences.flatMap((each) => (each.kind === 'owed' ? [paymentKey(each.transfer)] : [])));
  const released = new Map<string, Purchase>();
  const sales = new Map<string, Map<string, Count>>();
  const unknown: Purchase[] = [];
  const notDelivered = new Map<string, Purchase>();
  const claims = { reserved: 0, settling: 0, sold: 0 };
  const purchases = { reserved: 0, settling: 0, sold: 0, released: 0 };
  const refunds = { due: NONE, paid: NONE };
  for await (const { refund } of ledger.refunds()) {
    const kind = refund.paid === null ? 'due' : 'paid';
    refunds[kind] = plus(refunds[kind], refund.amount);
  }
  for await (const purchase of ledger.purchases()) {
    const { state, route, endedAtMs, payment, leadId } = purchase;
    purchases[state] += 1;
    if (leadId !== null && state !== 'released') claims[state] += 1;
    if (state === 'settling') unknown.push(purchase);
    if (state === 'released' && owed.has(paymentKey(payment))) released.set(paymentKey(payment), purchase);
    if (state !== 'sold') continue;
    notDelivered.set(purchase.id, purchase);
    const ofDay = sales.getOrInsertComputed(dayOf(endedAtMs ?? purchase.reservedAtMs), () => new Map());
    ofDay.set(route, plus(ofDay.get(route) ?? NONE, payment.amount));
  }
  for await (const { purchaseId, isComplete } of ledger.deliveries()) if (isComplete) notDelivered.delete(purchaseId);
  unknown.sort((a, b) => (a.settlingAtMs ?? 0) - (b.settlingAtMs ?? 0));
  const [audits, pause] = [await ledger.audits(), await ledger.exclusivePause()];
  const counted = { sales, unknown, claims, purchases, notDelivered: [...notDelivered.values()] };
  return { ...counted, audits, booked, differences, released, pause, refunds };
}

/** Atomic units as "$0.05", with six decimals only if two would not be exact. */
function dollars(atomic: bigint): string {
  const text = dollarsOf(atomic);
  return `$${text.endsWith('0000') ? text.slice(0, -4) : text}`;
}

const ageOf = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return `${Math.max(0, minutes)} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
};

/** Rows as aligned columns, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const align = (cell: string, i: number): string => {
    const isNumber = i > 0 && /^[\d$]/.test(cell);
    return isNumber ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
  };
  return rows.map((row) => `  ${row.map(align).join('  ')}`.trimEnd());
}

const firstLines = (lines: readonly string[]): string[] =>
  lines.length <= MAX_LINES ? [...lines] : [...lines.slice(0, MAX_LINES), `  and ${lines.length - MAX_LINES} more`];

const PAUSES: Readonly<Record<ExclusivePause, string>> = {
  restored_not_audited: 'paused: the ledger was restored, and not all earlier transfers are recorded yet',
  restored_transfers_owed: 'paused: the ledger was restored, and earlier transfers are owed',
};

/** All that is known of a difference. */
function differenceRow(difference: Difference, released: Figures['released']): readonly string[] {
  if (difference.kind === 'unpaid') {
    const { id, payment } = difference.purchase;
    return ['unpaid', dollars(payment.amount), `by ${payment.payer}`, `purchase ${id}`];
  }
  const { amount, payer, nonce, transaction, logIndex, block } = difference.transfer;
  const purchase = released.get(paymentKey(difference.transfer));
  const lead = purchase?.leadId === null || purchase === undefined ? '' : `, lead ${purchase.leadId}`;
  const why = purchase
    ? `purchase ${purchase.id} of ${purchase.request}${lead} was released: ${purchase.why}`
    : 'no purchase has this payment';
  return [
    'owed',
    dollars(amount),
    `to ${payer}`,
    `${transaction}:${logIndex}`,
    `block ${block}, nonce ${nonce}: ${why}`,
  ];
}

/** Lines on the audit of incoming transfers. */
function auditLines({ audits, booked, differences, released, pause }: Figures): string[] {
  const kinds = (['matched', 'owed', 'resolved', 'dust'] as const).map(
    (kind) => `${kind} ${booked[kind].calls} (${dollars(booked[kind].atomic)})`,
  );
  const through = audits[0]?.throughBlock ?? null;
  const progress = through === null ? 'none yet' : `through block ${through}, ${differences.length} differences`;
  return [
    '',
    `Audit of incoming transfers: ${progress}`,
    `  ${kinds.join(', ')}`,
    ...(pause === null ? [] : [`  exclusive sales are ${PAUSES[pause]}`]),
    ...firstLines(columns(differences.map((each) => differenceRow(each, released)))),
    ...(differences.some(({ kind }) => kind === 'owed') ? ['  Refund them: make ledger REFUNDS=1'] : []),
  ];
}

/** Lines on revenue; totals also less what the settlements cost. */
function revenueLines({ sales }: Figures, { nowMs, days, settlementCost }: ReportOptions): string[] {
  const since = dayOf(nowMs - (days - 1) * DAY_MS);
  const row = (day: string, route: string, { calls, atomic }: Count): readonly string[] => [
    day,
    route,
    String(calls),
    dollars(atomic),
  ];
  const total = (route: string, count: Count): readonly string[] => [
    ...row('all', route, count),
    `$${usdOf(count.atomic - BigInt(count.calls) * atomicOf(settlementCost))} after settlements`,
  ];
  const recent = [...sales]
    .filter(([day]) => day >= since)
    .sort(byName)
    .reverse();
  const rows = recent.flatMap(([day, routes]) =>
    [...routes].sort(byName).map(([route, count]) => row(day, route, count)),
  );
  const all = [...sales.values()].flatMap((routes) => [...routes]);
  const totals = [...Map.groupBy(all, ([route]) => route)]
    .sort(byName)
    .map(([route, counts]) => total(route, sumOf(counts.map(([, count]) => count))));
  const everything = total('every endpoint', sumOf(all.map(([, count]) => count)));
  return [
    '',
    `Revenue by day and endpoint, ${days === 1 ? 'today' : `the last ${days} days`}`,
    ...(rows.length === 0 ? ['  none'] : columns(rows)),
    ...(totals.length === 0 ? [] : ['', 'Revenue by endpoint, in total', ...columns([...totals, everything])]),
  ];
}

export interface ReportOptions {
  readonly nowMs: number;
  /** Days of revenue to list. */
  readonly days: number;
  /** Dollars that one settlement costs. */
  readonly settlementCost: string;
}

/** All lines of the report. */
export function formatReport(figures: Figures, place: string, options: ReportOptions): string[] {
  const { nowMs } = options;
  const { sales, unknown, claims, notDelivered, purchases, refunds } = figures;
  const { due, paid } = refunds;
  const { atomic } = sumOf([...sales.values()].flatMap((routes) => [...routes.values()]));
  const listed = (list: readonly Purchase[], cells: (purchase: Purchase) => readonly string[]): string[] =>
    firstLines(columns(list.map((each) => [each.id, each.route, dollars(each.payment.amount), ...cells(each)])));
  return [
    `Ledger ${place}`,
    `  ${purchases.sold} sold for ${dollars(atomic)}, ${purchases.settling} settling, ` +
      `${purchases.reserved} reserved, ${purchases.released} released (nobody was charged)`,
    ...revenueLines(figures, options),
    '',
    `Settlements with unknown outcome: ${unknown.length}`,
    ...listed(unknown, ({ settlingAtMs, leadId, transaction, why }) => [
      `${ageOf(nowMs - (settlingAtMs ?? nowMs))} old`,
      leadId === null ? '' : `lead ${leadId}`,
      transaction ?? 'no transaction known',
      why ?? 'in progress',
    ]),
    ...auditLines(figures),
    '',
    `Refunds of the guarantee: ${due.calls} due (${dollars(due.atomic)}), ${paid.calls} paid (${dollars(paid.atomic)})`,
    '',
    `Leads: ${claims.sold} sold, ${claims.settling} settling, ${claims.reserved} reserved`,
    '',
    `Sold but never sent completely: ${notDelivered.length}` +
      (notDelivered.length === 0 ? '' : ' (their buyers can collect them)'),
    ...listed(notDelivered, ({ endedAtMs }) => [`${ageOf(nowMs - (endedAtMs ?? nowMs))} ago`]),
  ];
}
