/** Reasons for the differences between the payment layer and the official Express middleware. */

/** The reason for each difference, by situation. */
export const BECAUSE: Record<string, string> = {
  'any answer that is sold':
    'A paid answer has a receipt and can be collected again; the digest and no-transform protect its bytes.',
  'wrong amount': 'The refusal is the same. The cause is a code, never the text of a library.',
  'wrong network': 'The same.',
  'wrong recipient': 'The same.',
  'malformed header': 'The error code says that the header cannot be parsed.',
  replayed:
    'The payment is refused as used, before the handler runs and the facilitator is called. ' +
    '(The charge is that of the first use.)',
  'concurrent replays': 'One payment runs the handler once; the copies get "in progress", not "invalid".',
  'copies of a payment, a facilitator that gives the same reply to each':
    'One payment buys one answer, independent of the facilitator.',
  'HEAD without a payment': 'HEAD runs the handler of GET, so it requires payment like GET.',
  'HEAD with a payment': 'An answer without a body is not sold.',
  'a payment that stays valid for ten years': 'Someone could hold it back and settle it at any time.',
  'unavailable verification': 'The payment may be valid, so the buyer can send it again; it is not called invalid.',
  'settled, and the reply was lost':
    'The chain shows the payment, so the buyer gets the answer, independent of the facilitator.',
  'a settlement that is still pending':
    'Pending is not failure. The outcome is unknown until the chain shows the payment; then the answer can be ' +
    'collected. (This payment is never settled, so nobody is charged.)',
  'a settlement that is refused':
    'A refusal proves nothing: the transfer may still arrive. The outcome is unknown until the chain shows it. ' +
    '(This payment is never settled, so nobody is charged.)',
  'a caller that names another host': 'The URL of the resource is the configured one, independent of the request.',
  'a browser': 'The application, not the payment layer, decides the format of a refusal.',
};
