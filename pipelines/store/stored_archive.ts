/** The archive of a data folder whose missing pages are in a store. */
import { objectOf, readVerified, StoreDamage, type Store } from '../../lib/store/store.ts';
import { openArchive, type Archive } from '../../sources/fetch/archive.ts';

/** @param print called for a page that is missing or damaged in the store, too */
export const openStoredArchive = (
  dataDir: string,
  store: Store | undefined,
  print: (message: string) => void,
): Promise<Archive> =>
  openArchive(dataDir, {
    async fetchObject(hash) {
      if (store === undefined) return null;
      try {
        return await readVerified(store, objectOf(hash));
      } catch (error) {
        if (!(error instanceof StoreDamage)) throw error;
        print(error.message);
        return null;
      }
    },
  });
