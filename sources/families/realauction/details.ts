/** Sale types, from the details pages of items. */
import type { Session } from '../../contract.ts';
import { readDetails, valueOf } from './items.ts';
import type { Site } from './site.ts';

/** Reads details pages until one requires a login. */
export class DetailsReader {
  readonly #site: Site;
  #isPublic = true;

  constructor(site: Site) {
    this.#site = site;
  }

  /** Sale types by item, as far as the site shows them. */
  async saleTypes(aids: readonly string[], session: Session): Promise<Record<string, string>> {
    const saleTypes: Record<string, string> = {};
    for (const aid of aids) {
      if (!this.#isPublic) break;
      const page = await this.#site.details(aid, session);
      if (page === null) continue;
      const labelled = readDetails(page);
      if (labelled.length === 0) this.#isPublic = false;
      const saleType = valueOf(labelled, 'Sale Type');
      if (saleType !== null) saleTypes[aid] = saleType;
    }
    return saleTypes;
  }
}
