// Accounts: people, how they sign in, and what they allow programs to do in their name.
export { managedMode } from './managed-mode.ts';
export { issuerOf } from './trusted-issuers.ts';
