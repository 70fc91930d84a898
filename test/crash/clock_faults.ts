/** Faults in the handling of clocks. The proofs with jumping clocks must find each of them. */
import type { PlantedChange } from '../ledger/planted_change.ts';

export interface ClockFault {
  readonly name: string;
  /** Places of the sources, each of which is there once, and what is put there. */
  readonly changes: readonly PlantedChange[];
}

export const clockFaults: readonly ClockFault[] = [
  {
    name: 'expiry is read from the clock of the server',
    changes: [
      {
        file: 'api/payments/chain/evidence.ts',
        from: 'safe.timestamp >= payment.validBefore && !(await isUsedAt(safe.number))',
        to: 'BigInt(Math.floor(Date.now() / 1000)) >= payment.validBefore',
      },
    ],
  },
  {
    // The audit would find it all the same.
    name: 'a settlement is looked for where our clocks say it must be, and nobody audits',
    changes: [
      {
        file: 'api/payments/audit/audit.ts',
        from: 'const final = await chain.finalBlock();',
        to: 'const final = { block: -1n, seconds: 0 };',
      },
      {
        file: 'api/payments/chain/evidence.ts',
        from: 'firstBlockAt(client, payment.validBefore, latest.number)',
        to: 'firstBlockAt(client, payment.validBefore - 3960n, latest.number)',
      },
      { file: 'api/payments/chain/evidence.ts', from: 'range < MAX_RANGES && to >= 0n', to: 'range < 0 && to >= 0n' },
    ],
  },
  {
    name: 'answers are forgotten by the clock of the server alone',
    changes: [{ file: 'api/payments/audit/watchers.ts', from: 'Math.min(nowMs(), seconds * 1000)', to: 'nowMs()' }],
  },
  {
    name: 'answers are forgotten by the time that a clock wrote beside them',
    changes: [{ file: 'ledger/sql/upkeep.ts', from: ' AND CAST(valid_before AS NUMERIC) * 1000 < $1', to: '' }],
  },
  {
    name: 'a used challenge is forgotten when its time is over',
    changes: [
      {
        file: 'ledger/sql/upkeep.ts',
        from: 'useOnce: async (token, untilMs) => (await',
        to:
          'useOnce: async (token, untilMs) => (await store.write((query) => ' +
          "query('DELETE FROM used_tokens WHERE until_ms < $1', Date.now())), await",
      },
    ],
  },
];
