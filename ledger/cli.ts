/** The program behind `make ledger`, `make ledger-backup` and `make ledger-restore`. */
import { print } from '../lib/output.ts';
import { runLedgerCommand } from './commands.ts';

process.exitCode = await runLedgerCommand(process.argv[2], process.env, {
  print,
  printError: (line) => {
    process.stderr.write(`${line}\n`);
  },
});
