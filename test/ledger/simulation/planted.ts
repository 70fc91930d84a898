/** Loads copies of the server's parts whose source was changed, next to the real ones. */
import { registerHooks } from 'node:module';
import type * as audit from '../../../api/payments/audit/audit.ts';
import type * as reconcile from '../../../api/payments/audit/reconcile.ts';
import type * as payer from '../../../api/payments/chain/payer_check.ts';
import type * as chain from '../../../api/payments/chain/payment_chain.ts';
import type * as sale from '../../../api/payments/sale.ts';
import type * as ledger from '../../../ledger/sql/sql_ledger.ts';
import { plantInto, type PlantedChange } from '../planted_change.ts';
import { realParts, type Parts } from './parts.ts';

const ROOT = new URL('../../../', import.meta.url);
/**
 * Files that may be changed, and the files that import them. All others are shared: their classes must be identical.
 */
const COPIED = [
  'api/payments/sale.ts',
  'api/payments/audit/reconcile.ts',
  'api/payments/audit/audit.ts',
  'api/payments/chain/payer_check.ts',
  'api/payments/chain/payment_chain.ts',
  'api/payments/chain/evidence.ts',
  'ledger/sql/sql_ledger.ts',
  'ledger/sql/lead_claims.ts',
  'ledger/sql/match_transfer.ts',
  'ledger/sql/payer_limits.ts',
  'ledger/sql/reservations.ts',
  'ledger/sql/restore_mark.ts',
  'ledger/sql/settlements.ts',
  'ledger/sql/transfer_book.ts',
  'ledger/sql/upkeep.ts',
];
/** Changes by the number of the copy. */
const copies = new Map<string, readonly PlantedChange[]>();

const splitUrl = (url: string): { readonly file: string; readonly copy: string | null } => ({
  file: url.startsWith(ROOT.href) ? url.slice(ROOT.href.length).replace(/\?.*$/, '') : '',
  copy: /\?copy=(\d+)$/.exec(url)?.[1] ?? null,
});

let isHooked = false;
function hook(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const { copy } = splitUrl(context.parentURL ?? '');
      return copy !== null && COPIED.includes(splitUrl(resolved.url).file)
        ? { ...resolved, url: `${resolved.url}?copy=${copy}` }
        : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const { file, copy } = splitUrl(url);
      const changes = (copies.get(copy ?? '') ?? []).filter((change) => change.file === file);
      return plantInto(loaded, changes);
    },
  });
}

/** The real parts with these changes. @throws if a place does not occur exactly once */
export async function planted(...changes: readonly PlantedChange[]): Promise<Parts> {
  hook();
  const copy = String(copies.size + 1);
  copies.set(copy, changes);
  const unknown = changes.find(({ file }) => !COPIED.includes(file));
  if (unknown) throw new Error(`${unknown.file} is not among the copied files`);
  const load = async <T>(file: string): Promise<T> => (await import(`${new URL(file, ROOT).href}?copy=${copy}`)) as T;
  const { sell } = await load<typeof sale>('api/payments/sale.ts');
  const { auditPass } = await load<typeof audit>('api/payments/audit/audit.ts');
  const { checkPayer } = await load<typeof payer>('api/payments/chain/payer_check.ts');
  const { paymentChain } = await load<typeof chain>('api/payments/chain/payment_chain.ts');
  const parts = await load<typeof reconcile>('api/payments/audit/reconcile.ts');
  const { sqlLedger } = await load<typeof ledger>('ledger/sql/sql_ledger.ts');
  return { ...realParts, sell, auditPass, checkPayer, paymentChain, reconcile: parts.reconcile, sqlLedger };
}
