/** `make ledger`: revenue, unresolved settlements and differences, on one screen. */
import { dollarsOf } from '../lib/network.ts';
import { DAY_MS, dayOf } from '../lib/time.ts';
import { differencesOf, type Difference } from './differences.ts';
import type { ExclusivePause, Ledger, Purchase } from './ledger.ts';
import type { AuditedAccount, AuditState, TransferKind } from './transfers.ts';

/** Lines of a list; the rest is only counted. */
const MAX_LINES = 10;

interface Sales {
  readonly day: string;
  readonly route: string;
  readonly calls: number;
  readonly atomic: bigint;
}

export interface Figures {
  /** Sold purchases by day (UTC) and endpoint, newest day first. */
  readonly sales: readonly Sales[];
  /** Settling purchases, oldest first. */
  readonly unknown: readonly Purchase[];
  readonly claims: Readonly<Record<'reserved' | 'settling' | 'sold', number>>;
  /** Sold purchases whose answer was never sent completely, oldest first. */
  readonly notDelivered: readonly Purchase[];
  readonly purchases: Readonly<Record<Purchase['state'], number>>;
  readonly audit: {
    /** State of each audited account, the one that was audited last first. */
    readonly states: readonly (AuditedAccount & AuditState)[];
    readonly booked: Readonly<Record<TransferKind, { readonly count: number; readonly atomic: bigint }>>;
    readonly differences: readonly Difference[];
    /** Released purchases of owed transfers, by payer and nonce. */
    readonly released: ReadonlyMap<string, Purchase>;
    readonly pause: ExclusivePause | null;
  };
}

async function readAudit(ledger: Ledger): Promise<Omit<Figures['audit'], 'released'>> {
  const none = { count: 0, atomic: 0n };
  const booked: Record<TransferKind, { count: number; atomic: bigint }> = {
    matched: none,
    owed: none,
    resolved: none,
    dust: none,
  };
  for await (const { kind, amount } of ledger.transfers(null))
    booked[kind] = { count: booked[kind].count + 1, atomic: booked[kind].atomic + amount };
  const states = await ledger.audits();
  return { states, booked, differences: await differencesOf(ledger, null), pause: await ledger.exclusivePause() };
}

const byDayThenRoute = (a: Sales, b: Sales): number => {
  if (a.day !== b.day) return a.day < b.day ? 1 : -1;
  return a.route < b.route ? -1 : 1;
};

const paymentKey = ({ payer, nonce }: { readonly payer: string; readonly nonce: string | null }): string =>
  `${payer} ${nonce}`;

/** Read the whole ledger once. */
export async function readFigures(ledger: Ledger): Promise<Figures> {
  const audit = await readAudit(ledger);
  const owed = new Set(audit.differences.flatMap((each) => (each.kind === 'owed' ? [paymentKey(each.transfer)] : [])));
  const released = new Map<string, Purchase>();
  const sales = new Map<string, Sales>();
  const unknown: Purchase[] = [];
  const notDelivered = new Map<string, Purchase>();
  const claims = { reserved: 0, settling: 0, sold: 0 };
  const purchases = { reserved: 0, settling: 0, sold: 0, released: 0 };
  for await (const purchase of ledger.purchases()) {
    const { state, route, endedAtMs, payment, leadId } = purchase;
    purchases[state] += 1;
    if (leadId !== null && state !== 'released') claims[state] += 1;
    if (state === 'settling') unknown.push(purchase);
    if (state === 'released' && owed.has(paymentKey(payment))) released.set(paymentKey(payment), purchase);
    if (state !== 'sold') continue;
    notDelivered.set(purchase.id, purchase);
    const day = dayOf(endedAtMs ?? purchase.reservedAtMs);
    const sale = sales.get(`${day} ${route}`) ?? { day, route, calls: 0, atomic: 0n };
    sales.set(`${day} ${route}`, { ...sale, calls: sale.calls + 1, atomic: sale.atomic + payment.amount });
  }
  for await (const { purchaseId, isComplete } of ledger.deliveries()) if (isComplete) notDelivered.delete(purchaseId);
  return {
    sales: [...sales.values()].sort(byDayThenRoute),
    unknown: unknown.sort((a, b) => (a.settlingAtMs ?? 0) - (b.settlingAtMs ?? 0)),
    claims,
    purchases,
    notDelivered: [...notDelivered.values()],
    audit: { ...audit, released },
  };
}

