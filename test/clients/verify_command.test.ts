/** `make verify`: output and exit status for a good answer, an altered one, a wrong key and a missing page. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newKey } from '../../api/payments/receipts/keys.ts';
import { DAY_MS } from '../../lib/time.ts';
import { archivePage, loseBody, replaceBody } from '../lib/archive_files.ts';
import { runHere, type Ended } from '../process/here.ts';
import { BARE } from '../environment.ts';
import { publishedOf, receiptsOf, SOLD_AT } from './receipts_made.ts';

const CLI = new URL('../../clients/verify_cli.ts', import.meta.url).pathname;
const [HELD, LOST] = ['<p>found</p>', '<p>missing</p>'] as const;
const shaOf = (text: string): string => hash('sha256', text, 'hex');
const ANSWER = JSON.stringify({
  deal: { page_sha256: shaOf(HELD), source_url: 'https://county.example/1' },
  distress: { matches: [{ signal: { page_sha256: shaOf(LOST) } }] },
});

describe('make verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verify-command-'));
  const at = (name: string): string => join(folder, name);
  const key = { keys: [newKey(Date.parse(SOLD_AT) - DAY_MS)] };

  before(async () => {
    const { receipt } = await receiptsOf(key, ANSWER);
    writeFileSync(at('answer.json'), ANSWER);
    writeFileSync(at('altered.json'), ANSWER.replace('county', 'bounty'));
    writeFileSync(at('answer.jws'), `${receipt}\n`);
    writeFileSync(at('jwks.json'), JSON.stringify({ keys: publishedOf(key) }));
    writeFileSync(at('other.json'), JSON.stringify({ keys: publishedOf({ keys: [newKey(0)] }) }));
    await archivePage(folder, HELD);
    await archivePage(folder, LOST);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const envWith = (env: Record<string, string>): Record<string, string> => ({
    FILE: at('answer.json'),
    RECEIPT: at('answer.jws'),
    DATA_DIR: folder,
    ...env,
  });
  const run = (env: Record<string, string> = {}): Promise<Ended> => runHere(CLI, { env: envWith(env) });
  const runProcess = (env: Record<string, string> = {}): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI], {
      encoding: 'utf8',
      env: { ...BARE, ...envWith(env) },
    });
    return { code: status ?? -1, out: stdout, err: stderr };
  };

  it('proves a sale with the keys next to the receipt, and finds every page of the answer', async () => {
    const { code, out, err } = await run();
    assert.deepEqual([code, err], [0, '']);
    for (const line of [
      new RegExp(`^signature {2}valid, EdDSA by ${key.keys[0]?.kid}$`, 'm'),
      /^request {4}GET \/api\/deals\/5\/report\?fields=deal as application\/json$/m,
      /^price {6}1\.500000 USD: /m,
      new RegExp(`^content {4}${ANSWER.length} bytes, SHA-256 ${shaOf(ANSWER)}: identical$`, 'm'),
      /^pages {6}2 of 2 found, byte for byte$/m,
      new RegExp(`^ {2}found {5}${shaOf(LOST)} {2}distress\\.matches\\.0\\.signal `, 'm'),
    ])
      assert.match(out, line);
  });

  it('fails for an altered answer, keys without this one, and a page that is missing or different', async () => {
    for (const [env, expected] of [
      [{ FILE: at('altered.json') }, /^NOT PROVEN: the SHA-256 of the file is .*, the receipt is for /m],
      [{ KEYS: at('other.json') }, /^NOT PROVEN: the key ".*" is not among the saved keys\.$/m],
    ] as const) {
      const { code, out } = await run(env);
      assert.equal(code, 1);
      assert.match(out, expected);
      assert.doesNotMatch(out, /This proves/);
    }
    replaceBody(folder, shaOf(LOST), 'other bytes');
    const different = await run();
    assert.equal(different.code, 1);
    assert.match(different.out, new RegExp(`^ {2}different ${shaOf(LOST)} `, 'm'));
    loseBody(folder, shaOf(LOST));
    const missing = runProcess();
    assert.deepEqual(missing, await run(), 'a process prints the same and has the same exit status');
    assert.equal(missing.code, 1);
    assert.match(missing.out, /^pages {6}1 of 2 found/m);
    assert.match(missing.out, new RegExp(`^ {2}missing {3}${shaOf(LOST)} `, 'm'));
  });

  it('names a setting whose file cannot be read', async () => {
    const { code, err } = await run({ FILE: at('nowhere.json') });
    assert.equal(code, 1);
    assert.match(err, /^FILE is ".*nowhere\.json", expected a file that can be read$/m);
  });
});
