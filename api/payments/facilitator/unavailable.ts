/** A facilitator without a usable reply. The message is safe to publish: it has no URL and no text of the reply. */
export class FacilitatorUnavailable extends Error {
  override readonly name = 'FacilitatorUnavailable';
}
