/** The next run over an older folder fills all tables, and the server serves them without gaps. */
import { testOlderFolder } from './older_folder.ts';

testOlderFolder();
