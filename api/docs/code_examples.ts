/** One call in curl, TypeScript and Python, written from its route: a paid call with its client, a free one without. */
import type { Route } from '../routes/define.ts';
import { paramFacts } from '../routes/params.ts';
import { highestPriceOf } from '../routes/pricing.ts';
import { exampleCall, paramExample } from './examples.ts';

export interface CodeExample {
  /** Short name, also in the page's radio buttons. */
  readonly id: 'curl' | 'ts' | 'python';
  readonly label: string;
  readonly text: string;
}

export interface ExampleTarget {
  readonly publicUrl: string;
  /** CAIP-2 name of the network on which the wallet pays. */
  readonly network: string;
  /** Values of path parameters, where this server does not have the sample's. */
  readonly path?: Readonly<Record<string, string>>;
}

/** The network that examples/sign.ts pays on if none is named. */
const DEFAULT_NETWORK = 'eip155:8453';

/** URL of the example call of a route. */
export function exampleUrl(route: Route, { publicUrl, path = {} }: ExampleTarget): string {
  const facts = Object.entries(route.pathParams ?? {}).map(([name, schema]) => [name, paramFacts(schema)] as const);
  const filled = facts.reduce(
    (text, [name, of]) => text.replace(`:${name}`, path[name] ?? String(paramExample(name, of))),
    route.path,
  );
  const query = new URLSearchParams(
    Object.entries(exampleCall(route)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${publicUrl}${filled}${query === '' ? '' : `?${query}`}`;
}

const paidCurl = (url: string, price: string, network: string): string => {
  const settings = `${network === DEFAULT_NETWORK ? '' : `BUYER_NETWORK=${network} `}MAX_USD=${price}`;
  return [
    '# 402: the price is in the PAYMENT-REQUIRED header. Nothing is charged.',
    `URL='${url}'`,
    'curl -i "$URL"',
    '',
    '# curl cannot sign. examples/sign.ts does, with the private key in BUYER_KEY:',
    `TERMS=$(curl -s -o /dev/null -w '%header{payment-required}' "$URL")`,
    `SIGNED=$(${settings} node examples/sign.ts "$TERMS")`,
    'curl -i "$URL" -H "PAYMENT-SIGNATURE: $SIGNED"',
  ].join('\n');
};

const paidTypeScript = (url: string, price: string, network: string, body: string): string =>
  [
    '// npm install @x402/fetch @x402/evm viem',
    "import { ExactEvmScheme } from '@x402/evm/exact/client';",
    "import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';",
    "import { privateKeyToAccount } from 'viem/accounts';",
    '',
    'const wallet = privateKeyToAccount(process.env.BUYER_KEY as `0x${string}`);',
    'const pay = wrapFetchWithPaymentFromConfig(fetch, {',
    `  schemes: [{ network: '${network}', client: new ExactEvmScheme(wallet) }],`,
    `  spendControls: { maxAmountPerPayment: '$${price}' },`,
    '});',
    '',
    `const response = await pay('${url}');`,
    "console.log(response.status, response.headers.get('Receipt-Id'));",
    `console.log(await response.${body}());`,
  ].join('\n');

const paidPython = (url: string, price: string, network: string, body: string): string =>
  [
    "# pip install 'x402[evm,requests]>=2.25'",
    'import os',
    '',
    'from eth_account import Account',
    'from x402 import x402ClientSync',
    'from x402.http.clients import x402_requests',
    'from x402.mechanisms.evm import EthAccountSigner',
    'from x402.mechanisms.evm.exact import ExactEvmScheme',
    '',
    'wallet = EthAccountSigner(Account.from_key(os.environ["BUYER_KEY"]))',
    `client = x402ClientSync().register("${network}", ExactEvmScheme(wallet))`,
    `client.set_spend_controls({"max_amount_per_payment": "$${price}"})`,
    '',
    `response = x402_requests(client).get("${url}")`,
    'print(response.status_code, response.headers.get("Receipt-Id"))',
    `print(response.${body})`,
  ].join('\n');

/** The example call of a route in each language. */
export function codeExamples(route: Route, target: ExampleTarget): readonly CodeExample[] {
  const url = exampleUrl(route, target);
  const isText = route.media !== undefined;
  const [inTypeScript, inPython] = isText ? ['text', 'text'] : ['json', 'json()'];
  if (route.price === null) {
    return [
      { id: 'curl', label: 'curl', text: `curl '${url}'` },
      {
        id: 'ts',
        label: 'TypeScript',
        text: `const response = await fetch('${url}');\nconsole.log(await response.${inTypeScript}());`,
      },
      {
        id: 'python',
        label: 'Python',
        text: `import requests\n\nresponse = requests.get("${url}")\nprint(response.${inPython})`,
      },
    ];
  }
  const price = highestPriceOf(route);
  const { network } = target;
  return [
    { id: 'curl', label: 'curl', text: paidCurl(url, price, network) },
    { id: 'ts', label: 'TypeScript', text: paidTypeScript(url, price, network, inTypeScript) },
    { id: 'python', label: 'Python', text: paidPython(url, price, network, inPython) },
  ];
}
