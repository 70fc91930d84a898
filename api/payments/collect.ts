/**
 * Proof that a client controls the wallet that paid: sign-in-with-x (CAIP-122, EIP-4361) over the address of one
 * purchase on this server. The server does not store challenges: the nonce contains a MAC over everything that is
 * signed. A challenge works once, for a few minutes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SIWxPayload, SupportedChain } from '@x402/extensions/sign-in-with-x';
import { getAddress, isHex } from 'viem';
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import type { PaymentNetwork } from './paid_request.ts';

/** How long a challenge is valid. */
const CHALLENGE_MS = 300_000;
const RANDOM_BYTES = 8;
const MAC_CHARACTERS = 32;

const RECEIPT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NONCE = /^0x[0-9a-f]{64}$/;

export type Collected =
  | { readonly kind: 'purchase'; readonly purchase: Purchase }
  /** The ledger lost the purchase, or its answer: its transfer of this amount is owed. */
  | { readonly kind: 'owed'; readonly amount: bigint }
  /** The signature is valid, and the wallet has no such purchase. */
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string };

interface CollectOptions extends Pick<PaymentNetwork, 'network' | 'signatures'> {
  readonly ledger: Ledger;
  /** Public origin of the server. */
  readonly publicUrl: string;
  /** Shared by all servers behind one address, and secret. */
  readonly secret: string;
  readonly nowMs: () => number;
}

export type PurchaseCollector = ReturnType<typeof purchaseCollector>;

/** Whether this text is a receipt id or the nonce of a payment, in upper or lower case. */
export const namesPurchase = (text: string): boolean =>
  RECEIPT_ID.test(text.toLowerCase()) || NONCE.test(text.toLowerCase());

export function purchaseCollector({ ledger, network, signatures, publicUrl, secret, nowMs }: CollectOptions) {
  const key = createHmac('sha256', secret).update('sign-in challenges of purchases').digest();
  const { host: domain } = new URL(publicUrl);
  const chain: SupportedChain = { chainId: network.name, type: 'eip191' };

  /** The message to sign. Clients add the chain for which they sign. */
  const infoOf = (uri: string, random: string, issuedAtMs: number) => {
    const signed = {
      domain,
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
  const find = (payer: string, name: string): Promise<Purchase | null> => {
    if (!NONCE.test(name)) return ledger.find({ id: name });
    const asset = network.usdc.address.toLowerCase();
    return ledger.find({ payment: { network: network.name, asset, payer, nonce: name } });
  };

  return {
    /** The message that the wallet signs for this address. */
    challenge: (uri: string) => ({
      info: infoOf(uri, randomBytes(RANDOM_BYTES).toString('hex'), nowMs()),
      supportedChains: [chain],
    }),
    /**
     * Read a SIGN-IN-WITH-X header sent to `uri` and find the wallet's own purchase. Nothing counts of what it says
     * but the nonce and the time, from which our own message is built again, the wallet and its signature.
     * @param idOrNonce receipt id, or nonce of the payment
     * @throws LedgerUnavailable; ChainUnavailable if a contract wallet must be called and the chain cannot be read
     */
    async collect(uri: string, idOrNonce: string, header: string): Promise<Collected> {
      // Loaded with the first sign-in.
      const { createSIWxMessage, parseSIWxHeader } = await import('@x402/extensions/sign-in-with-x');
      let sent: SIWxPayload;
      let address: `0x${string}`;
      try {
        sent = parseSIWxHeader(header);
        address = getAddress(sent.address);
      } catch {
        return { kind: 'refused', why: 'SIGN-IN-WITH-X is not a signed message in base64' };
      }
      const issuedAtMs = Date.parse(sent.issuedAt);
      if (!Number.isFinite(issuedAtMs)) return { kind: 'refused', why: 'issuedAt is not a time' };
      const info = infoOf(uri, sent.nonce.slice(0, 2 * RANDOM_BYTES), issuedAtMs);
      const [given, own] = [Buffer.from(sent.nonce), Buffer.from(info.nonce)];
      if (given.length !== own.length || !timingSafeEqual(given, own))
        return { kind: 'refused', why: 'the message answers no challenge of this server for this address' };
      if (nowMs() >= issuedAtMs + CHALLENGE_MS || nowMs() < issuedAtMs)
        return { kind: 'refused', why: 'the challenge has expired' };
      // The library writes the address with its checksum; a wallet signs it as it names itself, often in lower case.
      const message = createSIWxMessage({ ...info, ...chain }, address).replace(address, sent.address);
      const { signature } = sent;
      if (!isHex(signature) || !(await signatures.text({ address, message, signature })))
        return { kind: 'refused', why: 'the wallet that the message names did not sign the challenge' };
      const payer = address.toLowerCase();
      const name = idOrNonce.toLowerCase();
      const purchase = await find(payer, name);
      const owed = await ledger.owedFor(payer, purchase?.payment.nonce ?? name);
      if (owed !== null) return { kind: 'owed', amount: owed };
      if (purchase?.payment.payer !== payer) return { kind: 'none' };
      if (!(await ledger.useOnce(info.nonce, issuedAtMs + CHALLENGE_MS)))
        return { kind: 'refused', why: 'the message was already used' };
      return { kind: 'purchase', purchase };
    },
  };
}
