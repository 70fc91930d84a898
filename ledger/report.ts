/** `make ledger`: what was earned and what somebody should look at, on one screen. */
import { differencesOf, type Difference } from './differences.ts';
import type { Ledger, Purchase } from './ledger.ts';
import type { AuditState, TransferKind } from './transfers.ts';

const DAY_MS = 86_400_000;
/** Lines of a list before the rest is only counted. */
const MOST_LINES = 10;
/** Atomic units in a dollar of USDC. */
const UNITS = 1_000_000n;

export interface Figures {
  /** Sold purchases by day (UTC) and endpoint, the newest day first. */
  readonly sales: readonly {
    readonly day: string;
    readonly route: string;
    readonly calls: number;
    readonly atomic: bigint;
  }[];
  /** Purchases that are settling, the oldest first. */
  readonly unknown: readonly Purchase[];
  readonly claims: Readonly<Record<'reserved' | 'settling' | 'sold', number>>;
  /** Sold purchases of which no answer was ever sent to its last byte, the oldest first. */
  readonly notDelivered: readonly Purchase[];
  readonly purchases: Readonly<Record<Purchase['state'], number>>;
  /** The audit of incoming transfers: the newest account's state, all booked transfers by kind, and what does not add up. */
  readonly audit: {
    readonly state: AuditState | null;
    readonly booked: Readonly<Record<TransferKind, { readonly count: number; readonly atomic: bigint }>>;
    readonly differences: readonly Difference[];
    readonly pause: Awaited<ReturnType<Ledger['exclusivePause']>>;
  };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What the audit booked. */
async function auditOf(ledger: Ledger): Promise<Figures['audit']> {
  const none = { count: 0, atomic: 0n };
  const booked: Record<TransferKind, { count: number; atomic: bigint }> = {
    matched: none,
    made_good: none,
    owed: none,
    no_purchase: none,
  };
  for await (const { kind, amount } of ledger.transfers(null))
    booked[kind] = { count: booked[kind].count + 1, atomic: booked[kind].atomic + amount };
  const [state = null] = await ledger.audits();
  return { state, booked, differences: await differencesOf(ledger, null), pause: await ledger.exclusivePause() };
}

/** Read the whole ledger once. */
export async function figuresOf(ledger: Ledger): Promise<Figures> {
  const sales = new Map<string, { day: string; route: string; calls: number; atomic: bigint }>();
  const [unknown, sold] = [[] as Purchase[], new Map<string, Purchase>()];
  const claims = { reserved: 0, settling: 0, sold: 0 };
  const purchases = { reserved: 0, settling: 0, sold: 0, released: 0 };
  for await (const purchase of ledger.purchases()) {
    const { state, route, endedAtMs, payment, leadId } = purchase;
    purchases[state] += 1;
    if (leadId !== null && state !== 'released') claims[state] += 1;
    if (state === 'settling') unknown.push(purchase);
    if (state !== 'sold') continue;
    sold.set(purchase.id, purchase);
    const day = dayOf(endedAtMs ?? purchase.reservedAtMs);
    const sale = sales.get(`${day} ${route}`) ?? { day, route, calls: 0, atomic: 0n };
    sales.set(`${day} ${route}`, { ...sale, calls: sale.calls + 1, atomic: sale.atomic + payment.amount });
  }
  for await (const { purchaseId, complete } of ledger.deliveries()) if (complete) sold.delete(purchaseId);
  return {
    sales: [...sales.values()].sort((a, b) =>
      a.day === b.day ? (a.route < b.route ? -1 : 1) : a.day < b.day ? 1 : -1,
    ),
    unknown: unknown.sort((a, b) => (a.settlingAtMs ?? 0) - (b.settlingAtMs ?? 0)),
    claims,
    purchases,
    notDelivered: [...sold.values()],
    audit: await auditOf(ledger),
  };
}

/** Atomic units as dollars, with six decimals only where two do not tell all of it. */
export function dollars(atomic: bigint): string {
  const [whole, rest] = [atomic / UNITS, String(atomic % UNITS).padStart(6, '0')];
  return `$${whole}.${rest.endsWith('0000') ? rest.slice(0, 2) : rest}`;
}

const ageOf = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return `${Math.max(0, minutes)} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
};

/** Lines of cells in columns, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row.map((cell, i) => (/^[\d$]/.test(cell) && i > 0 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join('  ')}`.trimEnd(),
  );
}

