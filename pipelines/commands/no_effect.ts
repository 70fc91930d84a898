/** Settings that are set, and that a run does not read in its mode. */

/** Settings of the sandbox world. */
const OF_SANDBOX = ['SANDBOX_URL', 'SEED', 'LISTINGS', 'PARCELS', 'AUCTIONS', 'FILINGS'] as const;

/** One line for each kind of setting without effect. */
export function settingsWithoutEffect(env: Readonly<NodeJS.Dict<string>>, isLive: boolean): string[] {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const lines: string[] = [];
  const ofSandbox = isLive ? OF_SANDBOX.filter(isSet) : [];
  if (ofSandbox.length > 0) lines.push(`No effect with LIVE=1: ${ofSandbox.join(', ')} (the sandbox is not read)`);
  if (isSet('AT_ONCE'))
    lines.push('No effect on a run: AT_ONCE. It is a setting of make worker; a run reads 4 sources at a time');
  return lines;
}