/** Atomic units as "$0.05", with six decimals only if two would not be exact. */
function dollars(atomic: bigint): string {
  const text = dollarsOf(atomic);
  return `$${text.endsWith('0000') ? text.slice(0, -4) : text}`;
}

const sumOf = (sales: readonly Sales[]): bigint => sales.reduce((sum, { atomic }) => sum + atomic, 0n);

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
function differenceRow(difference: Difference, released: Figures['audit']['released']): readonly string[] {
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
function auditLines({ states, booked, differences, released, pause }: Figures['audit']): string[] {
  const text = (kind: TransferKind): string => `${booked[kind].count} (${dollars(booked[kind].atomic)})`;
  const through = states[0]?.throughBlock ?? null;
  const progress = through === null ? 'none yet' : `through block ${through}, ${differences.length} differences`;
  return [
    '',
    `Audit of incoming transfers: ${progress}`,
    `  matched ${text('matched')}, owed ${text('owed')}, resolved ${text('resolved')}, dust ${text('dust')}`,
    ...(pause === null ? [] : [`  exclusive sales are ${PAUSES[pause]}`]),
    ...firstLines(columns(differences.map((each) => differenceRow(each, released)))),
    ...(differences.some(({ kind }) => kind === 'owed')
      ? ['  After a refund: make ledger REFUNDED=<hash>:<index> REFUND=<hash of the refund>']
      : []),
  ];
}

/** Lines on revenue. @param days of revenue to list */
function revenueLines({ sales, purchases }: Figures, nowMs: number, days: number): string[] {
  const since = dayOf(nowMs - (days - 1) * DAY_MS);
  const recent = sales.filter(({ day }) => day >= since);
  const rowOf = (day: string, route: string, calls: number, atomic: bigint): readonly string[] => [
    day,
    route,
    String(calls),
    dollars(atomic),
  ];
  const totals = [...new Set(sales.map(({ route }) => route))].sort().map((route) => {
    const ofRoute = sales.filter((sale) => sale.route === route);
    return rowOf(
      'all',
      route,
      ofRoute.reduce((sum, { calls }) => sum + calls, 0),
      sumOf(ofRoute),
    );
  });
  const everything = rowOf('all', 'every endpoint', purchases.sold, sumOf(sales));
  return [
    '',
    `Revenue by day and endpoint, ${days === 1 ? 'today' : `the last ${days} days`}`,
    ...(recent.length === 0
      ? ['  none']
      : columns(recent.map(({ day, route, calls, atomic }) => rowOf(day, route, calls, atomic)))),
    ...(totals.length === 0 ? [] : ['', 'Revenue by endpoint, in total', ...columns([...totals, everything])]),
  ];
}

/** All lines of the report. @param days of revenue to list */
export function formatReport(figures: Figures, place: string, nowMs: number, days: number): string[] {
  const { sales, unknown, claims, notDelivered, purchases } = figures;
  return [
    `Ledger ${place}`,
    `  ${purchases.sold} sold for ${dollars(sumOf(sales))}, ${purchases.settling} settling, ` +
      `${purchases.reserved} reserved, ${purchases.released} released (nobody was charged)`,
    ...revenueLines(figures, nowMs, days),
    '',
    `Settlements with unknown outcome: ${unknown.length}`,
    ...firstLines(
      columns(
        unknown.map((purchase) => [
          purchase.id,
          purchase.route,
          dollars(purchase.payment.amount),
          `${ageOf(nowMs - (purchase.settlingAtMs ?? nowMs))} old`,
          purchase.leadId === null ? '' : `lead ${purchase.leadId}`,
          purchase.transaction === null ? 'no transaction known' : purchase.transaction,
          purchase.why ?? 'in progress',
        ]),
      ),
    ),
    ...auditLines(figures.audit),
    '',
    `Leads: ${claims.sold} sold, ${claims.settling} settling, ${claims.reserved} reserved`,
    '',
    `Sold but never sent completely: ${notDelivered.length}` +
      (notDelivered.length === 0 ? '' : ' (their buyers can collect them)'),
    ...firstLines(
      columns(
        notDelivered.map((purchase) => [
          purchase.id,
          purchase.route,
          dollars(purchase.payment.amount),
          `${ageOf(nowMs - (purchase.endedAtMs ?? nowMs))} ago`,
        ]),
      ),
    ),
  ];
}
