/** The ledger's tables for analysts, without identifier hashes, signatures and answers. */
import { defineRecord, flag, instant, integer, oneOf, text, type RowOf } from '../lib/record.ts';
import type { Delivery, Purchase } from './ledger.ts';

const STATES = ['reserved', 'settling', 'sold', 'released'] as const;

export const PurchaseRow = defineRecord('purchases', 'One row per purchase: one payment used for one call.', ['id'], {
  id: text('Receipt id.'),
  state: oneOf(
    STATES,
    'reserved: the answer is being built; settling: sent for settlement, outcome not known yet; sold; ' +
      'released: certainly nobody was charged.',
  ),
  route: text('Priced endpoint.'),
  request: text('Path and query of the request.'),
  snapshot_id: text('Snapshot that answered the request.'),
  amount_atomic: text('Price in atomic units of the asset; one USDC is 1,000,000. Cast it to HUGEINT before adding.'),
  network: text('CAIP-2 name of the network.'),
  asset: text('Address of the token.'),
  payer: text('Address that paid.'),
  pay_to: text('Receiving address.'),
  nonce: text('Nonce of the authorization.'),
  valid_before: text('Unix second from which it could no longer be settled.'),
  transaction_hash: text('Transaction that paid; of a settling purchase, the one that the facilitator named.', {
    absent: 'no transaction is known',
  }),
  chain: text('Identity of the chain: the hash of its block 0, after the name of a network other than Base.', {
    absent: 'an older version sold it',
  }),
  block: integer('Block of the payment.', { absent: 'it is not sold, or an older version sold it' }),
  why: text('Why the outcome is not known, or why the purchase was released.', {
    absent: 'the outcome is known, and the purchase was not released',
  }),
  lead_id: text('Claimed lead.', { absent: 'no lead was claimed' }),
  answer_sha256: text("SHA-256 of the answer's body.", { absent: 'the answer was not built yet' }),
  reserved_at: instant('When the payment was verified and reserved.'),
  settling_at: instant('When it was sent for settlement.', { absent: 'it was not sent' }),
  ended_at: instant('When it was sold or released.', { absent: 'it has not ended' }),
});

export const ClaimRow = defineRecord('claims', 'One row per lead that is claimed by a purchase.', ['lead_id'], {
  lead_id: text('Id of the lead.'),
  purchase_id: text('Receipt id of the purchase.'),
  state: oneOf(['reserved', 'settling', 'sold'], 'State of the purchase.'),
  property_keys: text('Keys of its property, which no other purchase has, separated by |.', {
    absent: 'an older version claimed the lead, and no snapshot has shown its property since',
  }),
});

export const DeliveryRow = defineRecord(
  'deliveries',
  'One row per sent answer, including repeated deliveries.',
  ['number'],
  {
    number: integer('Position in the order of recording, from 1.'),
    purchase_id: text('Receipt id of the purchase.'),
    kind: oneOf(
      ['first', 'identifier', 'wallet'],
      'first: the answer to the paid call; identifier, wallet: collected again with that proof.',
    ),
    sent_at: instant('When it was sent.'),
    complete: flag('Whether the last byte was handed to the network.'),
  },
);

const instantOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instantOf(ms));

export const purchaseRow = (p: Purchase): RowOf<typeof PurchaseRow> => ({
  id: p.id,
  state: p.state,
  route: p.route,
  request: p.request,
  snapshot_id: p.snapshotId,
  amount_atomic: String(p.payment.amount),
  network: p.payment.network,
  asset: p.payment.asset,
  payer: p.payment.payer,
  pay_to: p.payment.payTo,
  nonce: p.payment.nonce,
  valid_before: String(p.payment.validBefore),
  transaction_hash: p.transaction,
  chain: p.chain,
  block: p.block === null ? null : Number(p.block),
  why: p.why,
  lead_id: p.leadId,
  answer_sha256: p.answerSha256,
  reserved_at: instantOf(p.reservedAtMs),
  settling_at: instantOrNull(p.settlingAtMs),
  ended_at: instantOrNull(p.endedAtMs),
});

/** The claim of a purchase; null if it has no lead. */
export const claimRow = (p: Purchase): RowOf<typeof ClaimRow> | null =>
  p.leadId === null || p.state === 'released'
    ? null
    : {
        lead_id: p.leadId,
        purchase_id: p.id,
        state: p.state,
        property_keys: p.properties.length === 0 ? null : p.properties.join('|'),
      };

export const deliveryRow = (d: Delivery, number: number): RowOf<typeof DeliveryRow> => ({
  number,
  purchase_id: d.purchaseId,
  kind: d.kind,
  sent_at: instantOf(d.atMs),
  complete: d.complete,
});
