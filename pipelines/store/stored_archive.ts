/** The archive of a data folder whose missing pages are in a store. */
import { objectOf, readVerified, StoreDamage, type Store } from '../../lib/store/store.ts';
import { openArchive, type Archive, type ArchiveOptions } from '../../lib/archive.ts';

/** Reads missing pages from a store. @param print called for a page that the store lacks too, or has damaged */
export const objectFetcher =
  (store: Store, print: (message: string) => void): NonNullable<ArchiveOptions['fetchObject']> =>
  async (hash) => {
    try {
      return await readVerified(store, objectOf(hash));
    } catch (error) {
      if (!(error instanceof StoreDamage)) throw error;
      print(error.message);
      return null;
    }
  };

export const openStoredArchive = (
  dataDir: string,
  store: Store | undefined,
  print: (message: string) => void,
): Promise<Archive> => openArchive(dataDir, store === undefined ? {} : { fetchObject: objectFetcher(store, print) });
