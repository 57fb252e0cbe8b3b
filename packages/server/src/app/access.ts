// Builds the wing access: who may do what. Accounts are built after the rules that new organizations get.

import { managedMode } from '../features/access/accounts/index.ts';
import { auditFeature } from '../features/access/audit/index.ts';
import { conversationTokenFeature } from '../features/access/conversation-tokens/index.ts';
import {
  identityFeature,
  operatorKeyAuthenticator,
  sharedKeyAuthenticator,
  sharedKeyFingerprint,
} from '../features/access/identity/index.ts';
import { providerFeature } from '../features/access/provider-settings/index.ts';
import type { Budgets } from '../features/rules/budgets/index.ts';
import type { ContactFeature } from '../features/rules/contacts/index.ts';
import type { SendingRulesFeature } from '../features/rules/sending-rules/index.ts';
import { failedCredentials } from '../platform/http/failed-credentials.ts';
import { openHolds } from '../platform/http/holds.ts';
import type { Service } from './service.ts';
import { provider_manifests } from './vendors.ts';

export function accessWing(on: Service) {
  const audit = auditFeature(on);
  const identity = identityFeature(on);
  const conversation_tokens = conversationTokenFeature({
    ...on,
    changes: identity.changes,
    clock: on.expiry_clock,
    audit: audit.log,
  });
  const providers = providerFeature({
    ...on,
    audit: audit.log,
    known: provider_manifests,
    policy: on.target_policy,
  });
  return { audit, identity, conversation_tokens, providers };
}
export type Access = ReturnType<typeof accessWing>;

export const accountFeature = (
  on: Service,
  { audit, identity }: Access,
  rules: { contacts: ContactFeature; sending_rules: SendingRulesFeature; budgets: Budgets },
) =>
  managedMode({
    ...on,
    changes: identity.changes,
    clock: on.expiry_clock,
    shared_keys: sharedKeyFingerprints(on),
    contacts: rules.contacts.service,
    audit: audit.log,
    rules: rules.sending_rules,
    credential_limits: rules.budgets,
    mail: on.late.mail,
    secret: on.options.auth_secret ?? '',
    ...(on.options.passwords && { passwords: on.options.passwords }),
  });

/** How requests are authenticated, and what ends with a credential. */
export function doorsOf(
  on: Service,
  { identity, conversation_tokens, accounts }: Access & { accounts: ReturnType<typeof accountFeature> },
) {
  const { options, config } = on;
  const authenticators = [
    ...sharedKeys(on),
    ...(options.operator_key ? [operatorKeyAuthenticator(options.operator_key)] : []),
    conversation_tokens.authenticator,
    ...accounts.authenticators,
    ...(options.authenticators ?? []),
  ];
  return {
    authenticators,
    holds: openHolds({ ...on, authenticators, refresh: identity.changes.refresh }),
    failures: failedCredentials({ limit_per_minute: config.PARLEY_FAILED_CREDENTIALS_PER_MINUTE }),
  };
}
export type Doors = ReturnType<typeof doorsOf>;

/** Keys that a shared key issued work while it is set. */
const sharedKeyFingerprints = ({ options, config }: Service): ReadonlySet<string> =>
  new Set(
    [options.shared_key, config.PARLEY_SHARED_KEY_PREVIOUS].flatMap((key) =>
      key ? sharedKeyFingerprint(key) : [],
    ),
  );

function sharedKeys({ options, config }: Service) {
  // With accounts, agents have keys of their own, and the shared key is the operator's.
  const beside_operator_key = Boolean(options.operator_key) && config.PARLEY_MANAGED === 'off';
  const grants_consent = config.PARLEY_SHARED_KEY_GRANTS_CONSENT === 'on';
  const previous = config.PARLEY_SHARED_KEY_PREVIOUS;
  const settings = { grants_consent, beside_operator_key };
  return [
    ...(options.shared_key ? [sharedKeyAuthenticator(options.shared_key, settings)] : []),
    ...(previous
      ? [sharedKeyAuthenticator(previous, { credential_id: 'shared_key:previous', ...settings })]
      : []),
  ];
}
