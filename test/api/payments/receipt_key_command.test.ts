/** `make receipt-key`: creates, replaces and withdraws the keys of receipts, and prints no private part. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { changeReceiptKeys } from '../../../api/payments/receipts/key_cli.ts';
import { parseKeyFile, type KeyFile } from '../../../api/payments/receipts/keys.ts';
import { SettingError } from '../../../lib/settings.ts';

const CLI = new URL('../../../api/payments/receipts/key_cli.ts', import.meta.url).pathname;

describe('make receipt-key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receipt-key-command-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'keys', 'receipts.json');
  const keysOf = (): KeyFile['keys'] => parseKeyFile(readFileSync(path, 'utf8')).keys;
  interface Ended {
    readonly status: number | null;
    readonly out: string;
    readonly problem: string;
  }
  /** The private parts in the file, of which the command may print none. */
  const privateParts = (): string[] =>
    existsSync(path) ? [...readFileSync(path, 'utf8').matchAll(/"d": "([^"]+)"/g)].map(([, d = '']) => d) : [];
  const checked = (ended: Ended): Ended => {
    for (const d of privateParts())
      assert.ok(!`${ended.out}${ended.problem}`.includes(d), 'a private part was printed');
    return ended;
  };
  /** The command as a process. */
  const runProcess = (env: Record<string, string> = {}): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI], {
      encoding: 'utf8',
      env: { ...process.env, RECEIPT_KEY_FILE: path, ...env },
    });
    return checked({ status, out: stdout, problem: stderr });
  };
  /** The same in this process. */
  const run = async (env: Record<string, string> = {}): Promise<Ended> => {
    try {
      const lines = await changeReceiptKeys({ RECEIPT_KEY_FILE: path, ...env });
      return checked({ status: 0, out: lines.map((line) => `${line}\n`).join(''), problem: '' });
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      return checked({ status: 1, out: '', problem: `${error.message}\n` });
    }
  };

  it('makes a file that only its owner can read, then lists it, replaces its key, and withdraws it', async () => {
    for (const [env, problem] of [
      [{ ROTATE: '1' }, /expected an existing file/],
      [{ REVOKE: 'x' }, /expected an existing file/],
      [{ RECEIPT_KEY_FILE: '' }, /RECEIPT_KEY_FILE is not set, expected the file of the keys/],
    ] as const) {
      const refused = await run(env);
      assert.equal(refused.status, 1);
      assert.match(refused.problem, problem);
    }
    const [refused, again] = [runProcess({ ROTATE: '1' }), await run({ ROTATE: '1' })];
    assert.deepEqual(refused, again, 'the process ends as the command in this process');

    const made = runProcess();
    const [first] = keysOf();
    assert.ok(first?.d !== undefined);
    assert.equal(made.status, 0);
    assert.match(made.out, new RegExp(`^${first.kid} +from .*, signs\nCopy .* to every server`));
    assert.equal(statSync(path).mode & 0o777, 0o600);

    assert.equal((await run()).status, 0);
    assert.deepEqual(keysOf(), [first], 'an existing key stays');

    const rotated = await run({ ROTATE: '1' });
    const [old, next, ...more] = keysOf();
    assert.ok(old && next && more.length === 0);
    assert.equal(rotated.status, 0);
    assert.equal(old.kid, first.kid);
    assert.match(rotated.out, new RegExp(`^${old.kid} .*, signs\n${next.kid} .*, next\n`));
    const early = await run({ ROTATE: '1' });
    assert.equal(early.status, 1);
    assert.match(early.problem, new RegExp(`the key ${next.kid} replaces the current one`));

    const unknown = await run({ REVOKE: 'no-such-kid' });
    assert.deepEqual([unknown.status, keysOf().length], [1, 2]);
    assert.match(unknown.problem, /^REVOKE is "no-such-kid", expected the kid of a key/);
    const revoked = await run({ REVOKE: old.kid });
    const [withdrawn, current] = keysOf();
    assert.equal(revoked.status, 0);
    assert.match(revoked.out, new RegExp(`^${old.kid} .*revoked at .*\n${next.kid} .*, signs\n`));
    assert.deepEqual([withdrawn?.d, current?.kid], [undefined, next.kid]);
    assert.notEqual(withdrawn?.revoked, null);
  });

  it('refuses a file that others can open, or that is damaged, and does not change it', async () => {
    const text = readFileSync(path, 'utf8');
    chmodSync(path, 0o644);
    const open = await run({ ROTATE: '1' });
    assert.equal(open.status, 1);
    assert.match(open.problem, /which group or others can open \(mode 0644\)\. Run: chmod 600 /);
    assert.equal(readFileSync(path, 'utf8'), text);
    chmodSync(path, 0o600);
    for (const [damaged, why] of [
      ['not JSON', /it is not JSON/],
      [text.replace(/"d": "[^"]{4}/, '"d": "AAAA'), /does not belong to its "x"/],
    ] as const) {
      writeFileSync(path, damaged);
      const refused = await run({ ROTATE: '1' });
      assert.equal(refused.status, 1);
      assert.match(refused.problem, why);
      assert.equal(readFileSync(path, 'utf8'), damaged);
    }
  });
});
