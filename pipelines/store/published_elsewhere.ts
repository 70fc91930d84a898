/** Another host changed the store first. The message is one line. */
export class PublishedElsewhere extends Error {
  override readonly name = 'PublishedElsewhere';
}
