/** An ordinary account that delegates to a contract (EIP-7702) between the signature check and the settlement. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { fetchPaymentRequired, type Buyer } from '../api/support/buyers.ts';
import { codeOf, type ContractName } from '../api/support/contracts.ts';
import { attempt, checkBooks, gasSpent, reasonOf, type Attempt } from './books.ts';
import { honest } from '../shop/facilitators.ts';
import { DEALS, DOLLAR, EXCLUSIVE, openShop, type Shop } from '../shop/shop.ts';
import { thorough } from '../thorough.ts';
import { authorizationFor, delegationTo, headerWith, randomAddress, signAuthorization } from './wallets.ts';

/** Far more than a transfer takes, far less than the attack burns. */
const MAX_GAS = 2_000_000n;
const CONTRACTS = ['AcceptsAnything', 'BurnsTenMillionGas', 'RefusesAll', 'NeverReturns'] as const;
const FEW = CONTRACTS.slice(0, thorough(2, 4));

describe('a delegation', () => {
  let shop: Shop;
  let selfShop: Shop;
  /** A hook that throws would leave a test without its attack. */
  const delegated = new Set<string>();
  before(async () => {
    [shop, selfShop] = await Promise.all([openShop(), openShop({ mode: 'self' })]);
  });
  after(() => Promise.all([shop.close(), selfShop.close()]));
  afterEach(() => {
    shop.facilitator.behave(honest);
    selfShop.node.before(null);
  });

  const delegate = async (
    buyer: Pick<Buyer, 'address'>,
    name: ContractName,
    { admin }: Pick<Shop, 'admin'> = shop,
  ): Promise<void> => {
    const contract = randomAddress();
    await admin.setCode({ address: contract, bytecode: codeOf(name) });
    await admin.setCode({ address: buyer.address, bytecode: delegationTo(contract) });
    delegated.add(buyer.address);
  };

  for (const name of FEW) {
    it(`to ${name} set between verification and settlement gives nothing unpaid`, async () => {
      const attempts: Attempt[] = [];
      for (const path of [DEALS, EXCLUSIVE]) {
        const buyer = await shop.buyer();
        shop.facilitator.behave(async (request) => {
          await delegate(buyer, name);
          await honest(request);
        });
        attempts.push(await attempt(shop.url + path, await buyer.sign(shop.url + path)));
        assert.ok(delegated.has(buyer.address));
      }
      await checkBooks(shop, attempts);
      for (const made of attempts) {
        const outcome = `${made.status} ${reasonOf(made)}`.trim();
        assert.ok(['200', '502 settlement_unknown'].includes(outcome), outcome);
      }
    });
  }

  for (const name of FEW.slice(1)) {
    for (const [moment, methods] of [
      ['just before our own key sends', ['eth_sendRawTransaction', 'eth_sendRawTransactionSync']],
      ['before our own key estimates the gas', ['eth_estimateGas', 'eth_fillTransaction']],
    ] as const) {
      it(`to ${name} set ${moment} costs a bounded amount of gas`, async () => {
        const buyer = await selfShop.buyer();
        const header = await buyer.sign(selfShop.url + DEALS);
        const firstBlock = await selfShop.admin.getBlockNumber();
        selfShop.node.before(async (method) => {
          if (methods.some((named) => named === method)) await delegate(buyer, name, selfShop);
        });
        const made = await attempt(selfShop.url + DEALS, header);
        selfShop.node.before(null);
        assert.ok(delegated.has(buyer.address));
        await checkBooks(selfShop, [made]);
        const gas = await gasSpent(selfShop, firstBlock);
        assert.ok(gas < MAX_GAS, `${gas} gas: ${made.status} ${reasonOf(made)}`);
      });
    }
  }

  it('that is there before makes the account a contract wallet, which buys no exclusive lead', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    await shop.chain.mint(account.address, 5n * DOLLAR);
    await delegate(account, 'AcceptsAnything');
    const asked = await fetchPaymentRequired(shop.url + EXCLUSIVE);
    const authorization = authorizationFor(asked, account.address);
    const signature = await signAuthorization(account, authorization);
    const made = await attempt(shop.url + EXCLUSIVE, headerWith(asked, { signature, authorization }));
    assert.equal(`${made.status} ${reasonOf(made)}`, '402 contract_wallet_refused');
    assert.equal(made.json['billed'], false);
    await checkBooks(shop, [made]);
  });
});
