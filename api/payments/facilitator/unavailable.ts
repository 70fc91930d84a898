/** Error for a facilitator without a usable reply. The message is safe to publish: our own words, no URL, no reply text. */
export class FacilitatorUnavailable extends Error {
  override readonly name = 'FacilitatorUnavailable';
}
