// Identity: authenticates callers, returns their identity, and issues keys.
import { credentialChanges } from './credential-changes.ts';
import { identityRoutes } from './routes.ts';

export { callerCache } from './caller-cache.ts';
export { type CredentialChanges, credentialChanges, subjectOf } from './credential-changes.ts';
export { console_token_use, issuerKeys, jwtAuthenticator, type TrustedIssuer } from './jwt.ts';
export { type ApiKeyService, apiKeyService } from './keys/api-keys.ts';
export { issuedKeyAuthenticator, keyCredential } from './keys/issued-key.ts';
export {
  requireMayAppoint,
  requireNotGranted,
  requireOperatorSession,
  requirePerson,
} from './keys/issuing-rules.ts';
export {
  operatorKeyAuthenticator,
  type SharedKeyFingerprints,
  sharedKeyAuthenticator,
  sharedKeyFingerprint,
} from './keys/shared-key.ts';
export type { CredentialLimits, LimitedCredential } from './limited-credential.ts';
export { apiKeyRoutes } from './routes.ts';
export { type IdentityStore, identityStore } from './store.ts';

/** `changes`: shared by everything that caches callers or ends their rights. */
export function identityFeature(deps: Parameters<typeof credentialChanges>[0]) {
  const changes = credentialChanges(deps);
  return { changes, routes: [identityRoutes()], jobs: changes.jobs };
}
