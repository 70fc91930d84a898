/** Terms under which a source may be read. */

const TERMS_BASES = ['us_government_work', 'open_data', 'public_record', 'permission', 'sandbox_only'] as const;

/** Terms under which a source may be read. A source without them cannot be defined. */
export interface Terms {
  readonly basis: (typeof TERMS_BASES)[number];
  /** One sentence for the operator, including any unknown terms. */
  readonly note: string;
  readonly url?: string;
  /** Why its terms let a reader see an archived page. Default: not shown. Never set it if pages name individuals. */
  readonly showPages?: string;
}

/** Refuse a source that does not state its terms, before any request to its site. */
export function requireTerms(source: { readonly name: string; readonly terms?: Partial<Terms> | undefined }): void {
  const { name, terms } = source;
  if (TERMS_BASES.some((basis) => basis === terms?.basis) && terms?.note?.trim()) return;
  throw new Error(
    `source ${name}: terms is ${JSON.stringify(terms ?? null)}, ` +
      `expected a basis (${TERMS_BASES.join(', ')}) and a note on the terms under which it may be read`,
  );
}
