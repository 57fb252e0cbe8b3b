// Accounts: people, how they sign in, and what they let programs do in their name.
export { issuerOf, managedMode } from './managed-mode.ts';
