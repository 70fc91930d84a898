/**
 * Proof that a client controls the wallet that paid: sign-in-with-x (CAIP-122, EIP-4361) over the address of one
 * purchase on this server. The server does not store challenges: the nonce contains a MAC over everything that is
 * signed. A challenge works once, for a few minutes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  createSIWxMessage,
  parseSIWxHeader,
  type CompleteSIWxInfo,
  type SIWxPayload,
  type SupportedChain,
} from '@x402/extensions/sign-in-with-x';
import { getAddress, isHex } from 'viem';
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import type { PaymentNetwork } from './paid_request.ts';

/** How long a challenge is valid. */
const CHALLENGE_MS = 300_000;
const RANDOM_BYTES = 8;
const MAC_CHARACTERS = 32;

const RECEIPT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NONCE = /^0x[0-9a-f]{64}$/;

/** The message to sign. Clients add the chain for which they sign. */
export interface ChallengeInfo {
  readonly domain: string;
  readonly uri: string;
  readonly statement: string;
  readonly version: '1';
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime: string;
  readonly resources: string[];
}

export interface Challenge {
  readonly info: ChallengeInfo;
  readonly supportedChains: readonly SupportedChain[];
}

export type Collected =
  | { readonly kind: 'purchase'; readonly purchase: Purchase }
  /** The ledger lost the purchase, or its answer: its transfer of this amount is owed. */
  | { readonly kind: 'owed'; readonly amount: bigint }
  /** The signature is valid, and the wallet has no such purchase. */
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string };

export interface CollectOptions extends Pick<PaymentNetwork, 'network' | 'signatures'> {
  readonly ledger: Ledger;
  /** Public origin of the server. */
  readonly publicUrl: string;
  /** Shared by all servers behind one address, and secret. */
  readonly secret: string;
  readonly nowMs: () => number;
}

export interface PurchaseCollector {
  /** The message that the wallet signs for this address. */
  challenge(uri: string): Challenge;
  /**
   * Read a SIGN-IN-WITH-X header sent to `uri` and find the wallet's own purchase.
   * @param idOrNonce receipt id, or nonce of the payment
   * @throws LedgerUnavailable; ChainUnavailable if a contract wallet must be called and the chain cannot be read
   */
  collect(uri: string, idOrNonce: string, header: string): Promise<Collected>;
}

/** Whether this text is a receipt id or the nonce of a payment, in upper or lower case. */
export const namesPurchase = (text: string): boolean =>
  RECEIPT_ID.test(text.toLowerCase()) || NONCE.test(text.toLowerCase());

export function purchaseCollector(options: CollectOptions): PurchaseCollector {
  const { ledger, network, signatures, publicUrl, secret, nowMs } = options;
  const key = createHmac('sha256', secret).update('sign-in challenges of purchases').digest();
  const { host } = new URL(publicUrl);

  const infoOf = (uri: string, random: string, issuedAtMs: number): ChallengeInfo => {
    const signed = {
      domain: host,
      uri,
      statement: 'Collect again what this wallet has paid for.',
      version: '1' as const,
      issuedAt: new Date(issuedAtMs).toISOString(),
      expirationTime: new Date(issuedAtMs + CHALLENGE_MS).toISOString(),
      resources: [uri],
    };
    const mac = createHmac('sha256', key)
      .update(JSON.stringify([random, signed]))
      .digest('hex')
      .slice(0, MAC_CHARACTERS);
    return { ...signed, nonce: random + mac };
  };
  /** Why this message does not answer a valid challenge of ours; null if it does. */
  const problemOf = (payload: SIWxPayload, uri: string): string | null => {
    if (payload.chainId !== network.name || payload.type !== 'eip191')
      return `it is not signed for ${network.name} as eip191`;
    const issuedAtMs = Date.parse(payload.issuedAt);
    if (!Number.isFinite(issuedAtMs)) return 'issuedAt is not a time';
    const expected = infoOf(uri, payload.nonce.slice(0, 2 * RANDOM_BYTES), issuedAtMs);
    const [given, own] = [Buffer.from(payload.nonce), Buffer.from(expected.nonce)];
    if (given.length !== own.length || !timingSafeEqual(given, own))
      return 'this server did not issue its nonce for this address';
    for (const name of ['domain', 'uri', 'statement', 'version', 'issuedAt', 'expirationTime'] as const) {
      if (payload[name] !== expected[name]) return `${name} differs from the challenge`;
    }
    if (
      JSON.stringify(payload.resources) !== JSON.stringify(expected.resources) ||
      payload.notBefore !== undefined ||
      payload.requestId !== undefined
    )
      return 'it has fields that the challenge does not have';
    return nowMs() < issuedAtMs + CHALLENGE_MS && nowMs() >= issuedAtMs ? null : 'it has expired';
  };
  const find = (payer: string, name: string): Promise<Purchase | null> => {
    if (!NONCE.test(name)) return ledger.find({ id: name });
    const asset = network.usdc.address.toLowerCase();
    return ledger.find({ payment: { network: network.name, asset, payer, nonce: name } });
  };

  return {
    challenge: (uri) => ({
      info: infoOf(uri, randomBytes(RANDOM_BYTES).toString('hex'), nowMs()),
      supportedChains: [{ chainId: network.name, type: 'eip191' }],
    }),
    async collect(uri, idOrNonce, header) {
      let payload: SIWxPayload;
      let message: string;
      let address: `0x${string}`;
      try {
        payload = parseSIWxHeader(header);
        address = getAddress(payload.address);
        // The library writes the address with its checksum; a wallet signs it as it names itself, often in lower case.
        message = createSIWxMessage(payload as CompleteSIWxInfo, address).replace(address, payload.address);
      } catch {
        return { kind: 'refused', why: 'SIGN-IN-WITH-X is not a signed message in base64' };
      }
      const problem = problemOf(payload, uri);
      if (problem !== null)
        return { kind: 'refused', why: `the message does not answer a challenge for this address: ${problem}` };
      const { signature } = payload;
      const isSigned = isHex(signature) && (await signatures.text({ address, message, signature }));
      if (!isSigned) return { kind: 'refused', why: 'the wallet that the message names did not sign it' };
      const payer = address.toLowerCase();
      const name = idOrNonce.toLowerCase();
      const purchase = await find(payer, name);
      const owed = await ledger.owedFor(payer, purchase?.payment.nonce ?? name);
      if (owed !== null) return { kind: 'owed', amount: owed };
      if (purchase?.payment.payer !== payer) return { kind: 'none' };
      if (!(await ledger.useOnce(payload.nonce, Date.parse(payload.expirationTime ?? payload.issuedAt))))
        return { kind: 'refused', why: 'the message was already used' };
      return { kind: 'purchase', purchase };
    },
  };
}
