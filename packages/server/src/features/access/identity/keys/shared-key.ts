// Keys from the environment, which need no lookup: the shared key (during a rotation the previous one too) for programs, and
// the operator key for the person who runs the server. They act for the nil organization.
import { nil_uuid } from '@parley/contract/limits';
import { secretMatcher, sha256Base64url } from '../../../../platform/crypto.ts';
import type { Authenticator, Caller } from '../../../../platform/http/context.ts';

/** Names a shared key without revealing it, so that the keys that it issued end when it is replaced. */
export const sharedKeyFingerprint = (key: string): string =>
  sha256Base64url(`parley shared key\n${key}`).slice(0, 22);

/** The fingerprints of the shared keys that work now. */
export type SharedKeyFingerprints = ReadonlySet<string>;

/** The audit log shows which of the keys was used, so that an operator sees when the previous one is no longer in use. */
type SharedKeyId = 'shared_key' | 'shared_key:previous';

const keyAuthenticator = (
  key: string,
  kind: 'shared_key' | 'operator_key',
  {
    credential_id,
    name,
    grants_consent,
    beside_operator_key = false,
  }: { credential_id: string; name: string; grants_consent: boolean; beside_operator_key?: boolean },
): Authenticator => {
  const caller: Caller = {
    identity: {
      auth_kind: kind,
      organization_id: nil_uuid,
      user_id: nil_uuid,
      email: null,
      name,
      superadmin: true,
    },
    credential_kind: kind,
    credential_id,
    grants_consent,
    beside_operator_key,
    expires_ms: null,
    superadmin_withheld: false,
    scopes: ['*'],
    role: 'owner',
    ...(kind === 'shared_key' ? { shared_key_fingerprint: sharedKeyFingerprint(key) } : {}),
  };
  const isKey = secretMatcher(key);
  return (bearer) => (isKey(bearer) ? caller : null);
};

export const sharedKeyAuthenticator = (
  key: string,
  {
    credential_id = 'shared_key',
    grants_consent = false,
    beside_operator_key = false,
  }: { credential_id?: SharedKeyId; grants_consent?: boolean; beside_operator_key?: boolean } = {},
) =>
  keyAuthenticator(key, 'shared_key', {
    credential_id,
    name: 'Shared key',
    grants_consent,
    beside_operator_key,
  });

/** Counts as a person: agents have the shared key, so it cannot decide about what they send. */
export const operatorKeyAuthenticator = (key: string) =>
  keyAuthenticator(key, 'operator_key', {
    credential_id: 'operator_key',
    name: 'Operator key',
    grants_consent: false,
  });
