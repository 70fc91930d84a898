/** Compiled contracts of the tests. contracts.test.ts compiles contracts.sol again and compares. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';
import type { Compiled } from './compile.ts';

export const testSourcePath = fileURLToPath(new URL('contracts.sol', import.meta.url));
export const testCompiledPath = fileURLToPath(new URL('contracts.json', import.meta.url));

export type ContractName =
  | 'AcceptsAnything'
  | 'RefusesAll'
  | 'ValidAtNoGasPrice'
  | 'BurnsTenMillionGas'
  | 'NeverReturns'
  | 'ReturnsOneMegabyte'
  | 'Wallet';

let compiled: Compiled | undefined;

/** Code of a contract after deployment, for `setCode`. */
export function codeOf(name: ContractName): Hex {
  compiled ??= JSON.parse(readFileSync(testCompiledPath, 'utf8')) as Compiled;
  const code = compiled.contracts[name]?.code;
  if (code === undefined) throw new Error(`no contract ${name}`);
  return code as Hex;
}
