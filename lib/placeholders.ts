/** Values of the shipped examples and of public test keys, for which an operator must put values of their own. */
import { USDC } from './network.ts';

/** Host names for examples (RFC 2606), and words that docs/deploying.md and deploy/env.example say to replace. */
const WORDS = new RegExp(
  [
    String.raw`(?:^|//|[.@])example(?:\.(?:com|net|org))?\.?(?=$|[/:,\s])`,
    String.raw`YOUR\.DOMAIN|your-key|my-bucket|:PASSWORD@`,
  ].join('|'),
  'iu',
);
/** The zero address, and numbers so small that nobody found them by chance, such as 0x…dEaD. */
const ZEROS = /^0x0{24}/u;
/** The accounts of Anvil and Hardhat, whose keys everybody knows, and the token, which every 402 shows. */
const ACCOUNTS = new Set([
  USDC.toLowerCase(),
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
]);

/** Whether a setting has the value of an example: URLs separated by commas, an email address or an account. */
export const isPlaceholder = (value: string): boolean =>
  WORDS.test(value) || ZEROS.test(value) || ACCOUNTS.has(value.toLowerCase());
