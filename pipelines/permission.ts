/** Sources that are read from the web only if the operator states their owner's permission, or sets their key. */
import { SettingError, type PipelineSettings } from '../lib/settings.ts';
import type { SourceSpec } from '../sources/contract.ts';
import { secretsOf } from '../sources/index.ts';

const needsPermission = (spec: SourceSpec): boolean => spec.terms.basis === 'permission' && spec.fetch !== undefined;

type Secrets = Readonly<Record<string, string | undefined>>;

/** Secrets that a source requires and that are not set. */
const missingSecrets = ({ secretsRequired, secrets = [] }: SourceSpec, values: Secrets): readonly string[] =>
  secretsRequired === undefined ? [] : secrets.filter((name) => values[name] === undefined);

/**
 * Whether a source may be read from the web. In the sandbox every source may.
 * @param secrets values of the sources' secrets, by name
 * @throws SettingError if PERMITTED names an unknown source, or one that needs no permission
 */
export function mayBeFetched(
  all: readonly SourceSpec[],
  { LIVE, PERMITTED }: Pick<PipelineSettings, 'LIVE' | 'PERMITTED'>,
  secrets: Secrets = secretsOf(all),
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
  return (spec) =>
    !LIVE || ((!needsPermission(spec) || permitted.includes(spec.name)) && missingSecrets(spec, secrets).length === 0);
}

/** The settings that a source waits for before it may be read from the web: "CENSUS_API_KEY is not set. ...". */
export const whatIsMissing = (spec: SourceSpec): string =>
  spec.secretsRequired === undefined
    ? `PERMITTED does not name it. ${spec.terms.note}`
    : `${(spec.secrets ?? []).join(' or ')} is not set. ${spec.secretsRequired}`;

/** A line for each source that lacks a permission or a key. */
export const missingPermissions = (sources: readonly SourceSpec[], mayFetch: (spec: SourceSpec) => boolean): string[] =>
  sources
    .filter((spec) => !mayFetch(spec))
    .map((spec) => `${spec.name} is not read from the web: ${whatIsMissing(spec)}`);
