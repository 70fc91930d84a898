/** Sources whose terms require the owner's permission are read from the web only if the operator states it. */
import { SettingError, type PipelineSettings } from '../lib/settings.ts';
import type { SourceSpec } from '../sources/contract.ts';

const needsPermission = (spec: SourceSpec): boolean => spec.terms.basis === 'permission' && spec.fetch !== undefined;

/**
 * Whether a source may be read from the web. In the sandbox every source may.
 * @throws SettingError if PERMITTED names an unknown source, or one that needs no permission
 */
export function mayBeFetched(
  all: readonly SourceSpec[],
  { LIVE, PERMITTED }: Pick<PipelineSettings, 'LIVE' | 'PERMITTED'>,
): (spec: SourceSpec) => boolean {
  const permitted = (PERMITTED ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const restricted = all.filter(needsPermission).map(({ name }) => name);
  for (const name of permitted) {
    if (!restricted.includes(name)) {
      throw new SettingError(
        `PERMITTED is ${JSON.stringify(PERMITTED)}, expected sources that need a permission: ${name} is none of ` +
          restricted.join(', '),
      );
    }
  }
  return (spec) => !LIVE || !needsPermission(spec) || permitted.includes(spec.name);
}

/** A line for each source that lacks a permission. */
export const missingPermissions = (sources: readonly SourceSpec[], mayFetch: (spec: SourceSpec) => boolean): string[] =>
  sources
    .filter((spec) => !mayFetch(spec))
    .map(({ name, terms }) => `${name} is not read from the web: PERMITTED does not name it. ${terms.note}`);
