/** Collects a paid response again: the wallet that paid signs the server's challenge for that purchase. */
import { createSIWxPayload, encodeSIWxHeader, type CompleteSIWxInfo } from '@x402/extensions/sign-in-with-x';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';

const COLLECT_MS = 60_000;

/** The challenge in the 401. Its other members are signed as they are. */
const SignInChallenge = z.object({ sign_in: z.object({ info: z.looseObject({ uri: z.url() }) }) });

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
/** Whether `uri` is on the server at `url`. Both may be different names of this machine. */
const isSameServer = (uri: URL, url: URL): boolean =>
  uri.origin === url.origin || (isLoopback(uri) && isLoopback(url) && uri.port === url.port);

/** URL of a purchase, by its receipt or the nonce of its payment. */
export const purchaseUrl = (base: string, idOrNonce: string): URL =>
  new URL(`${base}/api/purchases/${encodeURIComponent(idOrNonce)}`);

/**
 * Sign in as `payer` and collect. @param chainId CAIP-2 name of the network on which it paid @returns the response with
 * any status, or null if the server did not respond or its challenge is not a sign-in to itself
 */
export async function collect(url: URL, payer: PrivateKeyAccount, chainId: string): Promise<Response | null> {
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
    } = SignInChallenge.parse(await response.json());
    if (!isSameServer(new URL(info.uri), url)) return null;
    const message = { ...info, chainId, type: 'eip191' } as unknown as CompleteSIWxInfo;
    return await get(encodeSIWxHeader(await createSIWxPayload(message, payer, info.uri)));
  } catch {
    return null;
  }
}
