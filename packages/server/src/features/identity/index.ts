// Identity: recognises callers and tells them who they are.
export { identityRoutes } from './routes.ts';
export { sharedKeyAuthenticator } from './shared-key.ts';
