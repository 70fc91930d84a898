/** `make receipt-key`: creates, replaces and withdraws the keys of receipts, and prints no private part. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseKeyFile, type KeyFile } from '../../../api/payments/receipts/keys.ts';
import { runHere } from '../../support/run_here.ts';

const CLI = new URL('../../../api/payments/receipts/key_cli.ts', import.meta.url).pathname;

describe('make receipt-key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receipt-key-command-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'keys', 'receipts.json');
  const keysOf = (): KeyFile['keys'] => parseKeyFile(readFileSync(path, 'utf8')).keys;
  const run = async (env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> => {
    const { code, out, err } = await runHere(CLI, { env: { RECEIPT_KEY_FILE: path, ...env } });
    for (const [, d = ''] of existsSync(path) ? readFileSync(path, 'utf8').matchAll(/"d": "([^"]+)"/g) : [])
      assert.ok(!`${out}${err}`.includes(d), 'a private part was printed');
    return { code: Number(code), out, err };
  };
  const refused = async (env: Record<string, string>, problem: RegExp): Promise<void> => {
    const { code, err } = await run(env);
    assert.equal(code, 1);
    assert.match(err, problem);
  };

  it('makes a file that only its owner can read, then lists it, replaces its key, and withdraws it', async () => {
    for (const env of [{ ROTATE: '1' }, { REVOKE: 'x' }]) await refused(env, /expected an existing file/);
    const made = await run();
    const [first = assert.fail()] = keysOf();
    assert.match(made.out, new RegExp(`^${first.kid} +from .*, signs\nCopy .* to every server`));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal((await run()).code, 0);
    assert.deepEqual(keysOf(), [first], 'an existing key stays');

    const rotated = await run({ ROTATE: '1' });
    const [old, next = assert.fail(), ...more] = keysOf();
    assert.deepEqual([old?.kid, more], [first.kid, []]);
    assert.match(rotated.out, new RegExp(`^${first.kid} .*, signs\n${next.kid} .*, next\n`));
    await refused({ ROTATE: '1' }, new RegExp(`the key ${next.kid} replaces the current one`));
    await refused({ REVOKE: 'no-such-kid' }, /^REVOKE is "no-such-kid", expected the kid of a key/);

    const revoked = await run({ REVOKE: first.kid });
    const [withdrawn, current] = keysOf();
    assert.match(revoked.out, new RegExp(`^${first.kid} .*revoked at .*\n${next.kid} .*, signs\n`));
    assert.deepEqual([withdrawn?.d, withdrawn?.revoked === null, current?.kid], [undefined, false, next.kid]);
  });

  it('refuses a file that others can open, or that is damaged, and does not change it', async () => {
    const text = readFileSync(path, 'utf8');
    for (const [damaged, mode, why] of [
      [text, 0o644, /which group or others can open \(mode 0644\)\. Run: chmod 600 /],
      ['not JSON', 0o600, /it is not JSON/],
      [text.replace(/"d": "[^"]{4}/, '"d": "AAAA'), 0o600, /does not belong to its "x"/],
    ] as const) {
      writeFileSync(path, damaged);
      chmodSync(path, mode);
      await refused({ ROTATE: '1' }, why);
      assert.equal(readFileSync(path, 'utf8'), damaged);
    }
  });
});
