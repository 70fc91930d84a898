/** The examples as processes, against a real server and a real local chain. */
import { execFile } from 'node:child_process';
import { dirname, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { runHere } from '../../process/here.ts';
import { BARE } from '../../environment.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface ProcessResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface ExampleShop {
  readonly folder: DataFolder;
  readonly server: Serving;
  /** Run a command in the project's folder, with the server and a wallet in its environment. */
  run(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<ProcessResult>;
  /** Run a program in the process of the test, with the same environment. Its packages are those of the project. */
  runHere(program: string, args?: readonly string[]): Promise<ProcessResult>;
  /** The money that an action moves to the seller, in atomic units. */
  amountMoved(action: () => Promise<void>): Promise<bigint>;
  close(): Promise<void>;
}

/** A shop with 23 deals and their reports. */
export async function openExampleShop(): Promise<ExampleShop> {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', {
    deals: rowsOfTable('deals', 23, (i) => ({ deal_score: i })),
    reports: rowsOfTable('reports', 23),
  });
  const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
  const server = await serve({ settings, payments });
  const seller = async (): Promise<bigint> =>
    (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;
  const env = {
    ...BARE,
    PATH: `${dirname(process.execPath)}:${BARE['PATH'] ?? ''}`,
    SERVER: server.url,
    BUYER_KEY: server.payments.sandbox?.buyer.privateKey ?? '',
  };
  return {
    folder,
    server,
    runHere: (program, args = []) => runHere(resolvePath(root, program), { args, env }),
    run: (command, args, more = {}) =>
      new Promise((resolve) => {
        execFile(command, args, { cwd: root, env: { ...env, ...more } }, (error, out, err) => {
          resolve({ code: error ? Number(error.code) : 0, out, err });
        });
      }),
    async amountMoved(action) {
      const start = await seller();
      await action();
      return (await seller()) - start;
    },
    async close() {
      await server.close();
      await folder.remove();
    },
  };
}
