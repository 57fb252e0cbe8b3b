// Accounts: people, how they sign in, and what they let programs do in their name.
export { managedMode } from './managed-mode.ts';
