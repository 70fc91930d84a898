// Buys the call of a [data-pay] panel with a wallet of the browser (EIP-1193), and shows what was bought.
(() => {
  const LATER_MS = 2500;
  const REPEATS = 6;
  const MONEY = 6;
  const PENDING = 'dealfeed.pending';
  const FREE = 'Nothing was charged.';
  /** Fields that a table shows, in this order, with their format. The files have every field. */
  const FIELDS = {
    address: '', property_address: '', business_name: '', owner_name: '', city: '', county: '', state: '', // where
    list_price: '$', units: '0', cap_rate: '%', cap_rate_underwritten: '%', dscr: 'n', deal_score: '0', lead_score: '0',
    lead_type: 'w', signal_type: 'w', auction_type: 'w', amount: '$', sale_date: '', opening_bid: '$',
    appraised_value: '$', filing_date: '', entity_type: 'w', registered_agent_name: '', properties_count: '0',
    total_amount: '$',
  };
  const MAX_COLUMNS = 10;
  /** Fields that the map of bought deals takes. */
  const ON_MAP = 'zip city address list_price deal_score listing_url latitude longitude geo_basis'.split(' ');

  const hex = (number) => `0x${BigInt(number).toString(16)}`;
  const toHex = (bytes) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const random = (bytes) => toHex(crypto.getRandomValues(new Uint8Array(bytes)));
  const utf8 = (text) => new TextEncoder().encode(text);
  const base64 = (value) => btoa(String.fromCodePoint(...utf8(JSON.stringify(value))));
  const decoded = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.codePointAt(0))));
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const named = (name) =>
    name.replaceAll('_', ' ').replace(/^./u, (first) => first.toUpperCase()).replace(/^Dscr/u, 'DSCR');
  const json = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
  const element = (name, { role, ...properties }, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    if (role) made.setAttribute('role', role);
    made.append(...children);
    return made;
  };

  /** The last payment that was sent without an answer: what a sign-in needs to collect it. It holds no secret. */
  const pending = {
    read: () => json(localStorage.getItem(PENDING)),
    write: (value) => localStorage.setItem(PENDING, JSON.stringify(value)),
    clear: () => localStorage.removeItem(PENDING),
  };

  /** A response with its whole body; null if it was lost on the way. */
  async function whole(path, headers) {
    try {
      const response = await fetch(path, { headers: { Accept: 'application/json', ...headers }, cache: 'no-store' });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch {
      return null;
    }
  }

  // --- paying ---

  /** An error after which the buyer asks what became of the payment. */
  class Lost extends Error {}
  const unbilled = ({ detail }) => new Error(detail.includes(FREE) ? detail : `${detail} ${FREE}`);

  /** The terms of a call, at the price on the page. @throws Error what the server refused, which is free */
  async function termsOf(call, price) {
    const answer = await whole(call);
    if (!answer) throw unbilled({ detail: 'The server does not answer. Try again in a minute.' });
    const header = answer.headers.get('PAYMENT-REQUIRED');
    if (answer.status !== 402 || !header) throw unbilled(json(answer.text));
    const required = decoded(header);
    const expected = Math.round(Number(price) * 10 ** MONEY);
    const accepted = required.accepts.find(
      ({ scheme, network, amount }) =>
        scheme === 'exact' && network.startsWith('eip155:') && Number(amount) === expected,
    );
    if (!accepted) throw unbilled({ detail: 'The price of this call has changed. Load the page again.' });
    return { required, accepted, nowMs: Date.parse(answer.headers.get('Date')) || Date.now() };
  }

  /** Switch the wallet to the network, and add the network to a wallet that does not know it. */
  async function switchTo(ask, { chainId, title, rpc, explorer }) {
    const id = hex(chainId);
    const current = async () => BigInt(await ask('eth_chainId')) === BigInt(chainId);
    if (await current()) return;
    try {
      await ask('wallet_switchEthereumChain', { chainId: id });
    } catch (error) {
      if ((error.data?.originalError?.code ?? error.code) !== 4902) throw error;
      const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
      const network = { chainId: id, chainName: title, nativeCurrency, rpcUrls: [rpc], blockExplorerUrls: [explorer] };
      await ask('wallet_addEthereumChain', network);
      if (!(await current())) await ask('wallet_switchEthereumChain', { chainId: id });
    }
  }

  async function checkBalance(ask, { asset, amount }, from, { title }) {
    const data = `0x70a08231${from.slice(2).padStart(64, '0')}`;
    const balance = BigInt(await ask('eth_call', { to: asset, data }, 'latest'));
    const held = (Number(balance) / 10 ** MONEY).toFixed(2);
    if (balance < BigInt(amount)) throw unbilled({ detail: `This wallet holds $${held} in USDC on ${title}.` });
  }

  const typed = (text) => text.split(', ').map((pair) => ({ type: pair.split(' ')[0], name: pair.split(' ')[1] }));
  const TYPES = {
    EIP712Domain: typed('string name, string version, uint256 chainId, address verifyingContract'),
    TransferWithAuthorization: typed(
      'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
    ),
  };

  /** A payment that the wallet signed: an EIP-3009 transfer of exactly the price, with an identifier of our own. */
  async function paymentOf(ask, { required, accepted, nowMs }, network) {
    const [from] = await ask('eth_requestAccounts');
    await switchTo(ask, network);
    await checkBalance(ask, accepted, from, network);
    const authorization = {
      from,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: '0',
      validBefore: String(Math.floor(nowMs / 1000) + accepted.maxTimeoutSeconds),
      nonce: random(32),
    };
    const domain = { ...accepted.extra, chainId: network.chainId, verifyingContract: accepted.asset };
    const data = { types: TYPES, primaryType: 'TransferWithAuthorization', domain, message: authorization };
    const signature = await ask('eth_signTypedData_v4', from, JSON.stringify(data));
    const { x402Version, resource, extensions } = required;
    const own = extensions?.['payment-identifier'];
    const withId = { ...extensions, 'payment-identifier': { ...own, info: { ...own?.info, id: random(16) } } };
    const payload = { signature, authorization };
    return { x402Version, resource, extensions: own ? withId : extensions, accepted, payload };
  }

  /** Send the same payment, with the same identifier, until the answer is here. It is charged once. */
  async function answerTo(call, payment, say) {
    for (let i = 0; i < REPEATS; i += 1) {
      const answer = await whole(call, { 'PAYMENT-SIGNATURE': base64(payment) });
      if (answer?.status === 200) return answer;
      const problem = answer && json(answer.text);
      const isOpen = i > 0 && [409, 429, 503].includes(answer?.status);
      if (problem?.billed === false && problem.reason !== 'payment_in_progress' && !isOpen) {
        pending.clear();
        throw unbilled(problem);
      }
      say('The answer did not arrive yet. Asking again with the same payment: you are charged once.');
      await new Promise((resolve) => setTimeout(resolve, LATER_MS));
    }
    throw new Lost('The answer did not arrive. If you were charged, sign in with the wallet to collect it, free.');
  }

  /** What this wallet paid for with this nonce, after a sign-in (EIP-4361). */
  async function collected(ask, { nonce, network }) {
    const [address] = await ask('eth_requestAccounts');
    const url = `/api/purchases/${nonce}`;
    const { info } = json((await whole(url))?.text ?? '')?.sign_in ?? {};
    if (!info) throw new Lost('The server does not answer. Try again in a minute.');
    const message = [
      `${info.domain} wants you to sign in with your Ethereum account:`,
      address,
      `\n${info.statement}\n`,
      `URI: ${info.uri}`,
      `Version: ${info.version}`,
      `Chain ID: ${network.split(':')[1]}`,
      `Nonce: ${info.nonce}`,
      `Issued At: ${info.issuedAt}`,
      `Expiration Time: ${info.expirationTime}`,
      'Resources:',
      ...info.resources.map((resource) => `- ${resource}`),
    ].join('\n');
    const signature = await ask('personal_sign', toHex(utf8(message)), address);
    const proof = { ...info, address, chainId: network, type: 'eip191', signature };
    const answer = await whole(url, { 'SIGN-IN-WITH-X': base64(proof) });
    if (answer?.status === 200) return answer;
    if (!answer || answer.status < 400 || answer.status >= 500)
      throw new Lost('The payment is not settled yet. Try again in a minute.');
    // 401: another wallet or a late signature; else there is nothing to collect.
    if (answer.status !== 401) pending.clear();
    throw new Error(json(answer.text)?.detail ?? 'There is nothing to collect.');
  }

  // --- what was bought ---

  const FORMATS = {
    $: (value) => `$${Number(value).toLocaleString('en-US', { maximumFractionDigits: 0 })}`,
    '%': (value) => `${value}%`,
    0: (value) => Number(value).toLocaleString('en-US'),
    w: (value) => String(value).replaceAll('_', ' '),
  };
  const cellText = (value, format) => {
    if (value === null || value === undefined) return '–';
    return FORMATS[format]?.(value) ?? (typeof value === 'object' ? JSON.stringify(value) : String(value));
  };

  /** A cell as the lists' own CSV writes it: text that a spreadsheet would run gets an apostrophe. */
  const csvCell = (value) => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const isRun = /^['\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^'*[\t\r\n]/u.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
    const safe = isRun && typeof value === 'string' ? `'${text}` : text;
    return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csvOf = (records) => {
    const names = [...new Set(records.flatMap(Object.keys))];
    const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
    return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
  };

  const save = (textContent, download, type, text) => {
    const href = URL.createObjectURL(new Blob([text], { type }));
    return element('a', { className: 'button second', download, href, textContent });
  };

  /** Records as a table of the fields that people look for first. */
  function tableOf(records, ariaLabel) {
    const has = (name) => records.some((record) => Object.hasOwn(record, name) && !isObject(record[name]));
    const known = Object.keys(FIELDS).filter((name) => has(name) && !(name === 'property_address' && has('address')));
    const shown = (known.length > 0 ? known : Object.keys(records[0] ?? {}).filter(has)).slice(0, MAX_COLUMNS);
    const row = (tags, textOf) =>
      element('tr', {}, ...shown.map((name, i) => {
        const className = ['$', '%', '0', 'n'].includes(FIELDS[name]) ? 'num' : '';
        const cell = element(tags[i] ?? tags.at(-1), { className, textContent: textOf(name) });
        if (cell.tagName === 'TH') cell.scope = tags.length > 1 ? 'row' : 'col';
        return cell;
      }));
    const body = records.map((record) => row(['th', 'td'], (name) => cellText(record[name], FIELDS[name])));
    const table = element('table', {}, element('thead', {}, row(['th'], named)), element('tbody', {}, ...body));
    return element('div', { className: 'wide roomy', tabIndex: 0, role: 'region', ariaLabel }, table);
  }

  /** Parts of an answer that are no goods. */
  const ENVELOPE = new Set(['note', 'generated_at', 'as_of', 'snapshot_id', 'filters', 'absent', 'stale_sources']);

  /** Any other answer: first its records as tables, with all fields of a single one folded; other values as pairs. */
  function partsOf(value) {
    const entries = Object.entries(value).filter(([name]) => !ENVELOPE.has(name));
    const [found, parts, pairs] = [[], [], []];
    for (const [name, one] of entries) {
      const heading = element('h3', { textContent: named(name) });
      const isTable = Array.isArray(one) && one.some(isObject);
      if (isTable) found.push(heading, tableOf(one, named(name)));
      else if (isObject(one) && one.id) {
        const summary = element('summary', { textContent: 'All fields' });
        found.push(heading, tableOf([one], named(name)), element('details', {}, summary, ...partsOf(one)));
      } else if (isObject(one)) parts.push(heading, ...partsOf(one));
      else {
        const term = element('dt', { textContent: named(name) });
        pairs.push(element('div', {}, term, element('dd', { textContent: cellText(one) })));
      }
    }
    if (pairs.length > 0) parts.push(element('dl', { className: 'page-facts' }, ...pairs));
    return [...found, ...parts];
  }

  /** A report, or the maps of deals, as the server lays them out; nothing if it has no layout for them. */
  async function laidOut(text) {
    const headers = { 'Content-Type': 'application/json', Accept: 'text/html' };
    const response = await fetch('/bought', { method: 'POST', headers, body: text }).catch(() => null);
    if (!response?.ok) return [];
    return [...new DOMParser().parseFromString(await response.text(), 'text/html').body.childNodes];
  }

  /** The maps of the deals among the records. */
  async function mapsOf(records) {
    const located = records.filter((record) => record.zip && record.listing_url);
    const onMap = located.map((record) => Object.fromEntries(ON_MAP.map((name) => [name, record[name]])));
    return onMap.length > 0 ? laidOut(JSON.stringify({ records: onMap })) : [];
  }

  /** The pages of one purchase, shown together. @param next button that buys the next page */
  async function show(call, pages, box, next) {
    const bodies = pages.map(({ text }) => json(text));
    const [body] = bodies;
    const records = body?.records ? bodies.flatMap((page) => page.records) : null;
    const day = body?.as_of ?? pages[0].headers.get('X-Snapshot-Id');
    const name = `dealfeed-${call.split('?')[0].split('/').slice(2).join('-')}-${day}`;
    const files = pages.flatMap(({ text, headers }, i) => {
      const page = pages.length > 1 ? ` ${i + 1}` : '';
      const file = `${name}${page.replace(' ', '-')}`;
      return [
        body
          ? save(`JSON${page}`, `${file}.json`, 'application/json', text)
          : save('CSV', `${file}.csv`, 'text/csv', text),
        save(`Receipt${page}`, `${file}.jws`, 'application/jose', headers.get('Signed-Receipt') ?? ''),
      ];
    });
    if (records) files.unshift(save('CSV', `${name}.csv`, 'text/csv', csvOf(records)));
    const title = records ? `${records.length} of ${body.total_matches} records` : 'What you bought';
    const heading = element('h2', { textContent: title, tabIndex: -1 });
    const note = 'The files have every field. For 30 days, this wallet can collect the answer again, free: receipt ';
    const receipt = element('code', { textContent: pages.at(-1).headers.get('Receipt-Id') });
    let content = body?.recompute ? await laidOut(pages[0].text) : [];
    if (records) content = [tableOf(records, 'The records bought')];
    else if (body && content.length === 0) content = partsOf(body);
    box.replaceChildren(
      heading,
      element('p', { className: 'actions' }, ...files),
      element('p', { className: 'small' }, note, receipt, '.'),
      ...content,
      ...(bodies.at(-1)?.next_cursor ? [element('p', { className: 'actions' }, next)] : []),
    );
    heading.focus();
    if (records) content[0].after(...(await mapsOf(records)));
  }

  // --- the panel ---

  /** Wallets by name, as they announce themselves: each a function that asks it. */
  const wallets = new Map();

  /** The wallet of the sandbox, which answers at this address of the site. */
  const testWalletAt = (url) => async (method, ...params) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ method, params }) });
    const { result, detail } = await response.json();
    if (!response.ok) throw new Error(detail);
    return result;
  };

  function setUp(panel) {
    const { call, price, testWallet } = panel.dataset;
    // In the sandbox only the test wallet pays: what another one signed there would be valid on the real chain.
    const offered = testWallet ? new Map([['test money', testWalletAt(testWallet)]]) : wallets;
    const network = JSON.parse(panel.dataset.network);
    const [choices, status] = [panel.querySelector('.wallets'), panel.querySelector('[role=status]')];
    const box = document.querySelector('#answer');
    const pages = [];
    const say = (text, tone = 'plain') => {
      status.className = `outcome ${tone}`;
      status.textContent = text;
    };
    /** A button whose action disables its neighbors and says what went wrong. */
    const button = (textContent, action) => {
      const made = element('button', { type: 'button', textContent });
      made.addEventListener('click', async () => {
        const buttons = [...made.parentElement.children];
        for (const one of buttons) one.disabled = true;
        try {
          await action();
        } catch (error) {
          if (error.code === 4001) say(`You declined. ${FREE}`, 'thin');
          else say(error.message, 'bad');
          if (error instanceof Lost) panel.offerAll();
        }
        for (const one of buttons) one.disabled = false;
      });
      return made;
    };
    const showNext = async (ask, answer, money) => {
      pages.push(answer);
      const { transaction = '' } = decoded(answer.headers.get('PAYMENT-RESPONSE') ?? btoa('{}'));
      say(`${money} Transaction ${transaction}.`, 'good');
      pending.clear();
      panel.replaceChildren(choices, status);
      panel.className = 'pay';
      panel.offerAll();
      const { next_cursor: cursor } = json(answer.text) ?? {};
      await show(call, pages, box, button(`Buy the next page for $${price}`, () => buy(ask, cursor)));
    };
    const buy = async (ask, cursor) => {
      const url = new URL(call, location.href);
      if (cursor) url.searchParams.set('cursor', cursor);
      const target = url.pathname + url.search;
      say('Confirm in your wallet. It signs a transfer of exactly this price; the seller pays the gas.');
      const payment = await paymentOf(ask, await termsOf(target, price), network);
      pending.write({ call, nonce: payment.payload.authorization.nonce, network: payment.accepted.network });
      say('Paying. The transfer settles before the answer comes, which takes a few seconds.');
      const answer = await answerTo(target, payment, say);
      await showNext(ask, answer, `Paid $${(Number(price) * (pages.length + 1)).toFixed(2)}.`);
    };
    const collect = async (ask) => {
      say('Confirm the sign-in in your wallet. It moves no money.');
      await showNext(ask, await collected(ask, pending.read()), 'Collected, free.');
    };
    panel.offerAll = () => {
      const isPending = pending.read()?.call === call;
      const buttons = [...offered].flatMap(([name, ask]) => [
        ...(isPending ? [button(`Collect what ${name} paid for`, () => collect(ask))] : []),
        ...(pages.length === 0 ? [button(`Pay $${price} with ${name}`, () => buy(ask))] : []),
      ]);
      choices.replaceChildren(...buttons);
      panel.querySelector('.no-wallet')?.toggleAttribute('hidden', offered.size > 0);
    };
    panel.offerAll();
  }

  const panels = () => document.querySelectorAll('[data-pay]');
  const setUpAll = () => panels().forEach((panel) => panel.offerAll || setUp(panel));
  const add = (name, provider) => {
    if (wallets.has(name)) return;
    wallets.set(name, (method, ...params) => provider.request({ method, params }));
    panels().forEach((panel) => panel.offerAll?.());
  };
  setUpAll();
  document.addEventListener('built', setUpAll);
  addEventListener('eip6963:announceProvider', ({ detail }) => add(detail.info.name, detail.provider));
  dispatchEvent(new Event('eip6963:requestProvider'));
  setTimeout(() => {
    if (wallets.size === 0 && window.ethereum) add('your wallet', window.ethereum);
  }, 300);
})();
