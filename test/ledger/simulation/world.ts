/**
 * Time, randomness and processes of a simulated world. Every event waits at a gate. The world opens the gates one by
 * one, in an order that its seed determines.
 */

/** A process of the server. If it is killed, its work ends at the next gate. */
export interface Process {
  readonly name: string;
  /** Number of starts. Each start is another lease holder. */
  starts: number;
  isAuditing: boolean;
  alive: boolean;
  /** Error of its clock. */
  skewMs: number;
  /** Called when it is killed, for the clients that wait for it. */
  readonly connections: Set<() => void>;
}

interface Gate {
  readonly process: Process | null;
  readonly label: string;
  readonly open: () => void;
}

const START_MS = 1_795_000_000_000;

export class World {
  readonly gates: Gate[] = [];
  readonly trace: string[] | null;
  /** The true time. */
  nowMs = START_MS;
  /** While true, nothing fails by chance. */
  calm = false;
  /** Calls of the ledger in progress. */
  underway = 0;
  #state: number;

  constructor(seed: number, tracing: boolean) {
    this.#state = seed >>> 0;
    this.trace = tracing ? [] : null;
  }

  /** A number from 0 up to 1. The generator is mulberry32 (Tommy Ettinger, public domain). */
  random(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.random() * n);
  }

  /** True with this chance; never while the world is calm. */
  mishap(chance: number): boolean {
    return !this.calm && this.random() < chance;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  log(who: string, what: string): void {
    const seconds = ((this.nowMs - START_MS) / 1000).toFixed(2).padStart(9);
    this.trace?.push(`${seconds} s  ${who.padEnd(10)} ${what}`);
  }

  /** Wait until the world opens this gate; forever if the process is killed before. */
  gate(process: Process | null, label: string): Promise<void> {
    return new Promise((open) => {
      if (process === null || process.alive) this.gates.push({ process, label, open });
    });
  }

  /** Open one gate, if there is any, and wait for its effects. */
  async step(): Promise<boolean> {
    const [gate] = this.gates.splice(this.below(this.gates.length), 1);
    if (!gate) return false;
    if (gate.process) this.log(gate.process.name, gate.label);
    gate.open();
    await this.settled();
    return true;
  }

  /** Resolves when all work waits at gates. */
  async settled(): Promise<void> {
    do
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    while (this.underway > 0);
  }

  kill(process: Process): void {
    this.log(process.name, 'IS KILLED');
    process.alive = false;
    const others = this.gates.filter((gate) => gate.process !== process);
    this.gates.splice(0, this.gates.length, ...others);
    for (const broken of process.connections) broken();
    process.connections.clear();
  }

  /** Do work of the ledger, for whose end the world waits. */
  async awaited(work: () => unknown): Promise<unknown> {
    this.underway += 1;
    try {
      return await work();
    } finally {
      this.underway -= 1;
    }
  }
}
