import { queriesLarge } from './measures/zz.ts';
const t0 = performance.now();
const repeat = await queriesLarge.open();
console.log('open', (performance.now() - t0) / 1000);
console.log(await repeat());
process.exit();
