/** The full audit finds and names each alteration of a ledger, in both databases, on a real local chain. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { generatePrivateKey } from 'viem/accounts';
import { auditPass } from '../../../api/payments/audit/audit.ts';
import { fullAudit, type FullAudit } from '../../../api/payments/audit/full_audit.ts';
import { resolve } from '../../../api/payments/audit/watchers.ts';
import { copyRows } from '../../../ledger/copy.ts';
import { journalFile } from '../../../ledger/journal_file.ts';
import type { Ledger, Purchase } from '../../../ledger/ledger.ts';
import { openServingLedger, openLedgerStore } from '../../../ledger/open.ts';
import type { JournalLine } from '../../../ledger/sql/journal.ts';
import { sqlLedger } from '../../../ledger/sql/sql_ledger.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { USDC } from '../../../lib/network.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { thorough } from '../../thorough.ts';
import { startPostgres, type PostgresServer } from '../../ledger/postgres_started.ts';
import { leadOf, sha256 } from '../../ledger/purchases.ts';
import { startChainPayments, US, type ChainPayments } from '../support/chain_payments.ts';

/** The purchases of the ledger, by what happened to them. */
interface Purchases {
  /** Sold and booked. */
  readonly sold: Purchase;
  /** The same, with a lead and two keys of its property. */
  readonly lead: Purchase;
  /** Released, with a lead, before its money arrived; then sold by the auditor. */
  readonly late: Purchase;
  /** Released without a payment. */
  readonly released: Purchase;
  /** Still settling, with a lead. */
  readonly settling: Purchase;
  /** Sold in a block that is not final yet. */
  readonly recent: Purchase;
}

interface Alteration {
  /** In which $sold and the like stand for the ids of purchases. */
  readonly sql?: readonly string[];
  readonly change?: (altered: { readonly store: Store; readonly file: string; readonly ids: Purchases }) => unknown;
  /** A sentence that must be among the differences; * stands for any text. Null if there are none. */
  readonly found: string | null;
}

const OTHER = `0x${'9'.repeat(40)}`;
const HASH = `0x${'9'.repeat(64)}`;
/** Change a purchase alike in its table, its journal and the copy. */
const everywhere =
  (column: string, value: string) =>
  async ({ store, file, ids: { sold } }: { store: Store; file: string; ids: Purchases }): Promise<void> => {
    const alter = (text: string): string => {
      const line = JSON.parse(text) as JournalLine;
      if (line.purchase?.['id'] !== sold.id) return text;
      return JSON.stringify({ ...line, purchase: { ...line.purchase, [column]: value } });
    };
    await store.write(async (query) => {
      await query(`UPDATE purchases SET ${column} = $1 WHERE id = $2`, value, sold.id);
      for (const row of await query('SELECT seq, line FROM journal WHERE subject = $1', sold.id))
        await query('UPDATE journal SET line = $1 WHERE seq = $2', alter(String(row['line'])), Number(row['seq']));
    });
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').filter(Boolean).map(alter).join('\n'));
  };

const inTenDays = () => Date.now() + 10 * DAY_MS;
const WITHOUT_COPY = 'without the copy';

