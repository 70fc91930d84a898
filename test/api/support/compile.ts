/**
 * Compiles contracts.sol of the local chain. The result is stored in contracts.json, so that a start needs no compiler;
 * a test compiles again and compares. Run as a program, it writes contracts.json beside the .sol file of its argument.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { sha256 } from '../../../lib/files.ts';

/** The package has no types. */
const compiler = createRequire(import.meta.url)('solc') as { compile(input: string): string };

export const Compiled = z.strictObject({
  /** Version of the compiler, from its metadata. */
  solc: z.string(),
  /** SHA-256 of the source. */
  source: z.string(),
  contracts: z.record(
    z.string(),
    z.strictObject({
      abi: z.array(z.record(z.string(), z.unknown())),
      /** Code after deployment: 0x and hex. */
      code: z.string().regex(/^0x([0-9a-f]{2})+$/),
    }),
  ),
});

export type Compiled = z.infer<typeof Compiled>;

const Output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.record(z.string(), z.unknown())),
          metadata: z.string(),
          evm: z.object({ deployedBytecode: z.object({ object: z.string() }) }),
        }),
      ),
    )
    .optional(),
});

/** @throws with the compiler's message if the source does not compile */
export function compile(source: string): Compiled {
  const output = Output.parse(
    JSON.parse(
      compiler.compile(
        JSON.stringify({
          language: 'Solidity',
          sources: { 'contracts.sol': { content: source } },
          settings: {
            optimizer: { enabled: true, runs: 200 },
            evmVersion: 'cancun',
            // Without a hash of the metadata, the same source gives the same bytes everywhere.
            metadata: { bytecodeHash: 'none', appendCBOR: false },
            outputSelection: { '*': { '*': ['abi', 'metadata', 'evm.deployedBytecode.object'] } },
          },
        }),
      ),
    ),
  );
  const failed = output.errors?.find((one) => one.severity === 'error');
  if (failed) throw new Error(failed.formattedMessage);
  // An interface has no code.
  const made = Object.entries(output.contracts?.['contracts.sol'] ?? {}).filter(
    ([, contract]) => contract.evm.deployedBytecode.object !== '',
  );
  const version = z
    .object({ compiler: z.object({ version: z.string() }) })
    .parse(JSON.parse(made[0]?.[1].metadata ?? '{}'));
  return {
    solc: version.compiler.version,
    source: sha256(source),
    contracts: Object.fromEntries(
      made.map(([name, contract]) => [name, { abi: contract.abi, code: `0x${contract.evm.deployedBytecode.object}` }]),
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
