/** Collecting again what was paid for: the wallet that paid signs the server's challenge for that one purchase. */
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { NETWORK } from '../lib/network.ts';

const COLLECT_MS = 60_000;

/** The part of the 401 that is signed. */
const Asked = z.object({
  sign_in: z.object({
    info: z.object({
      domain: z.string(),
      uri: z.url(),
      statement: z.string(),
      version: z.literal('1'),
      nonce: z.string(),
      issuedAt: z.string(),
      expirationTime: z.string(),
      resources: z.array(z.string()),
    }),
  }),
});

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
/** Whether a challenge for this address may be signed for the server at `url`: its own, or another name of this machine. */
const isOf = (uri: URL, url: URL): boolean =>
  uri.origin === url.origin || (isLoopback(uri) && isLoopback(url) && uri.port === url.port);

/** The address of a purchase, by its receipt or the nonce of its payment. */
export const purchaseAt = (base: string, idOrNonce: string): URL =>
  new URL(`${base}/api/purchases/${encodeURIComponent(idOrNonce)}`);

/**
 * The server's answer to the proof of `payer`, whatever its status, or null where it did not answer or asks for
 * something else to be signed than a sign-in to itself.
 */
export async function collect(url: URL, payer: PrivateKeyAccount): Promise<Response | null> {
  const get = (header?: string): Promise<Response> =>
    fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(COLLECT_MS),
      headers: header === undefined ? {} : { 'SIGN-IN-WITH-X': header },
    });
  try {
    const response = await get();
    if (response.status !== 401) return response;
    const {
      sign_in: { info },
    } = Asked.parse(await response.json());
    if (!isOf(new URL(info.uri), url)) return null;
    return await get(
      encodeSIWxHeader(await createSIWxPayload({ ...info, chainId: NETWORK, type: 'eip191' }, payer, info.uri)),
    );
  } catch {
    return null;
  }
}
