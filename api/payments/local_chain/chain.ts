/**
 * The local chains of sandbox mode: anvil with a network's chain id, in memory, with test money at USDC's address. A
 * chain that the server started ends with it, also if the server is killed; one that it joined keeps running.
 */
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import PQueue from 'p-queue';
import { createTestClient, createWalletClient, http, parseAbi, type Address, type Hex, type PublicClient } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { SettingError } from '../../../lib/settings.ts';
import { BASE, type Network } from '../../../lib/network.ts';
import { evmChainOf, MULTICALL, readerOf } from '../chain/node.ts';
import { paymentChain } from '../chain/payment_chain.ts';

const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 3_000;
/** Seconds between blocks without transactions, so that the chain's time advances. */
const BLOCK_SECONDS = 5;
export const POLLING_MS = 25;

/** The code of contracts.sol, by contract. test/api/support/compile.ts writes the file. */
const Contracts = z.object({ contracts: z.record(z.string(), z.object({ code: z.string() })) });

const token = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function mint(address to, uint256 value)',
  'function authorizationState(address, bytes32) view returns (bool)',
]);

export interface Chain {
  readonly network: Network;
  readonly rpcUrl: string;
  readonly reader: PublicClient;
  /** Key of an account that has only gas, for sending transactions. New for each server. */
  readonly gasKey: Hex;
  balanceOf(address: Address): Promise<bigint>;
  /** Create test money, in atomic units. */
  mint(to: Address, units: bigint): Promise<void>;
  /** Whether the payer's authorization with this nonce has been used. */
  authorizationUsed(payer: Address, nonce: Hex): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Path of anvil's binary in its package for this platform.
 * @throws SettingError if the package is not installed
 */
function anvilBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
    return require.resolve(
      `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil${process.platform === 'win32' ? '.exe' : ''}`,
    );
  } catch {
    throw new SettingError(
      'PAYMENTS is "sandbox", and the local chain of the sandbox (anvil) is not installed: the development packages ' +
        'are missing. Run: make setup. For real money set PAYMENTS to facilitator or self',
    );
  }
}

/** The address that anvil prints when it listens. */
async function waitForAddress(child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  const lines = createInterface({ input: child.stdout, signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  let cause: Error | undefined;
  child.once('error', (error) => {
    cause = error;
    lines.close();
  });
  for await (const line of lines) {
    const address = /Listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (address === undefined) continue;
    // Nobody reads the rest, and a full pipe would stop the chain: the end of the signal must not pause it again.
    lines.close();
    child.stdout.resume();
    return `http://${address}`;
  }
  const why = cause?.message ?? `it ended, or did not listen within ${START_TIMEOUT_MS} ms`;
  throw new Error(`the local chain (anvil) did not start: ${why}`, { cause });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}

/**
 * Kill a process when this one ends, however it ends: a shell waits for the end of a pipe that only this process holds.
 * @returns cancels this
 */
function killWhenWeEnd(pid: number): () => void {
  const guard = spawn('sh', ['-c', 'cat > /dev/null; kill -9 "$0" 2> /dev/null', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell, only close() ends the process.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  if (guard.stdin && 'unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return () => {
    guard.kill('SIGKILL');
  };
}

/**
 * Join the anvil chain at `rpcUrl`, and install the test money if it is missing.
 * @throws ChainUnavailable if it does not respond, or has another chain id
 */
export async function joinChain(
  network: Network,
  rpcUrl: string,
  close: () => Promise<void> = async () => undefined,
): Promise<Chain> {
  const { address: usdc } = network.usdc;
  const reader = readerOf(network, rpcUrl, POLLING_MS);
  await paymentChain(reader, network).id();
  const options = { chain: evmChainOf(network), transport: http(rpcUrl, { retryCount: 0 }) } as const;
  const admin = createTestClient({ ...options, mode: 'anvil' });
  const gasKey = generatePrivateKey();
  const gas = privateKeyToAccount(gasKey);
  const sender = createWalletClient({ ...options, account: gas });
  const sending = new PQueue({ concurrency: 1 });
  const { contracts } = Contracts.parse(JSON.parse(await readFile(new URL('contracts.json', import.meta.url), 'utf8')));
  for (const [address, name] of [
    [usdc, 'TestUsdc'],
    [MULTICALL, 'TestMulticall'],
  ] as const) {
    const code = contracts[name]?.code as Hex;
    if ((await reader.getCode({ address })) !== code) await admin.setCode({ address, bytecode: code });
  }
  await admin.setBalance({ address: gas.address, value: 10n ** 24n });
  return {
    network,
    rpcUrl,
    gasKey,
    reader,
    close,
    balanceOf: (address) =>
      reader.readContract({ address: usdc, abi: token, functionName: 'balanceOf', args: [address] }),
    async mint(to, amount) {
      const hash = await sending.add(() =>
        sender.writeContract({ address: usdc, abi: token, functionName: 'mint', args: [to, amount] }),
      );
      await reader.waitForTransactionReceipt({ hash });
    },
    authorizationUsed: (payer, nonce) =>
      reader.readContract({ address: usdc, abi: token, functionName: 'authorizationState', args: [payer, nonce] }),
  };
}

/** Start a chain on a free port of this machine. @throws if anvil cannot be started */
export async function startChain(network: Network = BASE): Promise<Chain> {
  // A block is safe after one more, and final after two.
  const options =
    `--chain-id ${network.chainId} --host 127.0.0.1 --port 0 --accounts 0 --block-time ${BLOCK_SECONDS} ` +
    '--mixed-mining --slots-in-an-epoch 1';
  // In its own process group, so that Ctrl-C reaches only the server, which closes the chain last.
  const child = spawn(anvilBinary(), options.split(' '), { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const cancelGuard = child.pid === undefined ? () => undefined : killWhenWeEnd(child.pid);
  const close = async (): Promise<void> => {
    cancelGuard();
    await stop(child);
  };
  try {
    return await joinChain(network, await waitForAddress(child), close);
  } catch (error) {
    await close();
    throw error;
  }
}
