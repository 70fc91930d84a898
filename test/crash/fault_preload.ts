/** Loaded into a server before anything else: builds the fault named by FAULT into the sources it then loads. */
import { registerHooks } from 'node:module';
import { clockFaults } from './clock_faults.ts';

const fault = clockFaults.find(({ name }) => name === process.env['FAULT']);
if (!fault) throw new Error(`FAULT is ${JSON.stringify(process.env['FAULT'])}, expected one of clock_faults.ts`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const changes = fault.changes.filter(({ file }) => url.endsWith(`/${file}`));
    if (changes.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
    let source =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
    for (const { file, from, to } of changes) {
      if (source.split(from).length !== 2)
        throw new Error(`${file} no longer has exactly one ${JSON.stringify(from)}: plant this fault anew`);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});
