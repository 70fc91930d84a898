/**
 * Every command in a shell block of the pages runs as printed. The suite runs a few of them (commands.test.ts);
 * county.proof.ts runs those of docs/adding-a-county.md, listing.proof.ts those of docs/adding-listings.md.
 */
import { describe } from 'node:test';
import { testCommand, typed } from './typed_commands.ts';

const isRun = (command: string): boolean => command.startsWith('make run');

// The runs first: the other commands read what they published.
describe('documented commands run', () => {
  for (const command of typed.filter(isRun)) testCommand(command);
  for (const command of typed.filter((c) => !isRun(c))) testCommand(command);
});
