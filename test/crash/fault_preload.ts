/** Loaded into a server before its sources (`node --import`): plants the fault of clock_faults.ts that FAULT names. */
import { registerHooks } from 'node:module';
import { plantChanges } from '../ledger/planted_change.ts';
import { clockFaults } from './clock_faults.ts';

const fault = clockFaults.find(({ name }) => name === process.env['FAULT']);
if (!fault) throw new Error(`FAULT is ${JSON.stringify(process.env['FAULT'])}, expected a name of clock_faults.ts`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const changes = fault.changes.filter(({ file }) => url.endsWith(`/${file}`));
    if (changes.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
    const source =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
    return { ...loaded, source: plantChanges(source, changes) };
  },
});
