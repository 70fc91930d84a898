/** The server's parts with one place of their sources changed, loaded beside the real ones. */
import { registerHooks } from 'node:module';
import type * as audit from '../../../api/payments/audit/audit.ts';
import type * as chain from '../../../api/payments/chain/payment_chain.ts';
import type * as payer from '../../../api/payments/chain/payer_check.ts';
import type * as reconcile from '../../../api/payments/audit/reconcile.ts';
import type * as sale from '../../../api/payments/sale.ts';
import type * as ledger from '../../../ledger/sql/sql_ledger.ts';
import { realParts, type Parts } from './parts.ts';

export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const ROOT = new URL('../../../', import.meta.url);
/** Files that a change may be made in, and those between them and the parts. The others are shared: their classes must stay the same. */
const COPIED = [
  'api/payments/sale.ts',
  'api/payments/audit/reconcile.ts',
  'api/payments/audit/audit.ts',
  'api/payments/chain/payer_check.ts',
  'api/payments/chain/payment_chain.ts',
  'api/payments/chain/evidence.ts',
  'ledger/sql/sql_ledger.ts',
  'ledger/sql/payer_limits.ts',
  'ledger/sql/sql_transfers.ts',
];
const copies = new Map<string, readonly Change[]>();

const splitUrl = (url: string): { readonly file: string; readonly copy: string | null } => ({
  file: url.startsWith(ROOT.href) ? url.slice(ROOT.href.length).replace(/\?.*$/, '') : '',
  copy: /\?copy=(\d+)$/.exec(url)?.[1] ?? null,
});

function changed(source: string, changes: readonly Change[]): string {
  let result = source;
  for (const { file, from, to } of changes) {
    if (result.split(from).length !== 2) {
      throw new Error(`${file} no longer has exactly one ${JSON.stringify(from)}: plant this fault anew`);
    }
    result = result.replace(from, () => to);
  }
  return result;
}

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
      const changes = (copies.get(copy ?? '') ?? []).filter((c) => c.file === file);
      if (changes.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
      return {
        ...loaded,
        source: changed(
          typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8'),
          changes,
        ),
      };
    },
  });
}

/** @throws where a place is not there any more */
export async function planted(...changes: readonly Change[]): Promise<Parts> {
  hook();
  const copy = String(copies.size + 1);
  copies.set(copy, changes);
  const unknown = changes.find(({ file }) => !COPIED.includes(file));
  if (unknown) throw new Error(`${unknown.file} is not among the files that are copied`);
  const load = async <T>(file: string): Promise<T> => (await import(`${new URL(file, ROOT).href}?copy=${copy}`)) as T;
  const { sell } = await load<typeof sale>('api/payments/sale.ts');
  const { auditPass } = await load<typeof audit>('api/payments/audit/audit.ts');
  const { checkPayer } = await load<typeof payer>('api/payments/chain/payer_check.ts');
  const { paymentChain } = await load<typeof chain>('api/payments/chain/payment_chain.ts');
  const parts = await load<typeof reconcile>('api/payments/audit/reconcile.ts');
  const { ledgerInSql } = await load<typeof ledger>('ledger/sql/sql_ledger.ts');
  return { ...realParts, sell, auditPass, checkPayer, paymentChain, reconcile: parts.reconcile, ledgerInSql };
}
