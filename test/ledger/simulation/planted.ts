/** The parts of the server that the simulation runs, and copies of them whose source was changed. */
import { registerHooks } from 'node:module';
import { auditPass } from '../../../api/payments/audit/audit.ts';
import { reconcile } from '../../../api/payments/audit/watchers.ts';
import { checkPayer } from '../../../api/payments/chain/payer_check.ts';
import { paymentChain, type PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { sell } from '../../../api/payments/sale.ts';
import type { Ledger, Payment, Purchase } from '../../../ledger/ledger.ts';
import { sqlLedger } from '../../../ledger/sql/sql_ledger.ts';
import { plantInto, type PlantedChange } from '../planted_change.ts';

const sources = { sell, reconcile, auditPass, checkPayer, paymentChain, sqlLedger };

export interface Request {
  readonly route: string;
  readonly request: string;
  readonly payment: Payment;
  readonly identifierHash: string | null;
  readonly signature: string;
}

/** A planted fault replaces some of them. */
export type Parts = typeof sources & {
  /** Methods of the ledger to replace. */
  readonly ledger: (ledger: Ledger) => Partial<Ledger>;
  /** The chain as a process sees it. */
  readonly evidence: (chain: PaymentChain, nowMs: () => number) => PaymentChain;
  readonly mayCollect: (purchase: Purchase, request: Request) => boolean;
};

export const realParts: Parts = {
  ...sources,
  ledger: () => ({}),
  evidence: (chain) => chain,
  // As in api/payments/paid_request.ts. The signature does not suffice, because it is public.
  mayCollect: (purchase, { identifierHash, payment, route, request }) =>
    identifierHash !== null &&
    purchase.identifierHash === identifierHash &&
    purchase.payment.payer === payment.payer &&
    purchase.route === route &&
    purchase.request === request,
};

const ROOT = new URL('../../../', import.meta.url).href;
const FILES: Readonly<Record<keyof typeof sources, string>> = {
  sell: 'api/payments/sale.ts',
  reconcile: 'api/payments/audit/watchers.ts',
  auditPass: 'api/payments/audit/audit.ts',
  checkPayer: 'api/payments/chain/payer_check.ts',
  paymentChain: 'api/payments/chain/payment_chain.ts',
  sqlLedger: 'ledger/sql/sql_ledger.ts',
};
/** Files that may be changed, and those that import them. All others are shared: their classes must be identical. */
const COPIED = [
  ...Object.values(FILES),
  ...['holds', 'purchases', 'transfer_book'].map((name) => `ledger/sql/${name}.ts`),
];
/** Changes by the number of the copy. */
const copies = new Map<string, readonly PlantedChange[]>();

function splitUrl(url = ''): { readonly file: string; readonly copy: string | undefined } {
  const [path = '', copy] = url.split('?copy=');
  return { file: path.startsWith(ROOT) ? path.slice(ROOT.length) : '', copy };
}

const hook = (): unknown =>
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const { copy } = splitUrl(context.parentURL);
      const isCopied = copy !== undefined && COPIED.includes(splitUrl(resolved.url).file);
      return isCopied ? { ...resolved, url: `${resolved.url}?copy=${copy}` } : resolved;
    },
    load(url, context, next) {
      const { file, copy = '' } = splitUrl(url);
      const changes = copies.get(copy)?.filter((change) => change.file === file) ?? [];
      return plantInto(next(url, context), changes);
    },
  });

/** The real parts with these changes. @throws if a place does not occur exactly once */
export async function planted(...changes: readonly PlantedChange[]): Promise<Parts> {
  if (copies.size === 0) hook();
  const copy = String(copies.size + 1);
  copies.set(copy, changes);
  const unknown = changes.find(({ file }) => !COPIED.includes(file));
  if (unknown) throw new Error(`${unknown.file} is not among the copied files`);
  const parts: Record<string, unknown> = { ...realParts };
  for (const [name, file] of Object.entries(FILES))
    parts[name] = ((await import(`${ROOT}${file}?copy=${copy}`)) as Readonly<Record<string, unknown>>)[name];
  return parts as Parts;
}
