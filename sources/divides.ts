/**
 * How a large page is divided into parts that workers parse in parallel. The result for a row must not depend on the
 * other rows of its page.
 */
export interface Divides {
  /** Kinds of such pages. */
  readonly kinds: readonly string[];
  /**
   * Offsets at which to cut the bytes of a page into `parts` parts, none within a row: the end of its head, which each
   * part gets, then the end of each part. Part k ends with the row that contains byte (k + 1) * length / parts.
   */
  cuts(bytes: Uint8Array, parts: number): readonly number[];
}