/** What the audit must say, and the changes that it must find: one of each kind that it tells apart. */
const TABLE = `
purchase $sold was sold, and is gone
  DELETE FROM transfers WHERE purchase_id = '$sold'
  DELETE FROM purchases WHERE id = '$sold'
transfer *: 0.050000 USDC by 0x* with nonce 0x* are not booked
  DELETE FROM transfers WHERE purchase_id = '$sold'
  DELETE FROM purchases WHERE id = '$sold'
  DELETE FROM journal WHERE subject = '$sold'
purchase $released is released, and the journal does not know it
  DELETE FROM journal WHERE subject = '$released'
purchase $sold: lead is lead-1, and the journal says none
  UPDATE holds SET purchase_id = '$sold' WHERE purchase_id = '$lead'
purchase $lead: properties is key-1, and the journal says key-1|key-2
  DELETE FROM held_properties WHERE purchase_id = '$lead' AND property_key = 'key-2'
purchase $lead: returned_properties is key-2, and the journal says none
  UPDATE held_properties SET standing = NULL WHERE property_key = 'key-2'
purchase $sold: state is released, and the journal says sold
  DELETE FROM transfers WHERE purchase_id = '$sold'
  UPDATE purchases SET state = 'released', standing = NULL WHERE id = '$sold'
transfer * is booked for purchase $sold, which it *
  UPDATE purchases SET tx_hash = '${HASH}' WHERE id = '$sold'
purchase $recent is paid by 0x* in block 1000000000, on the chain by 0x* in block *
  UPDATE purchases SET block = 1000000000 WHERE id = '$recent'
purchase $sold is sold, and its answer is gone
  UPDATE purchases SET kept_answer = NULL WHERE id = '$sold'
purchase $settling: the bytes of its answer are not those that were sold
  UPDATE answers SET coding = 'zstd'
purchase $sold is sold, and its transfer 0x* is not booked for it
  DELETE FROM transfers WHERE purchase_id = '$sold'
transfer *: amount is 1, and on the chain 50000
  UPDATE transfers SET amount = '1' WHERE kind = 'resolved'
transfer 0x*:77 is booked in block *, and is not there
  UPDATE transfers SET log_index = 77 WHERE purchase_id = '$sold'
transfer * is booked in block 1000000000, which no audit has read
  UPDATE transfers SET block = 1000000000 WHERE purchase_id = '$sold'
transfer *: it is booked as dust
  UPDATE transfers SET kind = 'dust', resolution = NULL WHERE kind = 'resolved'
transfer *: nothing, and the journal says refunded by hand
  UPDATE transfers SET kind = 'owed', resolution = NULL WHERE kind = 'resolved'
the audit says that it has read block 1000000000, and the last final is *
  UPDATE audits SET through_block = 1000000000
first block of the audit of 0x* on eip155:8453 *: nothing, and the journal says *
  DELETE FROM audits
the copy of the journal has line 3 of purchase $released (released), and the journal lacks it
  DELETE FROM journal WHERE subject = '$released' AND number = 3
the journal lacks line 2 of purchase $lead
  DELETE FROM journal WHERE subject = '$lead' AND number = 2
  ${WITHOUT_COPY}
the journal lacks lines of the ledger after 1
  DELETE FROM journal WHERE subject = '' AND number = 2
  ${WITHOUT_COPY}
line 1 of purchase $sold (reserved) of the journal is not that of its copy
  UPDATE journal SET line = replace(line, 'GET /x', 'GET /y') WHERE subject = '$sold' AND number = 1
line 9 of purchase $sold in the journal is of another ledger, purchase or number
  UPDATE journal SET subject = '$sold', number = 9 WHERE subject = '$settling' AND number = 3
`;

const withoutCopy: Alteration['change'] = ({ file }) => {
  rmSync(file);
};

const ALTERATIONS: readonly Alteration[] = [
  ...TABLE.trim()
    .split(/\n(?! )/u)
    .map((entry): Alteration => {
      const [found = '', ...steps] = entry.split('\n').map((line) => line.trim());
      const sql = steps.filter((step) => step !== WITHOUT_COPY);
      return { found, sql, ...(steps.includes(WITHOUT_COPY) ? { change: withoutCopy } : {}) };
    }),
  // Each column that says what was bought, by whom and for how much.
  ...Object.entries({
    payer: OTHER,
    nonce: HASH,
    pay_to: OTHER,
    chain: 'c',
    asset: OTHER,
    route: 'GET /y',
    request: '/y',
    amount: '1',
  }).map(([column, value]) => ({
    sql: [`UPDATE purchases SET ${column} = '${value}' WHERE id = '$sold'`],
    found: `purchase $sold: ${column} is ${value}, and the journal says *`,
  })),
  {
    change: ({ store }) =>
      store.write(async (query) => {
        const set = `bytes = 2, coding = 'identity', body = $1, sha256 = $2`;
        await query(`UPDATE answers SET ${set}`, Buffer.from('[]'), sha256('[]'));
      }),
    found: 'purchase $lead: the bytes of its answer are not those that were sold',
  },
  {
    change: ({ store }) => sqlLedger(store).forgetAnswers(inTenDays()),
    found: 'purchase $late is sold, and its answer is gone',
  },
  { change: everywhere('payer', OTHER), found: 'transfer * is booked for purchase $sold, which it does not pay' },
  {
    change: ({ store, ids }) =>
      sqlLedger(store).markSold(ids.settling.id, { transaction: HASH, block: 3n }, Date.now()),
    found: `purchase $settling is sold by ${HASH} in block 3, and no transfer pays it`,
  },
  // What no comparison finds, as docs/ledger.md says.
  { change: everywhere('route', 'GET /y'), found: null },
  { change: withoutCopy, found: null },
];

