/** Input of a process of the simulated server, and the messages of its clients. */
import { ChainUnavailable } from '../../../api/payments/chain/node.ts';
import type { PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import {
  LedgerUnavailable,
  type Answer,
  type DeliveryKind,
  type LeadLimits,
  type Ledger,
  type OfferedLead,
  type Payment,
  type Purchase,
} from '../../../ledger/ledger.ts';
import type { CallChecks } from './call_checks.ts';
import type { Chain } from './chain.ts';
import type { Settle } from './facilitator.ts';
import type { Parts } from './parts.ts';
import type { Process, World } from './world.ts';

export const EXCLUSIVE = 'GET /api/leads/exclusive';
export const LEASE_MS = 30_000;

export interface Request {
  readonly route: string;
  readonly request: string;
  readonly payment: Payment;
  readonly identifierHash: string | null;
  /** A contract wallet uses the same signature for all of its payments. */
  readonly signature: string;
}

export type Reply =
  | { readonly kind: 'answer'; readonly body: string; readonly receipt: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'broken' };

/** A sent answer, with the state of chain and ledger when it was sent. */
export interface Sent {
  readonly to: string;
  readonly purchase: Purchase;
  readonly body: string;
  /** Whether a block had shown its payment to us by then. */
  readonly wasPaid: boolean;
  /** Whether the ledger had it as sold by then. */
  readonly wasWritten: boolean;
}

/** Limits of this world, low enough to be reached. */
export interface Limits {
  readonly leads: LeadLimits;
  readonly maxOpen: number;
  readonly mostOpenOfContract: number;
  /** How long an answer can be collected. */
  readonly collectMs: number;
}

export interface ServerOptions {
  readonly world: World;
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly checks: CallChecks;
  readonly parts: Parts;
  readonly leads: readonly OfferedLead[];
  readonly limits: Limits;
  /** How many facilitators it has, in order of preference. */
  readonly facilitators: number;
  /** Whether exclusive sales may be paused: the schedule has a restore. */
  readonly mayPause: boolean;
}

/** One process that handles a request. */
export interface Session {
  readonly options: ServerOptions;
  readonly process: Process;
  /** The client, by its name in the trace. */
  readonly client: string;
  /** Ledger, chain and clock as this process sees them. */
  readonly ledger: Ledger;
  readonly chain: PaymentChain;
  readonly nowMs: () => number;
  readonly settle: Settle;
  /** Purchases that the facilitator was asked to settle. */
  readonly asked: Set<string>;
  /** Purchases whose settlement had an unknown outcome. */
  readonly unknown: Set<string>;
  send(purchase: Purchase, sold: Answer, kind: DeliveryKind): Promise<Reply>;
}

export class HandlerFailed extends Error {
  override readonly name = 'HandlerFailed';
}

export const isExpected = (error: unknown): error is Error =>
  error instanceof LedgerUnavailable || error instanceof ChainUnavailable || error instanceof HandlerFailed;
