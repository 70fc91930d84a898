/** Loaded into a server before its sources (`node --import`): plants the fault of clock_faults.ts that FAULT names. */
import { registerHooks } from 'node:module';
import { plantInto } from '../ledger/planted_change.ts';
import { clockFaults } from './clock_faults.ts';

const fault = clockFaults.find(({ name }) => name === process.env['FAULT']);
if (!fault) throw new Error(`FAULT is ${JSON.stringify(process.env['FAULT'])}, expected a name of clock_faults.ts`);

registerHooks({
  load(url, context, nextLoad) {
    const changes = fault.changes.filter(({ file }) => url.endsWith(`/${file}`));
    return plantInto(nextLoad(url, context), changes);
  },
});
