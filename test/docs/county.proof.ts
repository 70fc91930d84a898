/**
 * The commands of docs/adding-a-county.md run as printed and in order, in a copy of this folder. The suite checks the
 * folder that `make county` creates (test/sources/new_county.test.ts).
 */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandsIn, copyOfProject, shell as shellIn } from './guide_in_copy.ts';

/** The county's list, which the reader would download. */
const LIST = `Parcel Number,Owner Name,Property Address,Total Due
B07-510-041-0001,SAMPLE A,1 MAIN ST,1200.50
B07-510-041-0002,SAMPLE B,2 MAIN ST,80.00
`;
const FOLDER = 'sources/tax/oh_wood_tax';

let copy: string;
const command = commandsIn('docs/adding-a-county.md');
const shell = (line: string): ReturnType<typeof shellIn> => shellIn(copy, line);

before(async () => {
  copy = await copyOfProject();
});
after(async () => {
  await rm(copy, { recursive: true, force: true });
});

describe('a county added by the commands of the page', () => {
  it('gets a folder from one command', () => {
    const { status, said } = shell(command(/^make county/));
    assert.equal(status, 0, said);
  });

  it('has a test that fails until pages are recorded and reviewed, then passes', async () => {
    const check = command(/fleet\.test/);
    assert.notEqual(shell(check).status, 0);
    const source = join(copy, FOLDER, 'source.ts');
    await writeFile(
      source,
      (await readFile(source, 'utf8'))
        .replace(/parcel: .*,/, String.raw`parcel: /^[A-Z]\d{2}-\d{3}-\d{3}-\d{4}$/u,`)
        .replace('12-34567', 'B07-510-041-0001'),
    );
    await writeFile(join(copy, FOLDER, 'recorded/list.csv'), LIST);
    assert.match(shell(check).said, /did not exist and was written: review it/);
    assert.match(shell(check).said, /README\.md does not say where the pages come from/);
    await writeFile(join(copy, FOLDER, 'recorded/README.md'), 'Made by us with invented names.\n');
    assert.match(shell(check).said, /terms\.note is still that of the template/);
    await writeFile(
      source,
      (await readFile(source, 'utf8')).replace(/ Say here[^']*/, ' The county asks for nothing.'),
    );
    const { status, said } = shell(check);
    assert.equal(status, 0, said);
    assert.match(said, /oh_wood_tax reads its recorded pages/);
  });

  it('is in a snapshot, with exact amounts', () => {
    for (const like of [/^mkdir -p data-wood/, /^cp sources/, /^make run/]) {
      const { status, said } = shell(command(like));
      assert.equal(status, 0, said);
    }
    const { said } = shell(command(/^make sql/));
    assert.match(said, /Wood County, OH.*B07-510-041-0001.*1200\.50/s);
  });

  it('is in docs/sources.md after make docs', async () => {
    const { status, said } = shell(command(/^make docs/));
    assert.equal(status, 0, said);
    assert.match(
      await readFile(join(copy, 'docs/sources.md'), 'utf8'),
      /\[Wood County, OH\]\([^)]*\)<br>`oh_wood_tax` \| 31 d/,
    );
  });
});
