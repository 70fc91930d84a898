/** Sources whose terms ask for the owner's permission: the web is not asked for them until the operator states it. */
import { SettingError, type PipelineSettings } from '../lib/settings.ts';
import type { SourceSpec } from '../sources/contract.ts';

const needsPermission = (spec: SourceSpec): boolean => spec.terms.basis === 'permission' && spec.fetch !== undefined;

/**
 * Whether a source may be read from the web. In the sandbox nobody's site is asked, so every one may.
 * @throws SettingError where PERMITTED names what is no source, or a source that needs no permission.
 */
export function mayBeFetched(
  all: readonly SourceSpec[],
  { LIVE, PERMITTED }: Pick<PipelineSettings, 'LIVE' | 'PERMITTED'>,
): (spec: SourceSpec) => boolean {
  const permitted = (PERMITTED ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const asking = all.filter(needsPermission).map(({ name }) => name);
  for (const name of permitted) {
    if (!asking.includes(name)) {
      throw new SettingError(
        `PERMITTED is ${JSON.stringify(PERMITTED)}, expected sources that need a permission: ${name} is none of ${asking.join(', ')}`,
      );
    }
  }
  return (spec) => !LIVE || !needsPermission(spec) || permitted.includes(spec.name);
}

/** A line for each source that is refused. */
export const notPermitted = (sources: readonly SourceSpec[], mayFetch: (spec: SourceSpec) => boolean): string[] =>
  sources
    .filter((spec) => !mayFetch(spec))
    .map(({ name, terms }) => `not read from the web: ${name}, whose owner's permission is not stated. ${terms.note}`);