/** Sell on a chain as a server does. The last sale is not final. */
async function sellAll(on: ChainPayments, ledger: Ledger): Promise<Purchases> {
  const pass = () => auditPass({ ledger, chain: on.payments, payTo: US, holder: 'a', nowMs: Date.now });
  const sell = async ({ id, payment }: Purchase): Promise<void> => {
    await on.pay(payment);
    const purchase = (await ledger.find({ id })) ?? assert.fail();
    assert.equal(await resolve({ ledger, chain: on.payments, money: 'test', nowMs: Date.now }, purchase), 'sold');
  };
  await ledger.recordMoney('test');
  const [sold, released] = [await on.settling(ledger), await on.settling(ledger)];
  const lead = await on.settling(ledger, { lead: leadOf('lead-1', 'key-1', 'key-2') });
  const late = await on.settling(ledger, { lead: leadOf('lead-2', 'key-3') });
  const settling = await on.settling(ledger, { lead: leadOf('lead-4', 'key-4') });
  for (const { id } of [released, late]) await ledger.release(id, 'expired_unused', Date.now());
  for (const one of [sold, lead]) await sell(one);
  await on.pay(late.payment);
  await on.plainTransfer(US, 7n);
  await on.pay({ ...sold.payment, nonce: generatePrivateKey() });
  await on.mine(2);
  await pass();
  const [owed] = await Array.fromAsync(ledger.transfers(null, ['owed']));
  assert.ok(owed && (await ledger.settleDebt(owed, 'refunded by hand')));
  const recent = await on.settling(ledger);
  await sell(recent);
  await on.mine(2);
  const now = async ({ id }: Purchase): Promise<Purchase> => (await ledger.find({ id })) ?? assert.fail();
  return {
    sold: await now(sold),
    lead: await now(lead),
    late: await now(late),
    released: await now(released),
    settling,
    recent: await now(recent),
  };
}

describe('the full audit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-full-audit-'));
  let on: ChainPayments;
  let ids: Purchases;
  let base: Store;
  let postgres: PostgresServer;
  let stores: Readonly<Record<Store['kind'], Store>>;

  before(async () => {
    [on, postgres] = await Promise.all([startChainPayments(), startPostgres()]);
    const settings = { DATA_DIR: folder };
    const ledger = await openServingLedger(settings);
    ids = await sellAll(on, ledger);
    await ledger.close();
    base = await openLedgerStore(settings);
    stores = {
      sqlite: await openLedgerStore({ DATA_DIR: folder, LEDGER: join(folder, 'altered.sqlite') }),
      postgres: await openLedgerStore({ DATA_DIR: folder, LEDGER: await postgres.schema() }),
    };
  });
  after(async () => {
    for (const store of [base, stores.sqlite, stores.postgres]) await store.close();
    await on.close();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const withIds = (text: string): string => text.replaceAll(/\$(\w+)/g, (_, name: keyof Purchases) => ids[name].id);
  /** Apply an alteration to a copy of the ledger and of its file, and audit it. */
  const audited = async (
    kind: Store['kind'],
    { sql = [], change = () => undefined }: Omit<Alteration, 'found'>,
    nowMs = Date.now(),
  ): Promise<FullAudit> => {
    const [store, file] = [stores[kind], join(folder, 'altered.journal')];
    cpSync(journalFile(folder), file);
    await base.readSnapshot((read) => store.write((query) => copyRows(read, query, { kind, overwrite: true })));
    await store.write(async (query) => {
      for (const one of sql) await query(withIds(one));
    });
    await change({ store, file, ids });
    return fullAudit(store, on.payments, { file, asset: USDC.toLowerCase(), collectDays: 30, nowMs });
  };

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`of an unaltered ledger in ${kind} finds nothing, and counts every record`, async () => {
      const { differences, transfers, dust, notBooked, purchases, answers } = await audited(kind, {});
      assert.deepEqual(differences, []);
      assert.deepEqual(
        { transfers, dust, notBooked, purchases, answers },
        { transfers: 6, dust: 1, notBooked: 1, purchases: 6, answers: 1 },
      );
      const forgetEnded = ({ store }: { store: Store }) => sqlLedger(store).forgetAnswers(inTenDays());
      const later = await audited(kind, { change: forgetEnded }, Date.now() + 41 * DAY_MS);
      assert.deepEqual(later.differences, [], 'the answers of ended purchases have expired');
    });

    it(`names what was altered in ${kind}`, async () => {
      // The audit compares rows, whatever database they are read from: a part is enough for the other one.
      const some = ALTERATIONS.filter((_, i) => kind === 'sqlite' || thorough(i % 4 === 0, true));
      for (const { found, ...alteration } of some) {
        const { differences } = await audited(kind, alteration);
        const wanted = found === null ? null : withIds(found).split('*').map(RegExp.escape).join('.*');
        const isNamed = wanted ? differences.some((one) => RegExp(`^${wanted}$`).test(one)) : differences.length === 0;
        assert.ok(isNamed, `${wanted}\n${differences.join('\n')}`);
      }
    });
  }

  it('needs no check for a sale without a block: neither database accepts one', async () => {
    for (const kind of ['sqlite', 'postgres'] as const)
      await assert.rejects(
        audited(kind, { sql: ["UPDATE purchases SET block = NULL WHERE id = '$sold'"] }),
        /constraint/i,
      );
  });
});
