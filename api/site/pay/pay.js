// Buys the call of a [data-pay] panel with a wallet of the browser (EIP-1193), and shows what was bought.
(() => {
  const LATER_MS = 2500;
  const REPEATS = 6;
  const MONEY = 6;
  const PENDING = 'dealfeed.pending';
  /** Fields that a table shows, in this order, with their format. The files have every field. */
  const FIELDS = {
    address: '', property_address: '', business_name: '', owner_name: '', city: '', county: '', state: '', // where
    list_price: '$', units: '0', cap_rate: '%', cap_rate_underwritten: '%', dscr: 'n', deal_score: '0', lead_score: '0',
    lead_type: 'w', signal_type: 'w', auction_type: 'w', amount: '$', sale_date: '', opening_bid: '$',
    appraised_value: '$', filing_date: '', entity_type: 'w', registered_agent_name: '', properties_count: '0',
    total_amount: '$',
  };
  const MAX_COLUMNS = 10;

  const hex = (number) => `0x${BigInt(number).toString(16)}`;
  const toHex = (bytes) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const utf8 = (text) => new TextEncoder().encode(text);
  const base64 = (value) => btoa(String.fromCodePoint(...utf8(JSON.stringify(value))));
  const decoded = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.codePointAt(0))));
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const capital = (text) => text.replace(/^./u, (first) => first.toUpperCase());
  const named = (name) => capital(name.replaceAll('_', ' ')).replace(/^Dscr/u, 'DSCR');
  const json = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  };
  const element = (name, properties, ...children) => {
    const { role, ...others } = properties ?? {};
    const made = Object.assign(document.createElement(name), others);
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

  // --- paying ---

  const FREE = 'Nothing was charged.';
  const unbilled = ({ detail }) => new Error(detail.includes(FREE) ? detail : `${detail} ${FREE}`);

  /** The terms of a call, at the price on the page. @throws Error what the server refused, which is free */
  async function termsOf(call, price) {
    const response = await fetch(call, { headers: { Accept: 'application/json' }, cache: 'no-store' });
    const header = response.headers.get('PAYMENT-REQUIRED');
    if (response.status !== 402 || !header) throw unbilled(await response.json());
    const required = decoded(header);
    const expected = Math.round(Number(price) * 10 ** MONEY);
    const accepted = required.accepts.find(
      ({ scheme, network, amount }) =>
        scheme === 'exact' && network.startsWith('eip155:') && Number(amount) === expected,
    );
    if (!accepted) throw new Error('The price of this call has changed. Load the page again. Nothing was charged.');
    return { required, accepted, nowMs: Date.parse(response.headers.get('Date')) || Date.now() };
  }

  /** Switch the wallet to the network, and add the network to a wallet that does not know it. */
  async function switchTo(provider, { chainId, title, rpc, explorer }) {
    const id = hex(chainId);
    const current = async () => BigInt(await provider.request({ method: 'eth_chainId' })) === BigInt(chainId);
    if (await current()) return;
    const params = [{ chainId: id }];
    try {
      await provider.request({ method: 'wallet_switchEthereumChain', params });
    } catch (error) {
      if ((error.data?.originalError?.code ?? error.code) !== 4902) throw error;
      const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
      const added = { chainId: id, chainName: title, nativeCurrency, rpcUrls: [rpc], blockExplorerUrls: [explorer] };
      await provider.request({ method: 'wallet_addEthereumChain', params: [added] });
      if (!(await current())) await provider.request({ method: 'wallet_switchEthereumChain', params });
    }
  }

  async function checkBalance(provider, { asset, amount }, from, { title }) {
    const data = `0x70a08231${from.slice(2).padStart(64, '0')}`;
    const balance = BigInt(await provider.request({ method: 'eth_call', params: [{ to: asset, data }, 'latest'] }));
    if (balance >= BigInt(amount)) return;
    const held = (Number(balance) / 10 ** MONEY).toFixed(2);
    throw new Error(`This wallet holds $${held} in USDC on ${title}. Nothing was charged.`);
  }

  const typed = (text) => text.split(', ').map((pair) => ({ type: pair.split(' ')[0], name: pair.split(' ')[1] }));
  const TYPES = {
    EIP712Domain: typed('string name, string version, uint256 chainId, address verifyingContract'),
    TransferWithAuthorization: typed(
      'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
    ),
  };

  /** A payment that the wallet signed: an EIP-3009 transfer of exactly the price, with an identifier of our own. */
  async function paymentOf(provider, { required, accepted, nowMs }, network) {
    const [from] = await provider.request({ method: 'eth_requestAccounts' });
    await switchTo(provider, network);
    await checkBalance(provider, accepted, from, network);
    const authorization = {
      from,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: '0',
      validBefore: String(Math.floor(nowMs / 1000) + accepted.maxTimeoutSeconds),
      nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
    };
    const domain = { ...accepted.extra, chainId: network.chainId, verifyingContract: accepted.asset };
    const data = { types: TYPES, primaryType: 'TransferWithAuthorization', domain, message: authorization };
    const signature = await provider.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(data)] });
    const { x402Version, resource, extensions } = required;
    const own = extensions?.['payment-identifier'];
    const id = toHex(crypto.getRandomValues(new Uint8Array(16)));
    const withId = own ? { ...extensions, 'payment-identifier': { ...own, info: { ...own.info, id } } } : extensions;
    return { x402Version, resource, extensions: withId, accepted, payload: { signature, authorization } };
  }

  /** A response with its whole body; null if it was lost on the way. */
  async function whole(call, headers) {
    try {
      const response = await fetch(call, { headers: { Accept: 'application/json', ...headers }, cache: 'no-store' });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch {
      return null;
    }
  }

  class Lost extends Error {}

  /** Send the same payment, with the same identifier, until the answer is here. It is charged once. */
  async function answerTo(call, payment, say) {
    const header = { 'PAYMENT-SIGNATURE': base64(payment) };
    for (let i = 0; i < REPEATS; i += 1) {
      const answer = await whole(call, header);
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
  async function collected(provider, { nonce, network }) {
    const [address] = await provider.request({ method: 'eth_requestAccounts' });
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
    const signature = await provider.request({ method: 'personal_sign', params: [toHex(utf8(message)), address] });
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

  const save = (label, download, type, text) =>
    element('a', {
      className: 'button second',
      download,
      href: URL.createObjectURL(new Blob([text], { type })),
      textContent: label,
    });

  function tableOf(records, label) {
    const has = (name) => records.some((record) => Object.hasOwn(record, name) && !isObject(record[name]));
    const known = Object.keys(FIELDS).filter(has);
    const shown = (known.length > 0 ? known : Object.keys(records[0] ?? {}).filter(has)).slice(0, MAX_COLUMNS);
    const isNumber = (name) => ['$', '%', '0', 'n'].includes(FIELDS[name]);
    const cell = (tag, name, textContent, more) =>
      element(tag, { className: isNumber(name) ? 'num' : '', textContent, ...more });
    const head = shown.map((name) => cell('th', name, named(name), { scope: 'col' }));
    const row = (record) =>
      shown.map((name, i) => {
        const text = cellText(record[name], FIELDS[name]);
        return i === 0 ? cell('th', name, text, { scope: 'row' }) : cell('td', name, text);
      });
    const table = element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...records.map((record) => element('tr', {}, ...row(record)))),
    );
    return element('div', { className: 'wide roomy', tabIndex: 0, role: 'region', ariaLabel: label }, table);
  }

  /** Parts of an answer that are no goods. */
  const ENVELOPE = new Set(['note', 'generated_at', 'as_of', 'snapshot_id', 'filters', 'absent', 'stale_sources']);

  /** Any other answer: lists and records as tables, with all fields of a record folded; other values as pairs. */
  function partsOf(value) {
    const entries = Object.entries(value).filter(([name]) => !ENVELOPE.has(name));
    const plain = entries.filter(([, one]) => !isObject(one) && !(Array.isArray(one) && one.some(isObject)));
    const pairs = plain.map(([name, one]) =>
      element('div', {}, element('dt', { textContent: named(name) }), element('dd', { textContent: cellText(one) })),
    );
    const foldedIn = (record) =>
      element('details', {}, element('summary', { textContent: 'All fields' }), ...partsOf(record));
    return [
      ...entries.flatMap(([name, one]) => {
        if (plain.some(([other]) => other === name)) return [];
        const heading = element('h3', { textContent: named(name) });
        if (Array.isArray(one)) return [heading, tableOf(one, named(name))];
        return [heading, ...(one.id ? [tableOf([one], named(name)), foldedIn(one)] : partsOf(one))];
      }),
      ...(pairs.length > 0 ? [element('dl', { className: 'page-facts' }, ...pairs)] : []),
    ];
  }

  /** What was bought as the server lays it out at a path; null if it is not whole. */
  async function laidOut(path, text) {
    const headers = { 'Content-Type': 'application/json', Accept: 'text/html' };
    const response = await fetch(path, { method: 'POST', headers, body: text }).catch(() => null);
    if (!response?.ok) return null;
    const parsed = new DOMParser().parseFromString(await response.text(), 'text/html');
    return [...parsed.body.childNodes];
  }

  const ON_MAP = ['zip', 'city', 'address', 'list_price', 'deal_score', 'listing_url'];
  const onMap = (record) =>
    Object.fromEntries([...ON_MAP, 'latitude', 'longitude', 'geo_basis'].map((name) => [name, record[name]]));

  /** The pages of one purchase, shown together. */
  async function show({ call, pages, box, again }) {
    const bodies = pages.map(({ text }) => json(text));
    const [body] = bodies;
    const last = bodies.at(-1);
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
    const report = body?.recompute ? await laidOut('/report/bought', pages[0].text) : null;
    const located = records?.filter((record) => record.zip && record.listing_url).map(onMap) ?? [];
    const map = located.length > 0 ? await laidOut('/map/bought', JSON.stringify({ records: located })) : null;
    const table = records ? [...(map ?? []), tableOf(records, 'The records bought')] : null;
    const content = report ?? table ?? (body ? partsOf(body) : []);
    const note =
      'The files have every field. The same wallet can collect this answer again for 30 days, free: receipt ';
    const receipt = element('code', { textContent: pages.at(-1).headers.get('Receipt-Id') });
    box.replaceChildren(
      heading,
      element('p', { className: 'actions' }, ...files),
      element('p', { className: 'small' }, note, receipt, '.'),
      ...content,
      ...(last?.next_cursor ? [again(last.next_cursor)] : []),
    );
    heading.focus();
  }

  // --- the panel ---

  /** Wallets by name, as they announce themselves. */
  const wallets = new Map();

  /** The wallet of the sandbox, which answers at this address of the site. */
  const testProvider = (url) => ({
    request: async (asked) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(asked) });
      const { result, detail } = await response.json();
      if (!response.ok) throw new Error(detail);
      return result;
    },
  });

  function setUp(panel) {
    const { call, price, testWallet } = panel.dataset;
    // In the sandbox only the test wallet pays: what another one signed there would be valid on the real chain.
    const offered = testWallet ? new Map([['test money', testProvider(testWallet)]]) : wallets;
    const network = JSON.parse(panel.dataset.network);
    const [choices, status] = [panel.querySelector('.wallets'), panel.querySelector('[role=status]')];
    const pages = [];
    let bought = null;
    const say = (text, tone = 'plain') => {
      status.className = `outcome ${tone}`;
      status.textContent = text;
    };
    const paid = ({ headers }, sum) => {
      const { transaction = '' } = decoded(headers.get('PAYMENT-RESPONSE') ?? btoa('{}'));
      const money = sum === null ? 'Collected, free.' : `Paid $${sum}.`;
      say(`${money} Transaction ${transaction}.`, 'good');
    };
    const guarded = async (buttons, action) => {
      for (const button of buttons) button.disabled = true;
      try {
        await action();
      } catch (error) {
        if (error.code === 4001) say('You declined. Nothing was charged.', 'thin');
        else say(error.message, 'bad');
        if (error instanceof Lost) offerAll();
      }
      for (const button of buttons) button.disabled = false;
    };
    const showPages = async (provider) => {
      pending.clear();
      panel.replaceChildren(status);
      panel.className = 'pay';
      const again = (cursor) => {
        const next = element('button', { type: 'button', textContent: `Buy the next page for $${price}` });
        next.addEventListener('click', () => guarded([next], () => buy(provider, cursor)));
        return element('p', { className: 'actions' }, next);
      };
      await show({ call, pages, box: (bought ??= document.querySelector('#answer')), again });
    };
    const buy = async (provider, cursor) => {
      const url = new URL(call, location.href);
      if (cursor) url.searchParams.set('cursor', cursor);
      const target = url.pathname + url.search;
      say('Confirm in your wallet. It signs a transfer of exactly this price; the seller pays the gas.');
      const payment = await paymentOf(provider, await termsOf(target, price), network);
      pending.write({ call, nonce: payment.payload.authorization.nonce, network: payment.accepted.network });
      say('Paying. The transfer settles before the answer comes, which takes a few seconds.');
      pages.push(await answerTo(target, payment, say));
      paid(pages.at(-1), (Number(price) * pages.length).toFixed(2));
      await showPages(provider);
    };
    const collect = async (provider) => {
      say('Confirm the sign-in in your wallet. It moves no money.');
      pages.push(await collected(provider, pending.read()));
      paid(pages.at(-1), null);
      await showPages(provider);
    };
    const offer = (text, action) => {
      const button = element('button', { type: 'button', textContent: text });
      button.addEventListener('click', () => guarded(choices.querySelectorAll('button'), action));
      choices.append(button);
    };
    function offerAll() {
      choices.replaceChildren();
      const isPending = pending.read()?.call === call;
      for (const [name, provider] of offered) {
        if (isPending) offer(`Collect what ${name} paid for`, () => collect(provider));
        offer(`Pay $${price} with ${name}`, () => buy(provider));
      }
      panel.querySelector('.no-wallet').hidden = offered.size > 0;
    }
    panel.offerAll = offerAll;
    offerAll();
  }

  const setUpAll = () => document.querySelectorAll('[data-pay]').forEach((panel) => panel.offerAll || setUp(panel));
  const add = (name, provider) => {
    if (wallets.has(name)) return;
    wallets.set(name, provider);
    document.querySelectorAll('[data-pay]').forEach((panel) => panel.offerAll?.());
  };
  setUpAll();
  document.addEventListener('built', setUpAll);
  addEventListener('eip6963:announceProvider', ({ detail }) => add(detail.info.name, detail.provider));
  dispatchEvent(new Event('eip6963:requestProvider'));
  setTimeout(() => {
    if (wallets.size === 0 && window.ethereum) add('your wallet', window.ethereum);
  }, 300);
})();
