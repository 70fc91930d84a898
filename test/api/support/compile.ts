/**
 * Compiles contracts.sol of the local chain. The result is stored in contracts.json, so that a start needs no compiler;
 * a test compiles again and compares. Run as a program, it writes contracts.json beside the .sol file of its argument.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../../lib/files.ts';

/** The package has no types. */
const compiler = createRequire(import.meta.url)('solc') as { compile(input: string): string };

export interface Compiled {
  /** Version of the compiler, from its metadata. */
  readonly solc: string;
  /** SHA-256 of the source. */
  readonly source: string;
  /** Code after deployment: 0x and hex. */
  readonly contracts: Readonly<Record<string, { readonly abi: unknown; readonly code: string }>>;
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Contract>>>>;
}
interface Contract {
  readonly abi: unknown;
  readonly metadata: string;
  readonly evm: { readonly deployedBytecode: { readonly object: string } };
}

const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without a hash of the metadata, the same source gives the same bytes everywhere.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'metadata', 'evm.deployedBytecode.object'] } },
};

/** @throws with the compiler's message if the source does not compile */
export function compile(content: string): Compiled {
  const input = { language: 'Solidity', sources: { 'contracts.sol': { content } }, settings: SETTINGS };
  const { errors, contracts } = JSON.parse(compiler.compile(JSON.stringify(input))) as Output;
  const failed = errors?.find((one) => one.severity === 'error');
  if (failed) throw new Error(failed.formattedMessage);
  // An interface has no code.
  const made = Object.entries(contracts?.['contracts.sol'] ?? {}).filter(
    ([, { evm }]) => evm.deployedBytecode.object !== '',
  );
  const metadata = JSON.parse(made[0]?.[1].metadata ?? '') as { compiler: { version: string } };
  return {
    solc: metadata.compiler.version,
    source: sha256(content),
    contracts: Object.fromEntries(
      made.map(([name, { abi, evm }]) => [name, { abi, code: `0x${evm.deployedBytecode.object}` }]),
    ),
  };
}

const localChain = fileURLToPath(new URL('../../../api/payments/local_chain/contracts', import.meta.url));
export const [sourcePath, compiledPath] = [`${localChain}.sol`, `${localChain}.json`] as const;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = process.argv[2] ?? sourcePath;
  const target = source.replace(/\.sol$/, '.json');
  await writeFile(target, `${JSON.stringify(compile(await readFile(source, 'utf8')))}\n`);
  process.stdout.write(`wrote ${target}\n`);
}
