/** A request with a payment, handled as by api/payments/middleware.ts: the same parts without HTTP and Koa. */
import type { OfferedPayment } from '../../../api/payments/chain/authorization.ts';
import type { Signatures } from '../../../api/payments/chain/signatures.ts';
import type { Claimant, SaleEffects } from '../../../api/payments/sale.ts';
import { isExpired, type Answer, type Purchase } from '../../../ledger/ledger.ts';
import { answer } from '../purchases.ts';
import { PAY_TO, PRICE } from './chain.ts';
import { EXCLUSIVE, HandlerFailed, LEASE_MS, type Reply, type Request, type Session } from './session.ts';

const WAIT = { everyMs: 500, readsWithHint: 4, readsWithoutHint: 2 } as const;
/** Seconds for which a payment must be valid, at least and at most. */
const [MIN_VALID, MAX_VALID] = [20n, 360n];
const HANDLER_FAILS = 0.02;
/** Chance that an answer takes long while its payer pays directly; and how many steps it takes. */
const [PAID_MEANWHILE, HANDLER_STEPS] = [0.03, 15];

interface VerifiedPayer {
  readonly balance: bigint;
  readonly isContract: boolean;
}

/** The purchase that has this payment or identifier, unless it is an expired reservation. */
async function findEarlierPurchase(
  { ledger, nowMs }: Session,
  { payment, identifierHash }: Request,
): Promise<Purchase | null> {
  const unlessOver = (p: Purchase | null): Purchase | null => (p && isExpired(p, nowMs()) ? null : p);
  return (
    (identifierHash === null ? null : unlessOver(await ledger.find({ payer: payment.payer, identifierHash }))) ??
    unlessOver(await ledger.find({ payment }))
  );
}

async function answerEarlierPurchase(session: Session, purchase: Purchase, request: Request): Promise<Reply> {
  const { ledger, options } = session;
  if (!options.parts.mayCollect(purchase, request) || purchase.state !== 'sold') {
    return { kind: 'refused', why: `taken by a ${purchase.state} purchase` };
  }
  const stored = await ledger.answerOf(purchase.id);
  return stored
    ? session.send(purchase, stored, 'identifier')
    : { kind: 'refused', why: 'its answer is no longer stored' };
}

/** The checks before a sale. @returns the reason of a refusal as text */
async function verify(session: Session, { payment, route }: Request): Promise<VerifiedPayer | string> {
  const { options, chain, nowMs } = session;
  const { chain: token, parts } = options;
  const now = BigInt(Math.floor(nowMs() / 1000));
  if (
    payment.payTo !== PAY_TO ||
    payment.amount !== PRICE ||
    payment.validBefore < now + MIN_VALID ||
    payment.validBefore > now + MAX_VALID
  ) {
    return 'the payment does not match the requirements';
  }
  const signatures: Pick<Signatures, 'byKey'> = { byKey: async () => true };
  const offer = { payment, signed: { signature: '0x', authorization: {} } } as unknown as OfferedPayment;
  const payer = await parts.checkPayer(
    { network: token.network, chain, signatures, acceptsContractWallets: true },
    offer,
    route === EXCLUSIVE,
  );
  if (payer.kind === 'obstacle') return payer.obstacle;
  return payer.kind === 'refused' ? payer.reason : payer;
}

/** The handler: builds the answer, and claims a lead on the exclusive route. */
async function handle(
  { options, process, ledger, nowMs }: Session,
  { payment, route, request }: Request,
  { purchase, claim }: Claimant,
): Promise<Answer | null> {
  const { world, chain: token, leads, limits } = options;
  if (world.mishap(HANDLER_FAILS)) throw new HandlerFailed('the handler threw');
  if (world.mishap(PAID_MEANWHILE)) {
    token.mine([token.send([{ kind: 'pay', authorization: payment }], 'payer')]);
    for (let step = 0; step < HANDLER_STEPS; step += 1) await world.gate(process, 'builds the answer');
  }
  if (route !== EXCLUSIVE) return world.mishap(HANDLER_FAILS) ? null : answer(`list for ${request}`);
  const claimed = await ledger.claimedLeads(nowMs());
  const got = await claim(
    leads.filter(({ leadId }) => !claimed.has(leadId)),
    limits.leads,
  );
  return got.kind === 'claimed' ? answer(`lead ${got.leadId} on receipt ${purchase.id}`) : null;
}

function effectsOf(session: Session, request: Request, payer: VerifiedPayer): SaleEffects {
  const { options, process, ledger, chain, settle, asked, nowMs } = session;
  const { world, chain: token } = options;
  return {
    ledger,
    nowMs,
    wait: WAIT,
    settle: async ({ id }) => {
      if (payer.isContract) {
        await world.gate(process, 'asks the contract wallet');
        if (token.wallets.get(request.payment.payer)?.accepts !== true)
          return { transaction: null, unsent: 'invalid_exact_evm_signature' };
      }
      await world.gate(process, 'asks for settlement');
      asked.add(id);
      const hint = await settle(request.payment, request.signature);
      const named = hint.transaction === null ? 'no transaction' : hint.transaction.slice(-4);
      await world.gate(process, `gets ${named}`);
      return hint;
    },
    evidence: (payment, hint) => chain.evidenceOf(payment, hint),
    pause: (ms) => world.gate(process, `pauses ${ms} ms`),
    buildAnswer: (claimant) => handle(session, request, claimant),
  };
}

/** Handle a request with a payment. */
export async function buy(session: Session, request: Request): Promise<Reply> {
  const { options, chain, unknown } = session;
  const { parts, limits } = options;
  const earlier = await findEarlierPurchase(session, request);
  if (earlier) return answerEarlierPurchase(session, earlier, request);
  const payer = await verify(session, request);
  if (typeof payer === 'string') {
    const used = await findEarlierPurchase(session, request);
    return used ? answerEarlierPurchase(session, used, request) : { kind: 'refused', why: payer };
  }
  // As in api/payments/request/verify.ts.
  if (options.mayPause && request.route === EXCLUSIVE && (await session.ledger.exclusivePause()) !== null)
    return { kind: 'refused', why: 'exclusive sales are paused' };
  const outcome = await parts.sell(effectsOf(session, request, payer), {
    payment: request.payment,
    identifierHash: request.identifierHash,
    route: request.route,
    request: request.request,
    snapshotId: 'run-1',
    leaseMs: LEASE_MS,
    chain: await chain.id(),
    limits: { balance: payer.balance, maxOpen: payer.isContract ? limits.mostOpenOfContract : limits.maxOpen },
  });
  switch (outcome.kind) {
    case 'sold':
      return session.send(outcome.purchase, outcome.answer, 'first');
    case 'taken':
      return answerEarlierPurchase(session, outcome.purchase, request);
    case 'unknown':
      unknown.add(outcome.purchase.id);
      return { kind: 'refused', why: 'unknown' };
    case 'refused':
      return { kind: 'refused', why: outcome.reason };
    default:
      return { kind: 'refused', why: outcome.kind };
  }
}
