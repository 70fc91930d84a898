/** Why the payment layer differs from the official Express middleware, for docs/payments.md. */

/** Why each situation is answered otherwise. */
export const BECAUSE: Record<string, string> = {
  'any answer that is sold':
    'What was paid for has a receipt and can be collected again; nobody on the way may change its bytes.',
  'wrong amount': 'The same refusal. What is wrong is a code, never the text of a library.',
  'wrong network': 'The same.',
  'wrong recipient': 'The same.',
  'malformed header': 'A header that cannot be read is said to be that.',
  replayed:
    'Refused as used, before the handler runs and the facilitator is asked. (The charge is that of the first use.)',
  'concurrent replays':
    'One payment runs the handler once; the copies are told that it is in use, not that it is invalid.',
  'copies of a payment, a facilitator that answers the same to each':
    'One payment buys one answer, whatever the facilitator says.',
  'HEAD without a payment': 'HEAD runs the handler of GET: it is asked to pay like GET.',
  'HEAD with a payment': 'An answer without a body is not sold.',
  'a payment that stays valid for ten years': 'It could be held back and settled at any time.',
  'verification cannot be asked for': 'The payment may be good: it is to be sent again, and is not called invalid.',
  'settled, and the reply was lost':
    'The chain shows the payment, whatever the facilitator says: the buyer gets what was paid for.',
  'a settlement that is still pending':
    'Pending is not failure. The chain does not show the payment yet, so the outcome is not known; once it shows ' +
    'it, the answer can be collected. (This one is never settled, so nobody is charged.)',
  'a settlement that is refused':
    'A refusal proves nothing: the transfer may still arrive. The outcome is not known until the chain shows it. ' +
    '(This one is never settled, so nobody is charged.)',
  'a caller that names another host': 'The address of the resource is the configured one, whatever the request says.',
  'a browser': "The form of a refusal is the application's, not the layer's.",
};
