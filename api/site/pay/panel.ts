/** The panel that buys one call with a wallet of the browser: pay.js drives it. */
import { element, html, type Html } from '../html.ts';
import { terms } from '../components.ts';
import type { Route } from '../../routes/define.ts';
import type { SiteOptions } from '../page.ts';

/** Where the test wallet of the sandbox answers. */
export const TEST_WALLET_PATH = '/sandbox/wallet';

const MOST_RECORDS = '500';

/** A call with as many records as one payment buys. */
function wholeCall({ params }: Route, path: string): string {
  const [route = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  if (Object.hasOwn(params, 'limit') && !query.has('limit')) query.set('limit', MOST_RECORDS);
  return query.size === 0 ? route : `${route}?${query.toString()}`;
}

/**
 * The panel that buys one call. Without a script or a wallet it says how else to pay.
 * @param path path and query of the call; a list is bought with as many records as the price allows
 */
export function payPanel({ network, hasTestWallet }: SiteOptions, route: Route, path: string): Html {
  const { title, chainId, rpc, explorer } = network;
  const attributes = {
    class: 'panel pay',
    'data-pay': true,
    'data-call': wholeCall(route, path),
    'data-price': String(route.price),
    'data-network': JSON.stringify({ title, chainId, rpc, explorer }),
    'data-test-wallet': hasTestWallet && TEST_WALLET_PATH,
  };
  const noWallet = hasTestWallet
    ? 'The test wallet needs JavaScript.'
    : `No wallet found in this browser. Use one with USDC on ${title}, such as MetaMask or Rabby.`;
  return element(
    'section',
    attributes,
    html`<h2>${hasTestWallet ? 'Pay with test money' : 'Pay with a wallet'}</h2>
      <p class="wallets actions"></p>
      <p class="no-wallet">${noWallet} A program pays <a href="/reference#paying">in three steps</a>.</p>
      <p role="status"></p>`,
    terms('pairs', [
      ['Price', `$${route.price} in ${hasTestWallet ? 'test money' : `USDC on ${title}`}, nothing for gas`],
      ['Charged', 'only if you receive an answer'],
      ['You get', 'the records on this page, files to save, and a signed receipt'],
    ]),
  );
}
