/** A page of a read without its bytes: they are opened where they are parsed. */
import type { Page } from '../../sources/contract.ts';

export interface ReadPage extends Pick<Page, 'kind' | 'url' | 'context' | 'sha256' | 'observedAt'> {
  /** Bytes of the body after content decoding. */
  readonly size: number;
  /** @throws ArchiveDamage if the archive has lost it */
  open(): Promise<Page>;
}

/** A page whose bytes are in memory. */
export const readPage = (page: Page): ReadPage => ({
  kind: page.kind,
  url: page.url,
  context: page.context,
  sha256: page.sha256,
  observedAt: page.observedAt,
  size: page.bytes.length,
  open: () => Promise.resolve(page),
});
