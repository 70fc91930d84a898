/**
 * The freshness guarantee of leads and reports: if a later snapshot dates the end of what was sold before the day of
 * the sale, the price is due back. docs/payments.md says what it covers.
 */
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import { DAY_MS, dayOf } from '../../lib/time.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import { CSV } from './list/csv.ts';
import { routeKey, type Promised, type Route } from './define.ts';
import type { Snapshots } from '../serving/follow.ts';
import type { Snapshot } from '../serving/open.ts';

/** Days after a sale in which a snapshot can show the end. */
const GUARANTEE_DAYS = 14;
/** Ended records in a proof, which is a response header. */
const MAX_PROVEN = 4;

/** Families of the sources that show it. */
const FAMILIES: Readonly<Record<Promised, readonly string[]>> = {
  debt_open: ['tax'],
  sale_scheduled: ['auctions'],
  listing_active: ['listings'],
};

/** The terms, as the signed receipt states them. */
const TERMS =
  `Due back if, within ${GUARANTEE_DAYS} days, a page dates the end (debt paid, sale called off, off the market) ` +
  'before the day of sale; of a list, the ended part.';

/** The terms of a route's sales; null without a guarantee. */
export const refundTermsOf = ({ guarantees }: Pick<Route, 'guarantees'>): string | null =>
  guarantees === undefined ? null : TERMS;

/** The guarantee in a 402: what must still be true, and when the sources that show it were last read. */
export function guaranteeOf({ guarantees }: Pick<Route, 'guarantees'>, { manifest }: Pick<Snapshot, 'manifest'>) {
  if (guarantees === undefined) return {};
  const must_hold = guarantees.map((promised) => {
    const reads = manifest.sources
      .flatMap(({ family, last_good_at: at }) => (at !== null && FAMILIES[promised].includes(family) ? [at] : []))
      .sort();
    return { what: promised, last_read: { oldest: reads.at(0) ?? null, newest: reads.at(-1) ?? null } };
  });
  return { guarantee: { must_hold, refund: TERMS } };
}

/** An ended lead or deal: a row of `endings`. */
interface Ending {
  readonly id: string;
  readonly found_on: string;
  readonly ended_on: string;
  readonly [field: string]: unknown;
}

const dayOfSnapshot = ({ snapshotId }: Purchase): string => snapshotId.slice(0, 10);

/** Whether it had ended before the day of a sale, and the sold snapshot did not have its end yet. */
function isBefore({ ended_on, found_on }: Ending, purchase: Purchase, { data_clock }: ServedManifest): boolean {
  const soldOn = data_clock === 'live' ? dayOf(purchase.endedAtMs ?? purchase.reservedAtMs) : dayOfSnapshot(purchase);
  return ended_on < soldOn && dayOfSnapshot(purchase) < found_on;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Ids in what was sold, and the number of its records. An id of a lead or a deal names nothing else. */
async function soldIn(ledger: Ledger, purchase: Purchase): Promise<{ ids: Iterable<string>; of: number }> {
  if (purchase.leadId !== null) return { ids: [purchase.leadId], of: 1 };
  const path = purchase.request.split('?')[0] ?? '';
  const inPath = path.match(UUID);
  if (inPath) return { ids: inPath, of: 1 };
  const answer = await ledger.answerOf(purchase.id);
  if (!answer) return { ids: [], of: 1 };
  const text = Buffer.from(answer.body).toString();
  const isCsv = answer.headers['Content-Type']?.startsWith(CSV) === true;
  const count = isCsv ? answer.headers['Count'] : (JSON.parse(text) as { count?: number }).count;
  return { ids: new Set(text.match(UUID)), of: Number(count) };
}

const proven = ({ id, reason, ended_on, ended_basis, ...row }: Ending) => ({
  id,
  reason,
  ended_on,
  ended_basis,
  open: { url: row['open_url'], sha256: row['open_sha256'], read_at: row['open_at'] },
  end: { url: row['source_url'], sha256: row['page_sha256'], read_at: row['read_at'] },
});

/**
 * Book the refunds that a snapshot shows to be due. Every server may, at any time: each is booked once.
 * @returns how many this call booked
 */
export async function bookRefunds(
  ledger: Ledger,
  snapshot: Pick<Snapshot, 'all' | 'manifest'>,
  { routes, nowMs }: { readonly routes: readonly Route[]; readonly nowMs: number },
): Promise<number> {
  const endings = new Map((snapshot.all('endings') as Ending[]).map((ending) => [ending.id, ending]));
  const latest = [...endings.values()].map((ending) => ending.found_on).reduce((a, b) => (a > b ? a : b), '');
  const keys = routes.filter(({ guarantees }) => guarantees !== undefined).map(routeKey);
  let booked = 0;
  if (endings.size === 0) return booked;
  for await (const purchase of ledger.refundable(keys, nowMs - GUARANTEE_DAYS * DAY_MS)) {
    if (dayOfSnapshot(purchase) >= latest) continue;
    const { ids, of } = await soldIn(ledger, purchase);
    const ended = [...ids]
      .flatMap((id) => endings.get(id) ?? [])
      .filter((ending) => isBefore(ending, purchase, snapshot.manifest));
    if (ended.length === 0) continue;
    const [part, whole] = [BigInt(ended.length), BigInt(of)];
    const amount = (purchase.payment.amount * part + whole - 1n) / whole;
    const proof = JSON.stringify({ ended: ended.length, of, records: ended.slice(0, MAX_PROVEN).map(proven) });
    if (await ledger.bookRefund(purchase.id, { amount, proof })) booked += 1;
  }
  return booked;
}

/** How often a new snapshot is looked for, and a booking that failed is repeated. */
const EVERY_MS = 10_000;

/** Book refunds of each snapshot that serves. @returns stops it */
export function watchRefunds(
  ledger: Ledger,
  snapshots: Pick<Snapshots, 'acquire'>,
  {
    routes,
    nowMs,
    report,
  }: {
    readonly routes: readonly Route[];
    readonly nowMs: () => number;
    readonly report: (event: { readonly refunds: number }) => void;
  },
): () => Promise<void> {
  let done: string | undefined;
  let running = Promise.resolve();
  const pass = async (): Promise<void> => {
    try {
      using lease = snapshots.acquire();
      if (!lease || lease.snapshot.id === done) return;
      const booked = await bookRefunds(ledger, lease.snapshot, { routes, nowMs: nowMs() });
      done = lease.snapshot.id;
      if (booked > 0) report({ refunds: booked });
    } catch {
      // The next pass repeats it; /health names a ledger that is unavailable.
    }
  };
  const start = (): void => void (running = running.then(pass));
  start();
  const timer = setInterval(start, EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
