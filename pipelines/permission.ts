/**
 * What the operator has confirmed. A source is read from the web if its terms were read or PERMITTED names it, and if
 * its key is set; with real money it is served if its terms allow resale or PERMITTED names it.
 */
import { SettingError, type PipelineSettings } from '../lib/settings.ts';
import type { SourceRead } from '../models/inputs.ts';
import type { SourceSpec } from '../sources/contract.ts';
import { secretsOf } from '../sources/index.ts';

/** Whether nobody has read its terms, or they ask for the owner's permission. */
const needsPermission = ({ terms, fetch }: SourceSpec): boolean =>
  fetch !== undefined && terms.basis !== 'sandbox_only' && (terms.basis === 'permission' || terms.quote === undefined);

/** Whether PERMITTED may name a source: it needs a permission, to be read or to be sold. */
const mayBeNamed = (spec: SourceSpec): boolean =>
  spec.terms.basis !== 'sandbox_only' && (needsPermission(spec) || spec.terms.resale !== 'allowed');

type Secrets = Readonly<Record<string, string | undefined>>;
export type Resale = ReturnType<typeof SourceRead.schema.parse>['resale'];

/** Secrets that a source requires and that are not set. */
const missingSecrets = ({ secretsRequired, secrets = [] }: SourceSpec, values: Secrets): readonly string[] =>
  secretsRequired === undefined ? [] : secrets.filter((name) => values[name] === undefined);

export interface Permissions {
  /** Whether a source may be read from the web. In the sandbox every source may. */
  mayFetch(spec: SourceSpec): boolean;
  /** Whether what is derived from a source may be sold. */
  resaleOf(spec: SourceSpec): Resale;
}

/** Without a statement of the operator the terms decide. */
export const resaleByTerms = ({ terms }: SourceSpec): Resale => terms.resale ?? 'unknown';

/**
 * @param secrets values of the sources' secrets, by name
 * @throws SettingError if PERMITTED names an unknown source, or one that needs no permission
 */
export function permissionsOf(
  all: readonly SourceSpec[],
  { LIVE, PERMITTED = '' }: Partial<Pick<PipelineSettings, 'LIVE' | 'PERMITTED'>>,
  secrets: Secrets = secretsOf(all),
): Permissions {
  const permitted = PERMITTED.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const restricted = all.filter(mayBeNamed).map(({ name }) => name);
  for (const name of permitted) {
    if (!restricted.includes(name)) {
      throw new SettingError(
        `PERMITTED is ${JSON.stringify(PERMITTED)}, expected sources that need a permission: ${name} is none of ` +
          restricted.join(', '),
      );
    }
  }
  const isNamed = ({ name }: SourceSpec): boolean => permitted.includes(name);
  return {
    mayFetch: (spec) =>
      !LIVE || ((!needsPermission(spec) || isNamed(spec)) && missingSecrets(spec, secrets).length === 0),
    resaleOf: (spec) => (isNamed(spec) ? 'confirmed' : resaleByTerms(spec)),
  };
}

/** The settings that a source waits for before it may be read from the web: "CENSUS_API_KEY is not set. ...". */
export const whatIsMissing = (spec: SourceSpec): string =>
  !needsPermission(spec) && spec.secretsRequired !== undefined
    ? `${(spec.secrets ?? []).join(' or ')} is not set. ${spec.secretsRequired}`
    : `its terms ${spec.terms.basis === 'permission' ? "ask for its owner's permission" : 'are unread'}, and ` +
      `PERMITTED does not name it. ${spec.terms.note}`;

/** A line for each permission or key that sources lack; their names are as PERMITTED takes them. */
export const missingPermissions = (
  sources: readonly SourceSpec[],
  mayFetch: Permissions['mayFetch'],
): readonly string[] =>
  [
    ...Map.groupBy(
      sources.filter((spec) => spec.fetch !== undefined && !mayFetch(spec)),
      whatIsMissing,
    ),
  ].map(([missing, same]) => `not read from the web: ${same.map(({ name }) => name).join(',')}: ${missing}`);
