/** The ledger's tables for analysts, without identifier hashes, signatures and answers. */
import { defineRecord, flag, instant, integer, oneOf, text, type RowOf } from '../lib/record.ts';
import { instantOf } from '../lib/time.ts';
import type { Delivery, Purchase } from './ledger.ts';

const STATES = ['reserved', 'settling', 'sold', 'released'] as const;

export const PurchaseRow = defineRecord('purchases', 'One row per purchase: one payment used for one call.', ['id'], {
  id: text('Receipt id.'),
  state: oneOf(
    STATES,
    'reserved: the answer is being built; settling: sent for settlement, outcome not known yet; sold; ' +
      'released: nobody was charged.',
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
  valid_before: text('Unix second from which the payment could no longer be settled.'),
  transaction_hash: text('Transaction that paid; of a settling purchase, the one that the facilitator named.', {
    absent: 'no transaction is known',
  }),
  chain: text('Identity of the chain: the hash of its block 0, after the name of a network other than Base.', {
    absent: 'an older version sold it',
  }),
  block: integer('Block of the payment.', { absent: 'it is not sold, or an older version sold it' }),
  why: text('Reason why the outcome is unknown or the purchase was released.', {
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
  property_keys: text('Keys of the property of the lead, which no other purchase can claim, separated by |.', {
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

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instantOf(ms));

export const purchaseRow = (purchase: Purchase): RowOf<typeof PurchaseRow> => ({
  id: purchase.id,
  state: purchase.state,
  route: purchase.route,
  request: purchase.request,
  snapshot_id: purchase.snapshotId,
  amount_atomic: String(purchase.payment.amount),
  network: purchase.payment.network,
  asset: purchase.payment.asset,
  payer: purchase.payment.payer,
  pay_to: purchase.payment.payTo,
  nonce: purchase.payment.nonce,
  valid_before: String(purchase.payment.validBefore),
  transaction_hash: purchase.transaction,
  chain: purchase.chain,
  block: purchase.block === null ? null : Number(purchase.block),
  why: purchase.why,
  lead_id: purchase.leadId,
  answer_sha256: purchase.answerSha256,
  reserved_at: instantOf(purchase.reservedAtMs),
  settling_at: instantOrNull(purchase.settlingAtMs),
  ended_at: instantOrNull(purchase.endedAtMs),
});

/** The claim of a purchase; null if it has no lead. */
export const claimRow = (purchase: Purchase): RowOf<typeof ClaimRow> | null =>
  purchase.leadId === null || purchase.state === 'released'
    ? null
    : {
        lead_id: purchase.leadId,
        purchase_id: purchase.id,
        state: purchase.state,
        property_keys: purchase.properties.length === 0 ? null : purchase.properties.join('|'),
      };

export const deliveryRow = (delivery: Delivery, number: number): RowOf<typeof DeliveryRow> => ({
  number,
  purchase_id: delivery.purchaseId,
  kind: delivery.kind,
  sent_at: instantOf(delivery.atMs),
  complete: delivery.isComplete,
});
