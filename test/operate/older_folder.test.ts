/** The next run over an older folder fills the table with history. older_folder.proof.ts fills all. */
import { testOlderFolder } from './older_folder.ts';

testOlderFolder(['listing_history']);
