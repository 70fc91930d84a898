/** `make ledger`: revenue, unresolved settlements and differences, on one screen. */
import { atomicOf, dollarsOf, usdOf } from '../lib/network.ts';
import { DAY_MS, dayOf } from '../lib/time.ts';
import { differencesOf, type Difference } from './differences.ts';
import type { ExclusivePause, Ledger, Purchase } from './ledger.ts';

/** Lines of a list; the rest is only counted. */
const MAX_LINES = 10;

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
const sumOf = (parts: readonly { readonly amount: bigint }[]): bigint =>
  parts.reduce((sum, { amount }) => sum + amount, 0n);
const revenueOf = (sold: readonly Purchase[]): bigint => sumOf(sold.map(({ payment }) => payment));
const paymentKey = ({ payer, nonce }: { readonly payer: string; readonly nonce: string | null }): string =>
  `${payer} ${nonce}`;

/** Atomic units as "$0.05", with six decimals only if two would not be exact. */
const dollars = (atomic: bigint): string => `$${dollarsOf(atomic).replace(/0000$/, '')}`;

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

const firstLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `  and ${lines.length - MAX_LINES} more`];

/** A list of purchases with these cells. */
const listed = (purchases: readonly Purchase[], cells: (purchase: Purchase) => readonly string[]): readonly string[] =>
  firstLines(columns(purchases.map((p) => [p.id, p.route, dollars(p.payment.amount), ...cells(p)])));

const PAUSES: Readonly<Record<ExclusivePause, string>> = {
  restored_not_audited: 'paused: the ledger was restored, and not all earlier transfers are recorded yet',
  restored_transfers_owed: 'paused: the ledger was restored, and earlier transfers are owed',
};

/** All that is known of a difference. @param released by payer and nonce */
function differenceRow(difference: Difference, released: ReadonlyMap<string, Purchase>): readonly string[] {
  if (difference.kind === 'unpaid') {
    const { id, payment } = difference.purchase;
    return ['unpaid', dollars(payment.amount), `by ${payment.payer}`, `purchase ${id}`];
  }
  const { amount, payer, nonce, transaction, logIndex, block } = difference.transfer;
  const purchase = released.get(paymentKey(difference.transfer));
  const lead = purchase?.leadId ? `, lead ${purchase.leadId}` : '';
  const why = purchase
    ? `purchase ${purchase.id} of ${purchase.request}${lead} was released: ${purchase.why}`
    : 'no purchase has this payment';
  const place = `${transaction}:${logIndex}`;
  return ['owed', dollars(amount), `to ${payer}`, place, `block ${block}, nonce ${nonce}: ${why}`];
}

/** Lines on the audit of incoming transfers. */
async function auditLines(ledger: Ledger, released: readonly Purchase[]): Promise<readonly string[]> {
  const transfers = Map.groupBy(await Array.fromAsync(ledger.transfers(null)), ({ kind }) => kind);
  const kinds = (['matched', 'owed', 'resolved', 'dust'] as const).map((kind) => {
    const booked = transfers.get(kind) ?? [];
    return `${kind} ${booked.length} (${dollars(sumOf(booked))})`;
  });
  const differences = await differencesOf(ledger, null);
  const through = (await ledger.audits())[0]?.throughBlock ?? null;
  const progress = through === null ? 'none yet' : `through block ${through}, ${differences.length} differences`;
  const pause = await ledger.exclusivePause();
  const byPayment = new Map(released.map((p) => [paymentKey(p.payment), p]));
  return [
    '',
    `Audit of incoming transfers: ${progress}`,
    `  ${kinds.join(', ')}`,
    ...(pause === null ? [] : [`  exclusive sales are ${PAUSES[pause]}`]),
    ...firstLines(columns(differences.map((each) => differenceRow(each, byPayment)))),
    ...(differences.some(({ kind }) => kind === 'owed') ? ['  Refund them: make ledger REFUNDS=1'] : []),
  ];
}

/** Lines on revenue; totals also less what the settlements cost. */
function revenueLines(sold: readonly Purchase[], { nowMs, days, settlementCost }: ReportOptions): readonly string[] {
  const since = dayOf(nowMs - (days - 1) * DAY_MS);
  const row = (day: string, route: string, some: readonly Purchase[]): readonly string[] => [
    day,
    route,
    String(some.length),
    dollars(revenueOf(some)),
  ];
  const byRoute = (some: readonly Purchase[]): [string, Purchase[]][] =>
    [...Map.groupBy(some, ({ route }) => route)].sort(byName);
  const recent = [...Map.groupBy(sold, (p) => dayOf(p.endedAtMs ?? p.reservedAtMs))].filter(([day]) => day >= since);
  const rows = recent
    .sort(byName)
    .reverse()
    .flatMap(([day, ofDay]) => byRoute(ofDay).map(([route, some]) => row(day, route, some)));
  const totals = [...byRoute(sold), ['every endpoint', sold] as const].map(([route, some]) => {
    const net = revenueOf(some) - BigInt(some.length) * atomicOf(settlementCost);
    return [...row('all', route, some), `$${usdOf(net)} after settlements`];
  });
  return [
    '',
    `Revenue by day and endpoint, ${days === 1 ? 'today' : `the last ${days} days`}`,
    ...(rows.length === 0 ? ['  none'] : columns(rows)),
    ...(sold.length === 0 ? [] : ['', 'Revenue by endpoint, in total', ...columns(totals)]),
  ];
}

export interface ReportOptions {
  readonly nowMs: number;
  /** Days of revenue to list. */
  readonly days: number;
  /** Dollars that one settlement costs. */
  readonly settlementCost: string;
}

/** All lines of the report. @param place of the ledger, as messages show it */
export async function reportLines(ledger: Ledger, place: string, options: ReportOptions): Promise<string[]> {
  const { nowMs } = options;
  const purchases = Map.groupBy(await Array.fromAsync(ledger.purchases()), ({ state }) => state);
  const inState = (state: Purchase['state']): readonly Purchase[] => purchases.get(state) ?? [];
  const [sold, released] = [inState('sold'), inState('released')];
  const settling = inState('settling').toSorted((a, b) => (a.settlingAtMs ?? 0) - (b.settlingAtMs ?? 0));
  const refunds = Map.groupBy(await Array.fromAsync(ledger.refunds()), ({ refund }) => refund.paid === null);
  const refunded = (isDue: boolean, word: string): string => {
    const some = (refunds.get(isDue) ?? []).map(({ refund }) => refund);
    return `${some.length} ${word} (${dollars(sumOf(some))})`;
  };
  const leads = (['sold', 'settling', 'reserved'] as const).map(
    (state) => `${inState(state).filter(({ leadId }) => leadId !== null).length} ${state}`,
  );
  return [
    `Ledger ${place}`,
    `  ${sold.length} sold for ${dollars(revenueOf(sold))}, ${settling.length} settling, ` +
      `${inState('reserved').length} reserved, ${released.length} released (nobody was charged)`,
    ...revenueLines(sold, options),
    '',
    `Settlements with unknown outcome: ${settling.length}`,
    ...listed(settling, ({ settlingAtMs, leadId, transaction, why }) => [
      `${ageOf(nowMs - (settlingAtMs ?? nowMs))} old`,
      leadId === null ? '' : `lead ${leadId}`,
      transaction ?? 'no transaction known',
      why ?? 'in progress',
    ]),
    ...(await auditLines(ledger, released)),
    '',
    `Refunds of the guarantee: ${refunded(true, 'due')}, ${refunded(false, 'paid')}`,
    '',
    `Leads: ${leads.join(', ')}`,
  ];
}
