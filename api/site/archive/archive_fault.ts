/** Why an archived page cannot be shown, in words for readers. */

/** Largest object that is read. */
export const MAX_STORED_BYTES = 4 * 1024 * 1024;

export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
  readonly kind: 'missing' | 'damaged';
  /** @param options cause, for the log of the server */
  constructor(kind: ArchiveFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export const tooLarge = (): ArchiveFault =>
  new ArchiveFault('missing', `These bytes are not served, because they exceed ${MAX_STORED_BYTES / 2 ** 20} MiB.`);

export const wrongHash = (options?: ErrorOptions): ArchiveFault =>
  new ArchiveFault('damaged', 'The archived bytes no longer have this SHA-256, so they are not shown.', options);