const firstOf = (lines: readonly string[]): string[] =>
  lines.length <= MOST_LINES ? [...lines] : [...lines.slice(0, MOST_LINES), `  and ${lines.length - MOST_LINES} more`];

const PAUSES = {
  restored_not_audited: 'paused: the ledger was restored, and transfers made before are not all booked yet',
  restored_transfers_owed: 'paused: the ledger was restored, and transfers made before are owed',
} as const;

/** Lines on the audit of incoming transfers. */
function auditLines({ state, booked, differences, pause }: Figures['audit']): string[] {
  const through = state?.throughBlock;
  const text = (kind: TransferKind): string => `${booked[kind].count} (${dollars(booked[kind].atomic)})`;
  return [
    '',
    `Audit of incoming transfers: ${through === null || through === undefined ? 'not made yet' : `through block ${through}, ${differences.length} differences`}`,
    `  matched ${text('matched')}, made good ${text('made_good')}, owed ${text('owed')}, without a purchase ${text('no_purchase')}`,
    ...(pause === null ? [] : [`  exclusive sales are ${PAUSES[pause]}`]),
    ...firstOf(
      columns(
        differences.map((d) =>
          d.kind === 'owed'
            ? [
                'owed',
                dollars(d.transfer.amount),
                `to ${d.transfer.payer}`,
                `${d.transfer.transaction}:${d.transfer.logIndex}`,
              ]
            : [
                'unpaid',
                dollars(d.purchase.payment.amount),
                `by ${d.purchase.payment.payer}`,
                `purchase ${d.purchase.id}`,
              ],
        ),
      ),
    ),
    ...(differences.some(({ kind }) => kind === 'owed')
      ? ['  After a refund: make ledger-refunded TRANSFER=<hash>:<index> REFUND=<hash of the refund>']
      : []),
  ];
}

/** The screen. @param days of revenue to show one by one */
export function linesOf(figures: Figures, place: string, nowMs: number, days: number): string[] {
  const { sales, unknown, claims, notDelivered, purchases } = figures;
  const since = dayOf(nowMs - (days - 1) * DAY_MS);
  const totals = [...new Set(sales.map((s) => s.route))].sort().map((route) => {
    const own = sales.filter((s) => s.route === route);
    return [
      'all',
      route,
      String(own.reduce((n, s) => n + s.calls, 0)),
      dollars(own.reduce((sum, s) => sum + s.atomic, 0n)),
    ];
  });
  const shown = sales.filter((s) => s.day >= since).map((s) => [s.day, s.route, String(s.calls), dollars(s.atomic)]);
  const earned = dollars(sales.reduce((sum, s) => sum + s.atomic, 0n));
  return [
    `Ledger ${place}`,
    `  ${purchases.sold} sold for ${earned}, ${purchases.settling} settling, ${purchases.reserved} reserved, ${purchases.released} released (nobody was charged)`,
    '',
    `Revenue by day and endpoint, ${days === 1 ? 'today' : `the last ${days} days`}`,
    ...(shown.length === 0 ? ['  none'] : columns(shown)),
    ...(totals.length === 0
      ? []
      : [
          '',
          'Revenue by endpoint, since the beginning',
          ...columns([...totals, ['all', 'every endpoint', String(purchases.sold), earned]]),
        ]),
    '',
    `Settlements of unknown outcome: ${unknown.length}`,
    ...firstOf(
      columns(
        unknown.map((p) => [
          p.id,
          p.route,
          dollars(p.payment.amount),
          `${ageOf(nowMs - (p.settlingAtMs ?? nowMs))} old`,
          p.leadId === null ? '' : `lead ${p.leadId}`,
          p.transaction === null ? 'no transaction known' : p.transaction,
          p.why ?? 'its process has not told yet',
        ]),
      ),
    ),
    ...auditLines(figures.audit),
    '',
    `Leads: ${claims.sold} sold, ${claims.settling} being paid for, ${claims.reserved} reserved`,
    '',
    `Sold and never sent to the last byte: ${notDelivered.length}${notDelivered.length === 0 ? '' : ' (their buyers can collect them)'}`,
    ...firstOf(
      columns(
        notDelivered.map((p) => [
          p.id,
          p.route,
          dollars(p.payment.amount),
          `${ageOf(nowMs - (p.endedAtMs ?? nowMs))} ago`,
        ]),
      ),
    ),
  ];
}
