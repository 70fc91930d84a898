/** All purchases and deliveries, read page by page. */
import type { Ledger } from '../ledger.ts';
import { asNumber, deliveryOf, FROM_PURCHASES, purchaseOf, PURCHASE_COLUMNS } from './rows.ts';
import type { Store } from './store.ts';

const PAGE_ROWS = 500;

const PURCHASES = `SELECT ${PURCHASE_COLUMNS} ${FROM_PURCHASES}
  WHERE (p.reserved_at_ms, p.id) > ($1, $2) ORDER BY p.reserved_at_ms, p.id LIMIT $3`;
const DELIVERIES = `SELECT number, purchase_id, kind, at_ms, complete FROM deliveries
  WHERE number > $1 ORDER BY number LIMIT $2`;

export const history = (store: Store): Pick<Ledger, 'purchases' | 'deliveries' | 'recordDelivery'> => ({
  async recordDelivery({ purchaseId, kind, atMs, isComplete }) {
    await store.write((query) =>
      query(
        'INSERT INTO deliveries (purchase_id, kind, at_ms, complete) VALUES ($1, $2, $3, $4)',
        purchaseId,
        kind,
        atMs,
        isComplete ? 1 : 0,
      ),
    );
  },

  async *purchases() {
    let [atMs, id] = [Number.MIN_SAFE_INTEGER, ''];
    for (;;) {
      const page = (await store.read(PURCHASES, atMs, id, PAGE_ROWS)).map(purchaseOf);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE_ROWS) return;
      [atMs, id] = [last.reservedAtMs, last.id];
    }
  },

  async *deliveries() {
    let number = 0;
    for (;;) {
      const page = await store.read(DELIVERIES, number, PAGE_ROWS);
      yield* page.map(deliveryOf);
      const last = page.at(-1);
      if (!last || page.length < PAGE_ROWS) return;
      number = asNumber(last['number']);
    }
  },
});
