// Identity: authenticates callers, returns their identity, and issues keys.
import { identityRoutes } from './routes.ts';

export { type ApiKeyService, apiKeyService } from './api-keys.ts';
export { callerCache } from './caller-cache.ts';
export { issuedKeyAuthenticator } from './issued-key.ts';
export {
  requireMayAppoint,
  requireNotGranted,
  requireOperatorSession,
  requirePerson,
} from './issuing-rules.ts';
export { console_token_use, issuerKeys, jwtAuthenticator, type TrustedIssuer } from './jwt.ts';
export { apiKeyRoutes } from './routes.ts';
export { operatorKeyAuthenticator, sharedKeyAuthenticator } from './shared-key.ts';
export { type IdentityStore, identityStore } from './store.ts';

export const identityFeature = () => ({ routes: [identityRoutes()] });
