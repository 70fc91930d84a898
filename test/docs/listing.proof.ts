/**
 * The commands of docs/adding-listings.md run as printed and in order, in a copy of this folder. The suite checks the
 * folders that `make listing` creates (test/sources/new_listing.test.ts).
 */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandsIn, copyOfProject, shell as shellIn } from './guide_in_copy.ts';

/** The broker's list, which the reader has. */
const LIST = `MLS#,Address,City,State,ZIP,Price,Units
L-1,77 Sample Street,Akron,OH,44301,"$512,000",6
L-2,79 Sample Street,Akron,OH,44301,"$498,000",5
`;
const FOLDER = 'sources/listings/lakeside_brokerage';

let copy: string;
const command = commandsIn('docs/adding-listings.md');
const shell = (line: string): ReturnType<typeof shellIn> => shellIn(copy, line);

before(async () => {
  copy = await copyOfProject();
});
after(async () => {
  await rm(copy, { recursive: true, force: true });
});

describe('a listing source added by the commands of the page', () => {
  it('gets a folder from one command', () => {
    const { status, said } = shell(command(/^make listing/));
    assert.equal(status, 0, said);
  });

  it('has a test that fails until pages and terms are reviewed, then passes', async () => {
    const check = command(/fleet\.test/);
    await writeFile(join(copy, FOLDER, 'recorded/list.csv'), LIST);
    assert.match(shell(check).said, /did not exist and was written: review it/);
    assert.match(shell(check).said, /README\.md does not say where the pages come from/);
    await writeFile(join(copy, FOLDER, 'recorded/README.md'), 'Made by us with invented names.\n');
    assert.match(shell(check).said, /terms\.note is still that of the template/);
    const source = join(copy, FOLDER, 'source.ts');
    const text = await readFile(source, 'utf8');
    await writeFile(source, text.replace(/Say here[^']*/, 'The broker permits it.'));
    const { status, said } = shell(check);
    assert.equal(status, 0, said);
    assert.match(said, /lakeside_brokerage reads its recorded pages/);
  });

  it('is in a snapshot', () => {
    for (const like of [/^mkdir -p data-lakeside/, /^cp sources/, /^make run/]) {
      const { status, said } = shell(command(like));
      assert.equal(status, 0, said);
    }
    const { said } = shell(command(/^make sql/));
    assert.match(said, /lakeside_brokerage.*77 Sample Street.*512000\.00.*6/s);
  });
});
