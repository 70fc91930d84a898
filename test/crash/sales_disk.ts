/** A selling server whose ledger is on a small file system of its own. Only root may mount one. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import type { Purchase } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { buyerWith, fetchWithPayment } from '../api/support/buyers.ts';
import { serverProcess, type ServerProcess } from '../process/program.ts';
import { dataFolder, rowsOfTable } from '../api/support/snapshot_fixtures.ts';
import { all } from '../ledger/purchases.ts';
import { fill } from './full_disk.ts';

const PAY_TO = '0x00000000000000000000000000000000000000Ad';
export const PATHS = ['/api/leads/exclusive', '/api/deals', '/api/leads', '/api/leads/exclusive'] as const;

/** A path and the payment that buys it. */
export interface Signed {
  readonly path: string;
  readonly header: string;
}

export interface DiskShop {
  readonly server: ServerProcess;
  readonly chain: Chain;
  sign(path: string): Promise<Signed>;
  present(signed: Signed): Promise<{ readonly status: number; readonly text: string }>;
  sold(): Promise<Purchase[]>;
  /** Atomic units that arrived on the chain. */
  takings(): Promise<bigint>;
  fillDisk(): void;
  freeDisk(): void;
  close(): Promise<void>;
}

/** Mount a file system of 8 MB. @returns null if that is not allowed here */
export function mountDisk(): string | null {
  const mountPoint = mkdtempSync(join(tmpdir(), 'dealfeed-ledger-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mountPoint]);
  if (status === 0) return mountPoint;
  rmSync(mountPoint, { recursive: true });
  return null;
}

export function unmountDisk(mountPoint: string): void {
  spawnSync('umount', ['-l', mountPoint]);
  rmSync(mountPoint, { recursive: true });
}

/** Serve with a ledger on the mounted disk. */
export async function openDiskShop(mountPoint: string): Promise<DiskShop> {
  const [LEDGER, filler] = [join(mountPoint, 'ledger.sqlite'), join(mountPoint, 'filler')];
  const buyer = buyerWith();
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { leads: rowsOfTable('leads', 50), deals: rowsOfTable('deals', 40) });
  const chain = await startChain();
  await chain.mint(buyer.address, 100_000_000n);
  const server = await serverProcess({
    DATA_DIR: folder.path,
    LEDGER,
    SANDBOX_RPC: chain.rpcUrl,
    PAY_TO,
    PUBLIC_BASE_URL: 'http://dealfeed.test',
    UNBILLED_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  });
  return {
    server,
    chain,
    async sign(path) {
      return { path, header: await buyer.signAs(server.url + path, randomBytes(12).toString('hex')) };
    },
    async present({ path, header }) {
      const response = await fetchWithPayment(server.url + path, header);
      return { status: response.status, text: await response.text() };
    },
    async sold() {
      const ledger = await openLedger({ DATA_DIR: folder.path, LEDGER });
      try {
        return (await all(ledger.purchases())).filter((p) => p.state === 'sold');
      } finally {
        await ledger.close();
      }
    },
    takings: () => chain.balanceOf(PAY_TO),
    fillDisk() {
      fill(filler);
    },
    freeDisk() {
      rmSync(filler);
    },
    async close() {
      await server.end('SIGKILL');
      await chain.close();
      await folder.remove();
    },
  };
}
