/** Buyers for tests: @x402/fetch with a wallet, and its single steps for payments that must fail. */
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { createSIWxMessage, encodeSIWxHeader, type CompleteSIWxInfo } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPaymentFromConfig, x402Client } from '@x402/fetch';
import { createPublicClient, createWalletClient, encodeFunctionData, http, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { SignedAuthorization } from '../../../api/payments/chain/authorization.ts';
import { base, domain } from './base.ts';
import { NETWORK, USDC } from '../../../lib/network.ts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';

export interface Buyer {
  readonly address: Hex;
  /** As a client with @x402/fetch: request, pay, get the response. */
  readonly fetch: (url: string) => Promise<Response>;
  /** PAYMENT-SIGNATURE for the terms of the server. */
  sign(url: string): Promise<string>;
  /**
   * The same, with a payment identifier.
   * @param aheadSeconds shifts the expiry, as a client with a wrong clock does
   */
  signAs(url: string, identifier: string, aheadSeconds?: number): Promise<string>;
  /** SIGN-IN-WITH-X for the challenge of this URL, changed before it is signed. @param address wallet named in it */
  signIn(url: string, change?: (info: CompleteSIWxInfo) => CompleteSIWxInfo, address?: Hex): Promise<string>;
  /** Cancel a signed payment on the chain. */
  cancel(chain: Pick<Chain, 'rpcUrl' | 'gasKey'>, payment: string): Promise<void>;
  /** PAYMENT-SIGNATURE, changed after it was signed. */
  forge(url: string, change: (payload: PaymentPayload) => PaymentPayload): Promise<string>;
}

/** The PAYMENT-REQUIRED header of an unpaid request, decoded. */
export async function fetchPaymentRequired(url: string): Promise<PaymentRequired> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
}

const cancelAbi = parseAbi(['function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)']);
/** Call data that cancels an authorization. */
async function cancelOf(payer: PrivateKeyAccount, nonce: Hex): Promise<Hex> {
  const signature = await payer.signTypedData({
    domain,
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
  });
  const args = [payer.address, nonce, signature] as const;
  return encodeFunctionData({ abi: cancelAbi, functionName: 'cancelAuthorization', args });
}

/** The authorization in a payment header. */
export const authorizationIn = (payment: string): SignedAuthorization['authorization'] =>
  (JSON.parse(Buffer.from(payment, 'base64').toString('utf8')) as { payload: SignedAuthorization }).payload
    .authorization;

export function buyerWith(privateKey: Hex = generatePrivateKey()): Buyer {
  const account = privateKeyToAccount(privateKey);
  const scheme = new ExactEvmScheme(account);
  const client = new x402Client().register(NETWORK, scheme).setSpendControls({ maxAmountPerPayment: '$2' });
  const payloadFor = async (url: string): Promise<PaymentPayload> =>
    client.createPaymentPayload(await fetchPaymentRequired(url));
  return {
    address: account.address,
    fetch: wrapFetchWithPaymentFromConfig(fetch, {
      schemes: [{ network: NETWORK, client: scheme }],
      spendControls: { maxAmountPerPayment: '$2' },
    }),
    sign: async (url) => encodePaymentSignatureHeader(await payloadFor(url)),
    async signAs(url, identifier, aheadSeconds = 0) {
      const required = await fetchPaymentRequired(url);
      const extensions = appendPaymentIdentifierToExtensions({ ...required.extensions }, identifier);
      const accepts = required.accepts.map((a) => ({ ...a, maxTimeoutSeconds: a.maxTimeoutSeconds + aheadSeconds }));
      const payload = await client.createPaymentPayload({ ...required, extensions, accepts });
      return encodePaymentSignatureHeader({
        ...payload,
        accepted: { ...payload.accepted, maxTimeoutSeconds: payload.accepted.maxTimeoutSeconds - aheadSeconds },
      });
    },
    async signIn(url, change = (info) => info, address = account.address) {
      const { sign_in: challenge } = (await (await fetch(url)).json()) as {
        sign_in: { info: CompleteSIWxInfo; supportedChains: { chainId: string; type: 'eip191' }[] };
      };
      const [chain] = challenge.supportedChains;
      const info = change({ ...challenge.info, chainId: chain?.chainId ?? '', type: 'eip191' });
      // As createSIWxPayload does, which would refuse the challenge: it names the public URL, not this local one.
      const signature = await account.signMessage({ message: createSIWxMessage(info, address) });
      return encodeSIWxHeader({ ...info, address, signature });
    },
    async cancel({ rpcUrl, gasKey }, payment) {
      const sender = createWalletClient({ chain: base, transport: http(rpcUrl), account: privateKeyToAccount(gasKey) });
      const data = await cancelOf(account, authorizationIn(payment).nonce);
      const hash = await sender.sendTransaction({ to: USDC, data });
      await createPublicClient({ chain: base, transport: http(rpcUrl), pollingInterval: 25 }).waitForTransactionReceipt(
        { hash },
      );
    },
    forge: async (url, change) => encodePaymentSignatureHeader(change(await payloadFor(url))),
  };
}

/** A request with this payment header. */
export const fetchWithPayment = (url: string, payment: string, method = 'GET'): Promise<Response> =>
  fetch(url, { method, headers: { 'PAYMENT-SIGNATURE': payment } });

/** The JSON body of a response. */
export const bodyOf = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;
